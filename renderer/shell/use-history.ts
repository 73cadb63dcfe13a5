import type { Statistics } from '../../contract/statistics/statistics.ts';
import { type StatisticsAnswer, useStatistics } from './use-statistics.ts';

const watch = { kinds: ['task', 'repository', 'pool'], pollMs: 300_000, settleMs: 10_000 } as const;

export type History = StatisticsAnswer<Statistics>;

/** What a server tells of its last days. `days` counts today. */
export function useHistory(connectionId: string, days: number): History {
  return useStatistics(connectionId, days, wholeHistory, watch);
}

/** Servers leave out what they have not got: every series is there, as long as the days, or empty. */
export function wholeHistory(told: Statistics): Statistics {
  const days = told.days ?? [];
  const filled = (values: readonly number[] | null | undefined) => days.map((_, day) => values?.[day] ?? 0);
  return {
    ...told,
    days,
    stored_bytes: (told.stored_bytes ?? []).map((pool) => ({ ...pool, bytes: filled(pool.bytes) })),
    tasks: (told.tasks ?? []).map((tasks) => ({ ...tasks, counts: filled(tasks.counts) })),
    throughput: { bytes: filled(told.throughput?.bytes), seconds: filled(told.throughput?.seconds) },
  };
}
