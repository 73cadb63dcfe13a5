import { useEffect, useState } from 'react';
import { workingStatuses } from '../../contract/tasks/task-states.ts';
import { call } from '../bridge.ts';
import { type Watched, watchServer } from './watch-server.ts';

const watched: Watched = { kinds: ['task'], settleMs: 2000, pollMs: 30_000, polled: 'always' };
const mostAsked = 50;

export interface Running {
  /** Tasks that are being worked on. */
  readonly count: number;
  /** Of all of them together; null when there are too many to ask each. */
  readonly bytesPerSecond: number | null;
}

/** What of the connection's tasks is being worked on; null while it cannot be told. */
export function useRunning(connectionId: string, isReadable: boolean): Running | null {
  const [running, setRunning] = useState<Running | null>(null);
  useEffect(() => {
    setRunning(null);
    if (!isReadable) return undefined;
    const stop = new AbortController();
    const look = () => {
      lookAtWorking(connectionId, stop.signal).then(
        (found) => !stop.signal.aborted && setRunning(found),
        // The connection's own state tells that it is away; a figure from before would be wrong.
        () => !stop.signal.aborted && setRunning(null),
      );
    };
    look();
    const endWatch = watchServer(connectionId, watched, look);
    return () => {
      stop.abort();
      endWatch();
    };
  }, [connectionId, isReadable]);
  return running;
}

async function lookAtWorking(connectionId: string, signal: AbortSignal): Promise<Running> {
  const answers = await Promise.all(
    // Those that wait are not counted.
    workingStatuses.map((status) =>
      call(connectionId, 'taskQueue.list', { query: { page: 1, limit: mostAsked, status } }, signal),
    ),
  );
  const sum = (figures: readonly number[]) => figures.reduce((whole, figure) => whole + figure, 0);
  const isWhole = answers.every(({ items, total }) => items.length >= total);
  return {
    count: sum(answers.map(({ total }) => total)),
    bytesPerSecond: isWhole ? sum(answers.flatMap(({ items }) => items.map(({ speed }) => speed))) : null,
  };
}
