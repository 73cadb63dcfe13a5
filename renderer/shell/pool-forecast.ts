import type { Pool } from '../../contract/pools/pool.ts';

/** The least that is looked at: two weeks, so that one full backup a week shows as growth, not as a leap. */
export const neededDays = 14;
/** What happened longer ago says little of what comes. */
const recentDays = 30;
const weekDays = 7;
/** Further ahead a date would be a guess. */
const mostDaysAhead = 730;

/**
 * - `full`: at this pace nothing is free on `day`
 * - `far`: it grows, and is not full within two years
 * - `steady`: it does not grow
 * - `short`: there are only `days` complete days of history
 */
export type Forecast =
  | { readonly kind: 'full'; readonly day: string; readonly bytesPerDay: number }
  | { readonly kind: 'far'; readonly bytesPerDay: number }
  | { readonly kind: 'steady' }
  | { readonly kind: 'short'; readonly days: number };

/** What a server tells of a pool's past: days as `2030-01-31`, oldest first, and bytes at the end of each. */
export interface PoolHistory {
  readonly days: readonly string[];
  readonly bytes: readonly number[];
}

/**
 * When a pool will be full. The pace is the median of what was added from a day to the same weekday of a later week, over
 * the last 30 complete days (the slope of Theil and Sen, by weekday): a weekly full backup, one huge copy and one clean-up
 * do not bend it. Today still goes on and does not count; nor do the days before the first copy. What is free now is divided
 * by that pace, so what others keep on the same disks is taken as it is. Null: the pool takes no part in space.
 */
export function forecastOf(
  pool: Pick<Pool, 'total_space' | 'free_space'>,
  history: PoolHistory,
): Forecast | null {
  const today = history.days.at(-1);
  if (!(pool.total_space > 0) || today === undefined) return null;
  const complete = history.bytes.slice(0, -1);
  const first = complete.findIndex((bytes) => bytes > 0);
  const known = first === -1 ? [] : complete.slice(first).slice(-recentDays);
  if (known.length < neededDays) return { kind: 'short', days: known.length };
  const bytesPerDay = medianPace(known);
  if (!(bytesPerDay > 0)) return { kind: 'steady' };
  const daysLeft = Math.ceil(Math.max(0, pool.free_space) / bytesPerDay);
  if (daysLeft > mostDaysAhead) return { kind: 'far', bytesPerDay };
  return { kind: 'full', day: dayAfter(today, daysLeft), bytesPerDay };
}

function medianPace(bytes: readonly number[]): number {
  const paces: number[] = [];
  for (const [from, start] of bytes.entries()) {
    for (let to = from + weekDays; to < bytes.length; to += weekDays) {
      paces.push(((bytes[to] ?? start) - start) / (to - from));
    }
  }
  paces.sort((a, b) => a - b);
  const middle = paces.length / 2;
  return ((paces[Math.ceil(middle) - 1] ?? 0) + (paces[Math.floor(middle)] ?? 0)) / 2;
}

const dayMs = 86_400_000;

/** `2030-01-31` and 1 day: `2030-02-01`. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}
