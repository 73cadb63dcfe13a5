import { expect, it } from 'vitest';
import { mediaSets } from '../../../backend/features/tape-libraries/media-sets.ts';

const sets = (...copies: readonly (readonly number[])[]) =>
  Object.fromEntries(
    mediaSets(
      copies.flatMap((ids, copy) => ids.map((cartridgeId) => ({ cartridgeId, copyUuid: `copy ${copy}` }))),
    ),
  );

it('cartridges belong together where a copy goes on from one to another, also over a third', () => {
  expect(sets()).toEqual({});
  expect(sets([1], [1], [2])).toEqual({});
  expect(sets([2, 1], [3], [5, 4])).toEqual({ 1: [1, 2], 2: [1, 2], 4: [4, 5], 5: [4, 5] });
  const all = [1, 2, 3, 4];
  expect(sets([1, 2], [3, 4], [2, 3])).toEqual({ 1: all, 2: all, 3: all, 4: all });
});
