import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  describeWindow,
  isWithin,
  overlap,
  secondOfDay,
  secondsOf,
} from '../../../backend/features/daily-window.ts';

const within = (start: string | null, end: string | null, time: string) =>
  isWithin({ start, end }, secondsOf(time));

describe('a daily window (case 64)', () => {
  it.each([
    ['21:59:59', false],
    ['22:00:00', true],
    ['23:59:59', true],
    ['00:00:00', true],
    ['03:00:00', true],
    ['05:59:59', true],
    ['06:00:00', false],
    ['12:00:00', false],
  ])('over midnight, 22:00:00–06:00:00, at %s: %s (case 64)', (time, holds) => {
    expect(within('22:00:00', '06:00:00', time)).toBe(holds);
  });

  it('holds from its start up to, not including, its end', () => {
    const at = ['07:59:59', '08:00:00', '17:59:59', '18:00:00'];
    expect(at.map((time) => within('08:00:00', '18:00:00', time))).toEqual([false, true, true, false]);
  });

  it('with start = end, or with neither, is the whole day (case 64)', () => {
    for (const time of ['00:00:00', '08:00:00', '23:59:59']) {
      expect(within('08:00:00', '08:00:00', time)).toBe(true);
      expect(within('00:00:00', '00:00:00', time)).toBe(true);
      expect(within(null, null, time)).toBe(true);
    }
  });

  it('with one end missing begins or ends at midnight', () => {
    expect(['00:00:00', '05:59:59', '06:00:00'].map((time) => within(null, '06:00:00', time))).toEqual([
      true,
      true,
      false,
    ]);
    expect(
      ['21:59:59', '22:00:00', '23:59:59', '00:00:00'].map((time) => within('22:00:00', null, time)),
    ).toEqual([false, true, true, false]);
    expect(within('22:00:00', '00:00:00', '00:00:00')).toBe(false);
    expect(within('00:00:00', null, '12:00:00')).toBe(true);
  });

  it('says itself in words', () => {
    expect(describeWindow({ start: null, end: null })).toBe('all day');
    expect(describeWindow({ start: '08:00:00', end: '08:00:00' })).toBe('all day');
    expect(describeWindow({ start: '22:00:00', end: '06:00:00' })).toBe('from 22:00:00 to 06:00:00');
    expect(describeWindow({ start: null, end: '06:00:00' })).toBe('from 00:00:00 to 06:00:00');
  });

  it('overlaps with another exactly when there is a second that lies in both', () => {
    const hour = fc.option(fc.integer({ min: 0, max: 23 }), { freq: 4 }).map((value) => {
      if (value === null) return null;
      return `${String(value).padStart(2, '0')}:00:00`;
    });
    const window = fc.record({ start: hour, end: hour });
    fc.assert(
      fc.property(window, window, (one, other) => {
        const both = Array.from({ length: 24 }, (_, at) => at * 3600).some(
          (second) => isWithin(one, second) && isWithin(other, second),
        );
        expect(overlap(one, other)).toBe(both);
        expect(overlap(other, one)).toBe(both);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the second of the day', () => {
  const zone = process.env.TZ;
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  it('is what a clock on the wall shows, on a day of 23 and one of 25 hours too (case 64)', () => {
    process.env.TZ = 'Europe/Berlin';
    // 31 March 2030: after 01:59:59 comes 03:00:00.
    const spring = Date.UTC(2030, 2, 31, 1);
    expect(secondOfDay(spring - 1000)).toBe(secondsOf('01:59:59'));
    expect(secondOfDay(spring)).toBe(secondsOf('03:00:00'));
    const skipped = { start: '02:00:00', end: '02:30:00' };
    expect([spring - 1000, spring].map((at) => isWithin(skipped, secondOfDay(at)))).toEqual([false, false]);
    const night = { start: '22:00:00', end: '06:00:00' };
    const sixOClock = spring + 3 * 3_600_000;
    expect([spring, sixOClock - 1000, sixOClock].map((at) => isWithin(night, secondOfDay(at)))).toEqual([
      true,
      true,
      false,
    ]);
    // 27 October 2030: 02:00:00 to 02:59:59 comes twice.
    const autumn = Date.UTC(2030, 9, 27, 0, 30);
    expect([autumn, autumn + 3_600_000].map(secondOfDay)).toEqual([
      secondsOf('02:30:00'),
      secondsOf('02:30:00'),
    ]);
  });
});
