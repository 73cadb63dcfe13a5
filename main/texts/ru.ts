import type { Translated } from '../../contract/texts/create-texts.ts';
import type { en } from './en.ts';

export const ru: Translated<typeof en> = {
  menu: {
    file: '&Файл',
    newBackup: 'Новая резервная копия…',
    addConnection: 'Добавить подключение…',
    importConnections: 'Импортировать подключения…',
    exportConnections: 'Экспортировать подключения…',
    openBundle: 'Открыть пакет для поддержки…',
    preferences: 'Настройки…',
    quit: 'Выход',
    edit: '&Правка',
    view: '&Вид',
    palette: 'Перейти куда угодно…',
    search: 'Искать в списке',
    back: 'Назад',
    forward: 'Вперёд',
    reload: 'Загрузить заново',
    help: '&Справка',
    keyboard: 'Клавиатура',
    about: 'О программе Strongroom',
  },
};
