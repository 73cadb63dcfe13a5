import type { Translated } from '../../../contract/texts/create-texts.ts';
import type * as en from '../en/files.ts';

export const keychain: Translated<typeof en.keychain> = {
  absent:
    'На этом компьютере нет службы хранения ключей. Сеансы сохраняются, пока Strongroom не закрыт; затем войдите снова.',
  locked:
    'Хранилище ключей этого компьютера заперто. Откройте его и повторите; до этого сеансы не сохраняются.',
  dismissed:
    'Запрос хранилища ключей отклонён. Повторите и разрешите доступ; до этого сеансы не сохраняются.',
  hung: 'Хранилище ключей этого компьютера не отвечает. Сеансы сохраняются, пока Strongroom не закрыт.',
  broken:
    'Хранилищем ключей этого компьютера нельзя пользоваться. Сеансы сохраняются, пока Strongroom не закрыт.',
};

export const files: Translated<typeof en.files> = {
  changedModules:
    'Эти файлы не те, с которыми собрана программа Strongroom: {{files}}. Установите её заново из надёжного источника.',
  notAside: '{{name}} не читается, и отложить его не удалось: {{reason}}',
  restored:
    '{{name}} повреждён ({{reason}}). Используется его последняя исправная копия; повреждённый файл сохранён как {{aside}}.',
  startsEmpty:
    '{{name}} повреждён ({{reason}}), исправной копии нет. Он начинается пустым; повреждённый файл сохранён как {{aside}}.',
  isEmpty: 'он пуст',
  noJson: 'это не JSON',
  newer: 'он от более новой версии Strongroom',
  noSettings: 'в нём нет настроек',
  noConnections: 'в нём нет списка подключений',
  complaint: '{{name}}: {{complaint}}',
  lostConnections: 'Подключений, которые не удалось прочесть и которые пропущены: {{lost}} из {{all}}.',
  settingsTooLarge: 'Настройки стали бы слишком большими.',
  notRead: 'Файл не удалось прочесть: {{reason}}',
  notReadField: 'Не читается',
  noFile: 'это не файл',
  tooLargeBundle: 'он слишком велик для пакета поддержки',
  tooLargeConnections: 'он слишком велик для файла подключений',
  notWritten: '{{path}}: записать не удалось: {{reason}}',
  folderNotOpened: 'Папку {{folder}} не удалось открыть: {{reason}}',
};

export const bundle: Translated<typeof en.bundle> = {
  readOnly: 'Это запись сервера. Изменить ничего нельзя.',
  notRecorded: 'Это не записано. В файле есть то, что открывали до его создания.',
  otherForm: 'Записанное имеет не ту форму, что ожидалась ({{detail}}).',
  noList: 'это не список',
  notOpened: 'Файл нельзя открыть: {{reason}}.',
  foreign: 'это не пакет поддержки Strongroom',
  damaged: 'он повреждён ({{detail}})',
};

export const transfer: Translated<typeof en.transfer> = {
  changed: 'Файл изменился с тех пор, как был показан. Просмотрите его ещё раз.',
  wrongPassphrase: 'С этой парольной фразой файл не открывается. Ничего не импортировано.',
  wrongPassphraseField: 'Не подходит к этому файлу, или файл изменён',
  notImported: 'Файл нельзя импортировать: {{reason}}.',
  noConnections: 'в нём нет подключений Strongroom',
  badEntry: 'подключение {{number}} в нём не читается ({{detail}})',
  badAddress: 'адрес подключения {{number}} в нём: {{reason}}',
  badCertificate: 'у подключения {{number}} в нём вместо сертификата что-то другое',
};
