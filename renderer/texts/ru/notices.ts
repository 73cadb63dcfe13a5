import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { notices as en } from '../en/notices.ts';

export const notices: Translated<typeof en> = {
  dismiss: 'Скрыть',
  settingsNotKept: 'Настройки не удалось сохранить: {{reason}}',
  tryAgain: 'Повторить',
  openLogs: 'Открыть журналы',
  signIn: 'Войти',
  openUpdate: 'Открыть',
  title: 'Уведомления',
  unread_one: 'Уведомления, {{count, number}} непрочитанное',
  unread_few: 'Уведомления, {{count, number}} непрочитанных',
  unread_many: 'Уведомления, {{count, number}} непрочитанных',
  markRead: 'Прочитано',
  markAllRead: 'Прочитать все',
  nothingUnread: 'Все уведомления прочитаны',
  isUnread: 'Не прочитано: ',
  empty: 'С открытия окна уведомлений не было.',
  show: 'Показать',
};
