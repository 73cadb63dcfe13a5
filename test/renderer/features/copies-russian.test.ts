import { beforeAll, expect, test, vi } from 'vitest';
import { copy } from './rows.ts';

type CopyTexts = typeof import('../../../renderer/features/copies/copy-texts.ts');
type Reasons = typeof import('../../../renderer/features/copies/retention-reason.ts');
type TransferTexts = typeof import('../../../renderer/features/copies/transfer-texts.ts');
let texts: CopyTexts & Reasons & TransferTexts;

beforeAll(async () => {
  // The language is the page's, so it has to stand there before the texts are read.
  document.documentElement.lang = 'ru';
  vi.resetModules();
  texts = {
    ...(await import('../../../renderer/features/copies/copy-texts.ts')),
    ...(await import('../../../renderer/features/copies/retention-reason.ts')),
    ...(await import('../../../renderer/features/copies/transfer-texts.ts')),
  };
  return () => {
    document.documentElement.lang = 'en';
    vi.resetModules();
  };
});

test('both counts of a chain have the form of their own number', () => {
  expect(texts.chainText(0, 0)).toBe('Это полная копия, и другим копиям она не нужна.');
  expect(texts.chainText(2, 1)).toBe('Для неё нужны 2 копии; она нужна 1 копии.');
  expect(texts.chainText(21, 5)).toBe('Для неё нужна 21 копия; она нужна 5 копиям.');
  expect(texts.chainText(0, 3)).toBe('Это полная копия; она нужна 3 копиям.');
});

test('a deletion counts what goes and what cannot be looked at', () => {
  expect(texts.totalText(1, '2 КиБ', 0)).toBe('Удаляется 1 копия, освобождается 2 КиБ.');
  expect(texts.totalText(5, '2 КиБ', 2)).toBe(
    'Удаляются 5 копий, освобождается 2 КиБ и место копий, которые нельзя посмотреть (2 копии).',
  );
});

test('a name with a placeholder in it stays what it is', () => {
  const loss = {
    resource: '/srv/{{client}}',
    client: '$t(common.save)',
    isAllGone: true,
    unknownBecause: null,
  };
  expect(texts.lossText(loss)).toBe(
    'Не останется ни одной копии /srv/{{client}} клиента $t(common.save). Восстановить его будет нельзя.',
  );
});

test('a reason that the window knows is Russian, one that only the server knows stays in its words', () => {
  const times = { store_until: '2027-01-01T10:00:00', goes: null };
  expect(texts.retentionReason({ rule: 'not_expired', reason: 'x', ...times })).toBe(
    'Хранится до 2027-01-01 10:00:00.',
  );
  const own = 'Its time is over, but the last copy of rule 5 is kept.';
  expect(texts.retentionReason({ rule: 'last_copy_of_rule', reason: own, ...times })).toBe(own);
});

test('what becomes of a copy, or why it stays, has the form of its number', () => {
  const part = copy(3, { backup_type: 'incremental', chain_id: 1 });
  expect(texts.obstacleText('notFull', part, 0)).toBe(
    'Остаётся: она инкрементальная. Переносятся только полные копии; в её цепочке это копия 1.',
  );
  expect(texts.obstacleText('hasDependants', copy(1), 2)).toBe(
    'Остаётся: на неё опираются 2 копии. Её можно копировать, но не перемещать.',
  );
  expect(texts.outcomeText('copy', copy(1), 'a\u202E{{bytes}}', 5)).toBe(
    'В a\\u202e{{bytes}} появится новая копия (2,00 КиБ); эта останется. С ней останутся 5 копий, которые на неё опираются.',
  );
});
