import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { auditLog as en } from '../en/audit-log.ts';

export const auditLog: Translated<typeof en> = {
  title: 'Журнал аудита',
  actions: 'Действия с журналом аудита',
  none: 'Записей пока нет.',
  time: 'Время',
  user: 'Пользователь',
  action: 'Действие',
  object: 'Объект',
  result: 'Результат',
  from: 'Откуда',
  detailsColumn: 'Подробности',
  details: 'Сведения о записи',
  resultAndStatus: '{{result}} ({{status}})',
  results: {
    done: 'выполнено',
    partlyDone: 'частично',
    notLetIn: 'вход не выполнен',
    noRight: 'нет прав',
    failed: 'сбой',
    refused: 'отклонено',
  },
};
