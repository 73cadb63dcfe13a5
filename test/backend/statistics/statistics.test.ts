import { describe, expect, it } from 'vitest';
import { endOfDays, localDays } from '../../../backend/features/statistics/statistics-rules.ts';
import { statisticsSuite } from '../../suites/statistics-suite.ts';

const noon = (day: number): number => new Date(2030, 0, day, 12).getTime();

describe('the days of a series', () => {
  it('end today and follow the calendar, also when the clocks change', () => {
    const days = localDays(new Date(2030, 2, 31, 18).getTime(), 3);
    expect(days.map(({ name }) => name)).toEqual(['2030-03-29', '2030-03-30', '2030-03-31']);
    expect(days[0]?.toMs).toBe(days[1]?.fromMs);
    expect(days[2]?.toMs).toBe(new Date(2030, 3, 1).getTime());
  });

  it('show the last value until their end, and 0 before the first', () => {
    const days = localDays(noon(15), 4);
    const at = (day: number, bytes: number) => ({ timeMs: noon(day), bytes });
    expect(endOfDays(days, [at(13, 5), at(13, 7), at(15, 9)])).toEqual([0, 7, 7, 9]);
    expect(endOfDays(days, [at(1, 3)])).toEqual([3, 3, 3, 3]);
    expect(endOfDays(days, [])).toEqual([0, 0, 0, 0]);
  });
});

statisticsSuite('SQLite', async () => ({}));
