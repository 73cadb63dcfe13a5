import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { firstRun as en } from '../en/first-run.ts';

export const firstRun: Translated<typeof en> = {
  title: 'Добро пожаловать в Strongroom',
  local: 'Этот компьютер',
  localHelp: 'Копирует папки этого компьютера на его собственные диски. Ни сеть, ни другой сервер не нужны.',
  useLocal: 'Использовать этот компьютер',
  isStarting: 'Сервер резервного копирования запускается…',
  starting: 'Запускается сервер резервного копирования этого компьютера…',
  remote: 'Сервер резервного копирования',
  remoteHelp: 'Управляет сервером, который уже где-то работает. Нужны его адрес и учётная запись на нём.',
  useRemote: 'Подключиться к серверу',
  importFrom: 'Импортировать подключения…',
};
