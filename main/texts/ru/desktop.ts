import type { Translated } from '../../../contract/texts/create-texts.ts';
import type * as en from '../en/desktop.ts';

export const quit: Translated<typeof en.quit> = {
  quit: 'Завершить',
  cancel: 'Отмена',
  background: 'Оставить в фоне',
  tasksRun: 'На этом компьютере выполняются задачи.',
  goesOn: 'Strongroom может продолжить работу в фоне; запустите его снова, чтобы увидеть окно.',
  question_one: 'На этом компьютере выполняется {{count}} задача. Всё равно завершить?',
  question_few: 'На этом компьютере выполняются {{count}} задачи. Всё равно завершить?',
  question_many: 'На этом компьютере выполняется {{count}} задач. Всё равно завершить?',
  more: 'и ещё {{rest}}',
  theyStop: 'Они остановятся в безопасной точке и продолжатся после следующего запуска.',
};

export const sandbox: Translated<typeof en.sandbox> = {
  lost: 'Strongroom запущена без песочницы, которая отделяет присланное серверами от этого компьютера.',
  remedy:
    'Эта система не даёт программам без профиля пространств имён пользователей, которые нужны песочнице, а в AppImage профиля нет. Установите пакет Debian или разрешите пространства имён пользователей и запустите Strongroom снова.',
  startWithout: 'Запустить без песочницы',
};

export const tasks: Translated<typeof en.tasks> = {
  types: {
    backup: 'Резервное копирование',
    restore: 'Восстановление',
    verify: 'Проверка',
    copy: 'Дублирование',
    move: 'Перемещение',
    delete: 'Удаление',
    restore_proof: 'Проверка восстановлением',
    tape_label: 'Маркировка ленты',
    tape_scan: 'Чтение ленты',
  },
  of: '{{type}}: {{resource}}',
};

export const news: Translated<typeof en.news> = {
  lost: 'Связь с {{server}} потеряна',
  noAnswer: 'Сервер больше не отвечает.',
  failed: 'Ошибка задачи на {{server}}',
  failedReason: '{{task}}: {{reason}}',
  overdue: 'Запуск просрочен на {{server}}',
  overdueBody: '{{resource}} клиента {{client}} по стратегии {{strategy}}: {{reason}}',
  full: 'Пул почти заполнен на {{server}}',
  fullBody: '{{pool}}: осталось {{percent}} % места.',
  many: {
    taskFailed: 'Ошибки задач на {{server}}: {{count}}',
    runOverdue: 'Просрочено запусков на {{server}}: {{count}}',
    poolNearlyFull: 'Пулы почти заполнены на {{server}}: {{count}}',
    serverUnreachable: 'Потеряна связь с серверами: {{count}} ({{server}})',
  },
};

export const dialogs: Translated<typeof en.dialogs> = {
  saveBundle: 'Сохранить пакет для поддержки',
  exportConnections: 'Экспорт подключений',
};
