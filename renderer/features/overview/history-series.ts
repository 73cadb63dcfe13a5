import type { Statistics } from '../../../contract/statistics/statistics.ts';
import type { Meaning } from '../../ui/index.ts';

/** Bytes a second, on average over the tasks that ended on the day; null where none worked. */
export function speedsOf({ days, throughput }: Statistics): readonly (number | null)[] {
  return days.map((_, day) => {
    const bytes = throughput.bytes[day] ?? 0;
    const seconds = throughput.seconds[day] ?? 0;
    return bytes > 0 && seconds > 0 ? bytes / seconds : null;
  });
}

/** Bytes in all pools at the end of each day; null throughout when there never was any. */
export function storedOf({ days, stored_bytes }: Statistics): readonly (number | null)[] {
  const sums = days.map((_, day) => stored_bytes.reduce((sum, pool) => sum + (pool.bytes[day] ?? 0), 0));
  return sums.some((sum) => sum > 0) ? sums : sums.map(() => null);
}

/** How tasks ended: rows of the calendar. Statuses that are not known count as `other`, which is there only when needed. */
export interface Outcome {
  readonly id: 'done' | 'failed' | 'stopped' | 'other';
  readonly meaning: Meaning;
  readonly counts: readonly number[];
}

const statusesOf = {
  done: ['done'],
  failed: ['error', 'broken'],
  stopped: ['killed', 'obsoleted'],
} as const;
const meanings = { done: 'ok', failed: 'error', stopped: 'idle', other: 'idle' } as const;

export function outcomesOf({ days, tasks }: Statistics): readonly Outcome[] {
  const known: ReadonlySet<string> = new Set(Object.values(statusesOf).flat());
  const countsOf = (isOf: (status: string) => boolean): readonly number[] =>
    days.map((_, day) =>
      tasks.filter(({ status }) => isOf(status)).reduce((sum, { counts }) => sum + (counts[day] ?? 0), 0),
    );
  const row = (id: Outcome['id'], counts: readonly number[]): Outcome => ({
    id,
    meaning: meanings[id],
    counts,
  });
  const other = countsOf((status) => !known.has(status));
  return [
    ...(['done', 'failed', 'stopped'] as const).map((id) => {
      const statuses: readonly string[] = statusesOf[id];
      return row(
        id,
        countsOf((status) => statuses.includes(status)),
      );
    }),
    ...(other.some((count) => count > 0) ? [row('other', other)] : []),
  ];
}
