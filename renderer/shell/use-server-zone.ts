import { useMemo } from 'react';
import { call } from '../bridge.ts';
import { useExtension } from './rights.ts';
import { useAnswer } from './use-answer.ts';

/** It changes with the host alone. */
const watch = { kinds: [], pollMs: 3_600_000, settleMs: 1000 } as const;

/** The zone that the server runs in; undefined while it is not known, or where the server does not tell. */
export function useServerZone(connectionId: string): string | undefined {
  const isTold = useExtension(connectionId, 'schedule_preview');
  const load = useMemo(
    () =>
      isTold
        ? (signal: AbortSignal) => call(connectionId, 'strategies.preview', { query: {} }, signal)
        : null,
    [connectionId, isTold],
  );
  return useAnswer(connectionId, load, watch).value?.server_time_zone;
}
