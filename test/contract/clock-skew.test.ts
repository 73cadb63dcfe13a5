import { expect, test } from 'vitest';
import { judgeSkew } from '../../contract/desktop/clock-skew.ts';

test.each([
  [null, 'none'],
  [0, 'none'],
  [6_000, 'none'],
  [6 * 60_000, 'warning'],
  [-6 * 60_000, 'warning'],
  [8 * 86_400_000, 'noDeletions'],
  [-8 * 86_400_000, 'noDeletions'],
])('clocks that differ by %d ms: %s (case 62)', (skewMs, verdict) => {
  expect(judgeSkew(skewMs)).toBe(verdict);
});
