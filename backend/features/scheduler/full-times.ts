import { type Schedules, schedulesOf, withoutSchedules } from '../strategies/strategy-service.ts';
import { nextDueMs } from './due-runs.ts';

/** As much of a strategy as its full copies go by. */
type FullStrategy = Parameters<typeof schedulesOf>[0] & { readonly enabled: number };

/** A time without a full copy that ends with one, at `nextMs`; its begin is none of it. */
interface Quiet {
  readonly afterMs: number;
  readonly nextMs: number;
}

/**
 * Whether any strategy makes full copies at a moment. Many moments are asked about, and one run takes longer to work out
 * than all comparisons, so of each strategy it is worked out once for the whole time up to a full copy.
 */
export function fullTimes(
  rows: readonly FullStrategy[],
  next: typeof nextDueMs = nextDueMs,
): (timeMs: number) => boolean {
  const strategies = rows
    .filter((row) => row.enabled === 1 && row.full_schedule !== null)
    .map((row) => isDueOf({ ...withoutSchedules(schedulesOf(row)), full: row.full_schedule }, next));
  const known = new Map<number, boolean>();
  return (timeMs) => {
    const before = known.get(timeMs);
    if (before !== undefined) return before;
    const is = strategies.some((isDue) => isDue(timeMs));
    known.set(timeMs, is);
    return is;
  };
}

/** Moments that are asked about mostly lie within a day, in any order. */
const lookBackMs = 86_400_000;

function isDueOf(schedules: Schedules, next: typeof nextDueMs): (timeMs: number) => boolean {
  const quiet: Quiet[] = [];
  const quietAfter = (afterMs: number): Quiet => {
    const one = { afterMs, nextMs: next(schedules, afterMs) ?? Number.POSITIVE_INFINITY };
    quiet.push(one);
    return one;
  };
  return (timeMs) => {
    const known = quiet.find(({ afterMs, nextMs }) => afterMs < timeMs && timeMs <= nextMs);
    if (known !== undefined) return timeMs === known.nextMs;
    let last = quietAfter(timeMs - lookBackMs);
    if (last.nextMs < timeMs) last = quietAfter(last.nextMs);
    // Several a day: those in between are not gone through.
    if (last.nextMs < timeMs) last = quietAfter(timeMs - 1);
    return last.nextMs === timeMs;
  };
}
