import { type Schedules, schedulesOf, withoutSchedules } from '../strategies/strategy-service.ts';
import { nextDueMs } from './due-runs.ts';

/** As much of a strategy as its full copies go by. */
type FullStrategy = Parameters<typeof schedulesOf>[0] & { readonly enabled: number };

/** No full copy falls due after `afterMs` and before `nextMs`, but one does then. */
interface Quiet {
  readonly schedules: Schedules;
  readonly afterMs: number;
  readonly nextMs: number;
}

/**
 * Whether any strategy makes full copies at a moment. Many moments are asked about, and one run takes longer to work out
 * than all comparisons, so of each strategy it is worked out once for the whole time up to its next full copy. Pure but
 * for what it remembers.
 */
export function fullTimes(
  rows: readonly FullStrategy[],
  next: typeof nextDueMs = nextDueMs,
): (timeMs: number) => boolean {
  const quiet: Quiet[] = rows
    .filter((row) => row.enabled === 1 && row.full_schedule !== null)
    .map((row) => {
      const schedules = { ...withoutSchedules(schedulesOf(row)), full: row.full_schedule };
      return { schedules, afterMs: Number.POSITIVE_INFINITY, nextMs: Number.NEGATIVE_INFINITY };
    });
  const known = new Map<number, boolean>();
  const isDue = (timeMs: number, index: number): boolean => {
    const before = quiet[index];
    if (before === undefined) return false;
    if (before.afterMs < timeMs && timeMs <= before.nextMs) return timeMs === before.nextMs;
    const afterMs = timeMs - 1;
    const nextMs = next(before.schedules, afterMs) ?? Number.POSITIVE_INFINITY;
    quiet[index] = { schedules: before.schedules, afterMs, nextMs };
    return nextMs === timeMs;
  };
  return (timeMs) => {
    const before = known.get(timeMs);
    if (before !== undefined) return before;
    const is = quiet.some((_, index) => isDue(timeMs, index));
    known.set(timeMs, is);
    return is;
  };
}
