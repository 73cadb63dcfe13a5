import { describe, expect, it } from 'vitest';
import { dayAfter, forecastOf } from '../../../renderer/shell/pool-forecast.ts';

const gib = 2 ** 30;
const pool = { total_space: 1000 * gib, free_space: 100 * gib };

/** Complete days as told, and today, which still goes on, with nothing. */
function history(bytes: readonly number[]) {
  const days = [...bytes, 0].map((_, index) => dayAfter('2030-01-01', index));
  return { days, bytes: [...bytes, 0] };
}
const lasting = (days: number, bytes: (day: number) => number) =>
  history(Array.from({ length: days }, (_, day) => bytes(day)));

describe('the forecast of a pool', () => {
  it('divides what is free by the daily growth', () => {
    // 30 complete days, so today is 2030-01-31.
    expect(
      forecastOf(
        pool,
        lasting(30, (day) => (50 + day * 2) * gib),
      ),
    ).toEqual({
      kind: 'full',
      day: '2030-03-22',
      bytesPerDay: 2 * gib,
    });
  });

  it('takes no weekly full backup for a leap', () => {
    const weekly = lasting(30, (day) => (50 + Math.floor(day / 7) * 70) * gib);
    expect(forecastOf(pool, weekly)).toMatchObject({ kind: 'full', bytesPerDay: 10 * gib });
  });

  it('is not bent by one huge copy or one clean-up', () => {
    const cleaned = lasting(30, (day) => (500 + day * 2 - (day > 26 ? 300 : 0)) * gib);
    expect(forecastOf(pool, cleaned)).toMatchObject({ bytesPerDay: 2 * gib });
    const huge = lasting(30, (day) => (50 + day * 2 + (day > 26 ? 300 : 0)) * gib);
    expect(forecastOf(pool, huge)).toMatchObject({ bytesPerDay: 2 * gib });
  });

  it('looks at the last 30 days only', () => {
    const calm = lasting(90, (day) => (day < 60 ? day * 10 : 600) * gib);
    expect(forecastOf(pool, calm)).toEqual({ kind: 'steady' });
  });

  it('is none while the history is short, however long the pool was empty before', () => {
    expect(
      forecastOf(
        pool,
        lasting(13, (day) => (1 + day) * gib),
      ),
    ).toEqual({ kind: 'short', days: 13 });
    const young = lasting(30, (day) => Math.max(0, day - 20) * gib);
    expect(forecastOf(pool, young)).toEqual({ kind: 'short', days: 9 });
    expect(
      forecastOf(
        pool,
        lasting(30, () => 0),
      ),
    ).toEqual({ kind: 'short', days: 0 });
    expect(
      forecastOf(
        pool,
        lasting(14, (day) => (1 + day) * gib),
      ),
    ).toMatchObject({ kind: 'full' });
  });

  it('is none when the pool does not grow', () => {
    expect(
      forecastOf(
        pool,
        lasting(30, (day) => (100 - day) * gib),
      ),
    ).toEqual({ kind: 'steady' });
    expect(
      forecastOf(
        pool,
        lasting(30, () => 100 * gib),
      ),
    ).toEqual({ kind: 'steady' });
  });

  it('names no day beyond two years, and today when nothing is free', () => {
    expect(
      forecastOf(
        pool,
        lasting(30, (day) => gib + day * 1000),
      ),
    ).toEqual({
      kind: 'far',
      bytesPerDay: 1000,
    });
    const full = { ...pool, free_space: 0 };
    expect(
      forecastOf(
        full,
        lasting(30, (day) => day * gib + gib),
      ),
    ).toMatchObject({ day: '2030-01-31' });
  });

  it('is nothing for a pool that takes no part in space, or without any day', () => {
    expect(
      forecastOf(
        { total_space: 0, free_space: 0 },
        lasting(30, (day) => day * gib),
      ),
    ).toBeNull();
    expect(forecastOf(pool, { days: [], bytes: [] })).toBeNull();
  });
});
