import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { ui as en } from '../en/ui.ts';

export const ui: Translated<typeof en> = {
  units: { B: 'Б', KiB: 'КиБ', MiB: 'МиБ', GiB: 'ГиБ', TiB: 'ТиБ', PiB: 'ПиБ' },
  decimalMark: ',',
  durations: {
    s: '{{s}} с',
    min: '{{min}} мин',
    h: '{{h}} ч',
    minS: '{{min}} мин {{s}} с',
    hMin: '{{h}} ч {{min}} мин',
    dH: '{{d}} д {{h}} ч',
  },
  relative: { now: 'сейчас', ago: '{{time}} назад', ahead: 'через {{time}}' },
  search: 'Поиск',
  working: 'Выполняется…',
  loading: 'Загрузка',
  states: {
    since: 'С {{time}}.',
    stale: 'Данные не обновлялись с {{time}}. {{reason}}',
    nextTry: 'Следующая попытка через {{time}}.',
    nextTryNow: 'Следующая попытка — сейчас.',
  },
  // Servers speak English: their reason cannot be a part of a Russian sentence.
  fieldReason: '{{label}}: {{reason}}',
  log: {
    isEmpty: 'Журнал пуст.',
    firstError: 'Первая ошибка',
    copyAll: 'Копировать всё',
    copyLine: 'Копировать строку',
    levels: { error: 'ошибка', warning: 'предупреждение', info: 'сведения', debug: 'отладка' },
  },
  grid: {
    orderChanged: 'Порядок строк изменился',
    newRows_one: '{{count, number}} новая строка',
    newRows_few: '{{count, number}} новые строки',
    newRows_many: '{{count, number}} новых строк',
    show: 'Показать',
    chooseColumns: 'Выбрать столбцы',
    asMade: 'Вернуть исходный вид',
    rowMenu: 'Меню: {{table}}',
    columnMenu: 'Столбец «{{column}}»',
    sortUp: 'По возрастанию',
    sortDown: 'По убыванию',
    moveLeft: 'Сдвинуть влево',
    moveRight: 'Сдвинуть вправо',
    hide: 'Скрыть столбец',
    firstStays: 'Первый столбец называет строку и остаётся на месте',
    cannotSort: 'Сервер не умеет сортировать по этому столбцу',
    isFirst: 'Это первый из столбцов, которые можно сдвинуть',
    isLast: 'Это последний столбец',
  },
};
