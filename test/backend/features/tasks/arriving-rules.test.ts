import { expect, it } from 'vitest';
import { keptArrival } from '../../../../backend/features/tasks/arriving-rules.ts';
import { taskStatuses } from '../../../../contract/tasks/task-states.ts';

const arriving = { copyUuid: 'target', storageId: 1, from: 'source' };
const dayMs = 86_400_000;
const nowMs = 100 * dayMs;

it('what has arrived is kept for a task that goes on, and for a week after one that was cut off', () => {
  const isKept = (status: string, finishedMs: number | null = null): boolean =>
    keptArrival({ status, finishedMs, source: 'source', arriving }, nowMs) === arriving;
  expect(taskStatuses.filter((status) => !isKept(status))).toEqual([
    'done',
    'obsoleted',
    'error',
    'killed',
    'broken',
  ]);
  expect(isKept('broken', nowMs - 6 * dayMs)).toBe(true);
  expect(isKept('broken', nowMs - 7 * dayMs)).toBe(false);
});

it('nothing is kept that is made from a copy which is gone or is another one by now', () => {
  for (const source of [null, 'another']) {
    expect(keptArrival({ status: 'new', finishedMs: null, source, arriving }, nowMs)).toBeNull();
  }
  expect(
    keptArrival({ status: 'new', finishedMs: null, source: 'source', arriving: null }, nowMs),
  ).toBeNull();
});
