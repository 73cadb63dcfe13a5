import { afterEach, describe, expect, it } from 'vitest';
import { isInDailyWindow } from '../../../backend/features/configuration/cleaning-rules.ts';

describe('the service window', () => {
  const zone = process.env.TZ;
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  const night = (nowMs: number) => isInDailyWindow('22:00:00', '06:00:00', nowMs);

  it.each([
    ['21:59:59', false],
    ['22:00:00', true],
    ['03:00:00', true],
    ['05:59:59', true],
    ['06:00:00', false],
  ])('from 22:00:00 to 06:00:00 at %s: %s (case 64)', (time, isInside) => {
    expect(night(new Date(`2030-01-15T${time}`).getTime())).toBe(isInside);
  });

  it('with equal ends is the whole day (case 64)', () => {
    for (const hour of [0, 6, 12, 23]) {
      expect(isInDailyWindow('06:00:00', '06:00:00', new Date(2030, 0, 15, hour).getTime())).toBe(true);
    }
  });

  it('goes by the wall clock on a day of 23 hours and one of 25 (case 64)', () => {
    process.env.TZ = 'Europe/Paris';
    // Eight hours of wall time: seven that pass in spring, nine in autumn.
    for (const [startMs, hours] of [
      [Date.UTC(2030, 2, 30, 21), 7],
      [Date.UTC(2030, 9, 26, 20), 9],
    ] as const) {
      const seconds = [-1, 0, hours * 3600 - 1, hours * 3600];
      expect(seconds.map((second) => night(startMs + second * 1000))).toEqual([false, true, true, false]);
    }
  });
});
