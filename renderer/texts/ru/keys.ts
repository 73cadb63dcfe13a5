import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { keys as en } from '../en/keys.ts';

export const keys: Translated<typeof en> = {
  title: 'Сочетания клавиш',
  space: 'Пробел',
  menuKey: 'Shift+F10, клавиша меню',
  meanings: {
    palette: 'Перейти куда угодно',
    search: 'Искать в списке',
    move: 'Перемещаться по списку или дереву',
    moveInList: 'Перемещаться по списку; в дереве буквы находят имена',
    select: 'Выделить или отметить',
    range: 'Выделить диапазон',
    all: 'Выделить всё загруженное',
    open: 'Открыть',
    close: 'Закрыть',
    history: 'Назад, вперёд',
    tasks: 'Перезапустить, приостановить выделенные задачи',
    menu: 'Что можно сделать со строкой или столбцом',
    reload: 'Загрузить заново',
    preferences: 'Настройки',
    sheet: 'Эта памятка',
  },
};
