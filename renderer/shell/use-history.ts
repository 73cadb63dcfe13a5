import { useMemo } from 'react';
import type { Statistics } from '../../contract/statistics/statistics.ts';
import { call } from '../bridge.ts';
import { useExtension, useRights } from './rights.ts';
import { type Answer, useAnswer } from './use-answer.ts';

const watch = { kinds: ['task', 'repository', 'pool'], pollMs: 300_000, settleMs: 10_000 } as const;

export interface History extends Answer<Statistics> {
  /** Why there is nothing to show: the server keeps no history, or the account may not see it. */
  readonly missing: 'extension' | 'right' | null;
}

/** What a server tells of its last days. `days` counts today. */
export function useHistory(connectionId: string, days: number): History {
  const isThere = useExtension(connectionId, 'statistics');
  const isAllowed = useRights(connectionId)('statistics.read') === null;
  const isAsked = isThere && isAllowed;
  const load = useMemo(
    () =>
      isAsked
        ? async (signal: AbortSignal) =>
            wholeHistory(await call(connectionId, 'statistics.get', { query: { days } }, signal))
        : null,
    [connectionId, isAsked, days],
  );
  const answer = useAnswer(connectionId, load, watch);
  if (!isThere) return { ...answer, missing: 'extension' };
  return { ...answer, missing: isAllowed ? null : 'right' };
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
