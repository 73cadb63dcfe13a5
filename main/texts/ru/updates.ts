import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { updates as en } from '../en/updates.ts';

export const updates: Translated<typeof en> = {
  there: 'Доступна версия {{version}} Strongroom: {{place}}',
  thereByHand:
    'Доступна версия {{version}} Strongroom: {{place}}. Установите её так же, как установлена эта: сама программа не обновляется.',
  failed: 'Не удалось узнать о новой версии по адресу {{place}}: {{reason}}',
  status: 'сервер ответил {{status}}',
  noFeed: 'там не указана версия',
  feedMissing: 'Укажите адрес, по которому искать новые версии.',
  none: 'Новая версия не найдена.',
};
