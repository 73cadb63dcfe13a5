import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { mediaServers as en } from '../en/media-servers.ts';

export const mediaServers: Translated<typeof en> = {
  title: 'Медиасерверы',
  actions: 'Действия с медиасерверами',
  none: 'Медиасерверов нет.',
  state: 'Состояние',
  online: 'в сети',
  offline: 'не в сети',
  role: 'Роль',
  roles: { primary: 'основной', reserve: 'резервный', media: 'дополнительный' },
  address: 'Адрес',
  pools: 'Пулы',
  activeTasks: 'Активные задачи',
  version: 'Версия',
  details: 'Сведения о медиасервере',
  editTitle: 'Изменить медиасервер {{name}}',
  saved: 'Медиасервер {{name}}',
  deleteTitle: 'Удалить медиасерверы',
  selectOne: 'Выберите один сервер',
  selectFirst: 'Сначала выберите сервер',
};
