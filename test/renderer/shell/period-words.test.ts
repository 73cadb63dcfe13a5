import { expect, test } from 'vitest';
import { createTexts } from '../../../contract/texts/create-texts.ts';
import { periodWords } from '../../../renderer/shell/period-words.ts';
import { en } from '../../../renderer/texts/en/index.ts';
import { ru } from '../../../renderer/texts/ru/index.ts';

test('how long a copy is kept is said in words, and what is no duration stays as it is', () => {
  expect(['1 month', '2 week', '3 years', '90 days'].map(periodWords)).toEqual([
    '1 month',
    '2 weeks',
    '3 years',
    '90 days',
  ]);
  expect(periodWords('until the move')).toBe('until the move');
});

test('Russian has a form of each unit for each kind of number', () => {
  const { t } = createTexts({ language: 'ru', en, ru });
  const units = ['day', 'week', 'month', 'year'] as const;
  const forms = [1, 3, 5].map((count) =>
    units.map((unit) => t(`common.periods.${unit}`, { count })).join(', '),
  );
  expect(forms).toEqual([
    '1 день, 1 неделя, 1 месяц, 1 год',
    '3 дня, 3 недели, 3 месяца, 3 года',
    '5 дней, 5 недель, 5 месяцев, 5 лет',
  ]);
});
