import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { pools as en } from '../en/pools.ts';

export const pools: Translated<typeof en> = {
  title: 'Пулы',
  empty: 'Пулов нет. Чтобы хранить копии, нужен пул.',
  actions: 'Действия с пулом',
  details: 'Сведения о пуле',
  newPool: 'Новый пул',
  named: 'Пул {{name}}',
  types: {
    'File system': 'Файловая система',
    'Tape library': 'Ленточная библиотека',
    Cloud: 'Облако',
    'Block device': 'Блочное устройство',
    'Client defined': 'Определяется клиентом',
  },
  compressions: { None: 'Нет', Fast: 'Быстрое', Optimal: 'Оптимальное', Best: 'Наилучшее' },
  columns: {
    used: 'Занято',
    free: 'Свободно',
    copies: 'Копии',
    storages: 'Хранилища',
    compression: 'Сжатие',
    retention: 'Срок хранения',
    mediaServer: 'Медиасервер',
  },
  usedOf: 'Занято в пуле {{pool}}',
  spaceOf: '{{used}} из {{total}}',
  facts: {
    blocks: 'Блоки',
    metadata: 'Метаданные в пуле',
    spaceCheck: 'Проверка места',
    ignored: 'не выполняется',
    waits: 'копирование ждёт места',
    setAndScratch: '{{name}} и пустые картриджи без набора',
  },
  form: {
    sections: { format: 'Как хранятся данные', keeping: 'Срок хранения и место' },
    newTitle: 'Новый пул',
    create: 'Создать пул',
    newSummary: 'Чтобы записывать в пул копии, добавьте в него хранилище.',
    editTitle: 'Изменить пул {{name}}',
    metadataPool: 'Пул для метаданных',
    metadataPoolHelp:
      'Пул типа «Файловая система» на том же медиасервере; в нём хранится, чему принадлежат блоки.',
    moveMetadata: 'Переместить и метаданные имеющихся копий',
    moveMetadataHelp:
      'Они перейдут в пул, указанный выше, — копия за копией, не мешая другой работе. Иначе они останутся там, где лежат.',
    retentionHelp:
      'Сколько хранить копии, если не указано иное: число и day, week, month или year. Пусто — без срока по умолчанию.',
    ignoreSpace: 'Начинать копирование, даже если места может не хватить',
    blockSize: 'Размер блока',
    blockSizeHelp: 'С большими блоками быстрее, с меньшими находится больше одинакового.',
    mediaSet: 'Набор носителей',
    mediaSetHelp:
      'Записываются только картриджи этого набора. Пусто — любой картридж библиотеки. Картриджи включают в набор на вкладке «Картриджи» ленточных библиотек.',
    takesScratch: 'Брать пустые картриджи без набора, когда в наборе нет места',
    takesScratchHelp: 'С этого времени они принадлежат набору.',
    hash: 'Хеш-функция',
    hashBits: '{{algorithm}}, {{bits}} бит',
  },
};
