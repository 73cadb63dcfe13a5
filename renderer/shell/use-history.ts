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
        ? (signal: AbortSignal) => call(connectionId, 'statistics.get', { query: { days } }, signal)
        : null,
    [connectionId, isAsked, days],
  );
  const answer = useAnswer(connectionId, load, watch);
  if (!isThere) return { ...answer, missing: 'extension' };
  return { ...answer, missing: isAllowed ? null : 'right' };
}
