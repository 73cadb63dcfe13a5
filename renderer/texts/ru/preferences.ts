import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { preferences as en } from '../en/preferences.ts';

export const preferences: Translated<typeof en> = {
  title: 'Настройки',
  save: 'Сохранить',
  theme: 'Тема',
  themes: { system: 'Как в системе', light: 'Светлая', dark: 'Тёмная' },
  language: 'Язык',
  languages: { system: 'Как в системе', en: 'English', ru: 'Русский' },
  density: 'Плотность таблиц',
  densities: { compact: 'Высокая', normal: 'Обычная', comfortable: 'Свободная' },
  clock: 'Часы',
  clocks: { '24': '24 часа, 14:30', '12': '12 часов, 2:30 PM' },
  localTimes: 'Время сервера из другого часового пояса',
  localTimesChoices: {
    tooltip: 'Время этого компьютера — в подсказке',
    beside: 'Время этого компьютера — рядом',
  },
  localTimesHelp: 'Часовой пояс сервера задаётся в его подключении командой «Изменить…».',
  notices: 'Уведомлять на рабочем столе',
  noticeKinds: {
    taskFailed: 'когда задача завершилась с ошибкой',
    runOverdue: 'когда запуск просрочен',
    poolNearlyFull: 'когда пул почти заполнен',
    serverUnreachable: 'когда связь с сервером потеряна',
  },
  close: 'При закрытии окна',
  closing: { ask: 'Спрашивать', background: 'Продолжать в фоне', quit: 'Завершать программу' },
  lookForUpdates: 'Раз в день искать новые версии',
  updateFeed: 'Адрес новых версий',
  updateFeedHelp:
    'Адрес https. Пока поиск выключен, запросов в сеть нет; сама собой программа не обновляется.',
  closeHelp: 'Этот рабочий стол не показывает значки программ, работающих в фоне.',
};
