import { expect, test } from 'vitest';
import { overdueReason } from '../../../backend/features/strategy-rules/silence-rules.ts';
import { sayUtcTime } from '../../../backend/platform/wire-time.ts';

const run = { outcome: 'planned', reason: null, task_id: 7, error_message: null };

test('an overdue rule says in words how its task ended', () => {
  const said = (task_status: string) => overdueReason({ ...run, task_status });
  expect(said('error')).toBe('Task 7 failed.');
  expect(said('broken')).toBe('Task 7 broke off.');
  expect(said('killed')).toBe('Task 7 was killed.');
  expect(said('obsoleted')).toBe('Task 7 ended as obsoleted.');
  expect(said('suspended')).toBe(
    'Task 7 was made more than a day ago and has not ended; its status is suspended.',
  );
  expect(overdueReason({ ...run, task_status: 'error', error_message: 'The disk is gone.' })).toBe(
    'Task 7 failed: The disk is gone.',
  );
});

test('a time in a sentence is as people write it, with the second only where there is one', () => {
  expect(sayUtcTime(Date.UTC(2030, 0, 31, 22, 59))).toBe('2030-01-31 22:59 UTC');
  expect(sayUtcTime(Date.UTC(2030, 0, 31, 22, 59, 7))).toBe('2030-01-31 22:59:07 UTC');
});
