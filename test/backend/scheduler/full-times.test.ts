import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { nextDueMs } from '../../../backend/features/scheduler/due-runs.ts';
import { fullTimes } from '../../../backend/features/scheduler/full-times.ts';

const strategy = (full: string | null, more: object = {}) => ({
  enabled: 1,
  full_schedule: full,
  incremental_schedule: '* * * * *',
  differential_schedule: null,
  time_zone: 'Europe/Paris',
  valid_from_ms: null,
  valid_until_ms: null,
  ...more,
});
/** The day on which the clocks of Paris are set forward. */
const sundayMs = Date.UTC(2030, 2, 31);
const minuteMs = 60_000;

describe('whether a full copy falls due at a moment', () => {
  it('is answered as by looking at each moment anew, in whatever order they come, through a change of the clocks', () => {
    const some = ['30 2 * * *', '0 0 * * 0', '*/20 * * * *', '15 3 31 3 *', null];
    const rows = fc.array(
      fc
        .tuple(fc.constantFrom(...some), fc.constantFrom(0, 1))
        .map(([full, enabled]) => strategy(full, { enabled })),
      { maxLength: 4 },
    );
    const moments = fc.array(fc.integer({ min: -600, max: 600 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(rows, moments, (strategies, minutes) => {
        const isDue = fullTimes(strategies);
        for (const minute of minutes) {
          const atMs = sundayMs + minute * minuteMs;
          const alone = strategies.some((one) => fullTimes([one])(atMs));
          expect(isDue(atMs)).toBe(alone);
        }
      }),
      { numRuns: 25 },
    );
    expect(fullTimes([strategy('30 2 * * *')])(Date.UTC(2030, 2, 31, 1))).toBe(true);
    expect(fullTimes([strategy('30 2 * * *', { enabled: 0 })])(Date.UTC(2030, 2, 31, 1))).toBe(false);
  });

  it('is worked out once for each strategy and the time up to its next full copy, however many moments are asked about', () => {
    const next = vi.fn(nextDueMs);
    const isDue = fullTimes(
      Array.from({ length: 20 }, () => strategy('0 5 * * 0')),
      next,
    );
    for (let at = 0; at < 169; at += 1) {
      const minute = 1 + ((at * 37) % 169);
      expect(isDue(sundayMs + minute * minuteMs)).toBe(false);
    }
    expect(isDue(sundayMs + 180 * minuteMs)).toBe(true);
    expect(next).toHaveBeenCalledTimes(20);
  });
});
