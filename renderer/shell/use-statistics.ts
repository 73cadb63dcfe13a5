import { useMemo } from 'react';
import type { Statistics } from '../../contract/statistics/statistics.ts';
import { call } from '../bridge.ts';
import { useExtension, useRights } from './rights.ts';
import { type Answer, useAnswer, type Watch } from './use-answer.ts';

export interface StatisticsAnswer<T> extends Answer<T> {
  /** Why there is nothing to show: the server keeps no statistics, or the account may not see them. */
  readonly missing: 'extension' | 'right' | null;
}

/** What a server tells of its last days (`days` counts today), as `read` takes it; `read` and `watch` stay the same ones. */
export function useStatistics<T>(
  connectionId: string,
  days: number,
  read: (told: Statistics) => T,
  watch: Watch,
): StatisticsAnswer<T> {
  const isThere = useExtension(connectionId, 'statistics');
  const isAllowed = useRights(connectionId)('statistics.read') === null;
  const isAsked = isThere && isAllowed;
  const load = useMemo(
    () =>
      isAsked
        ? async (signal: AbortSignal) =>
            read(await call(connectionId, 'statistics.get', { query: { days } }, signal))
        : null,
    [connectionId, isAsked, days, read],
  );
  const answer = useAnswer(connectionId, load, watch);
  if (!isThere) return { ...answer, missing: 'extension' };
  return { ...answer, missing: isAllowed ? null : 'right' };
}
