import { expect, it } from 'vitest';
import { isCleaningDue } from '../../../backend/features/tape-libraries/cleaning-rules.ts';

const day = 86_400_000;
const cleaned = 100 * day;
const used = { cleaningFromMs: cleaned, alertsMs: cleaned + day };

it.each([
  ['the period is over to the moment', used, 30, cleaned + 30 * day, true],
  ['the period is not over', used, 30, cleaned + 30 * day - 1, false],
  ['there is no schedule', used, 0, cleaned + 1000 * day, false],
  [
    'the drive has done nothing since',
    { cleaningFromMs: cleaned, alertsMs: cleaned },
    30,
    cleaned + 90 * day,
    false,
  ],
  ['the drive was never used', { cleaningFromMs: null, alertsMs: null }, 30, cleaned, false],
])('when %s', (_when, drive, days, nowMs, isDue) => {
  expect(isCleaningDue(drive, days, nowMs)).toBe(isDue);
});
