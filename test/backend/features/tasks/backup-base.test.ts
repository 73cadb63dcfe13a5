import { expect, it } from 'vitest';
import type { FoundBase } from '../../../../backend/features/repository/copy-service.ts';
import { whyBaseIsGone } from '../../../../backend/features/tasks/backup-base.ts';

const copies = [
  { storagePath: '/near', copyId: 'full' },
  { storagePath: '/near', copyId: 'next' },
];
const task = {} as Parameters<typeof whyBaseIsGone>[1];
const why = (found: FoundBase | null, used = copies) =>
  whyBaseIsGone({ findBase: async () => found }, task, { copies: used, referenceId: 7 });

it('a backup is made anew when what it builds on was moved or deleted after it had begun, and for no other reason', async () => {
  expect(await why({ id: 7, copies })).toBeNull();
  // Of a copy of blocks only the last one is looked at.
  expect(await why({ id: 7, copies }, copies.slice(1))).toBeNull();
  expect(await whyBaseIsGone({ findBase: async () => null }, task, null)).toBeNull();
  const gone = 'Copy 7, on which this one builds, was moved or deleted meanwhile.';
  expect(await why(null)).toBe(gone);
  expect(await why({ id: 5, copies: copies.slice(0, 1) })).toBe(gone);
  const moved = copies.map(({ copyId }) => ({ storagePath: '/far', copyId }));
  expect(await why({ id: 7, copies: moved })).toBe(gone);
});
