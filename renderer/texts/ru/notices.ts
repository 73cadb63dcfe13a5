import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { notices as en } from '../en/notices.ts';

export const notices: Translated<typeof en> = {
  dismiss: 'Скрыть',
  settingsNotKept: 'Настройки не удалось сохранить: {{reason}}',
  tryAgain: 'Повторить',
  openLogs: 'Открыть журналы',
  signIn: 'Войти',
};
