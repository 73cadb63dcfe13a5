import { expect, test } from 'vitest';
import { retentionReason } from '../../../renderer/features/copies/retention-reason.ts';

const until = '2027-01-01T10:00:00.250';
const because = (rule: string, reason: string, goes: string | null = null) =>
  retentionReason({ rule, reason, store_until: until, goes });

test('a reason shows its times as all others are shown, in the zone of the server', () => {
  expect(because('not_expired', `It is kept until ${until}.`)).toBe('It is kept until 2027-01-01 10:00:00.');
  expect(because('expired', `Its time is over at ${until}.`, until)).toBe(
    'Its time is over at 2027-01-01 10:00:00.',
  );
});

test('a copy without a time of its own is over when it goes', () => {
  const reason = { rule: 'expired', reason: 'x', store_until: null, goes: '2028-02-03T04:05:06' };
  expect(retentionReason(reason)).toBe('Its time is over at 2028-02-03 04:05:06.');
});

test('what only the server knows stays in its words', () => {
  const depends = 'Its time is over, but the last copy of rule 5 is kept.';
  expect(because('last_copy_of_rule', depends)).toBe(depends);
  expect(because('constructor', 'Held back until 2030-01-02T03:04, says the court.')).toBe(
    'Held back until 2030-01-02 03:04, says the court.',
  );
});
