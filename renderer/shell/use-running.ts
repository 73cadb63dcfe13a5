import { useEffect, useState } from 'react';
import { workingStatuses } from '../../contract/tasks/task-states.ts';
import { call, on } from '../bridge.ts';

const settleMs = 2000;
const pollMs = 30_000;

/** How many tasks of the connection are being worked on; null while it cannot be told. */
export function useRunning(connectionId: string, isReadable: boolean): number | null {
  const [count, setCount] = useState<number | null>(null);
  useEffect(() => {
    setCount(null);
    if (!isReadable) return undefined;
    const stop = new AbortController();
    let settling: ReturnType<typeof setTimeout> | null = null;
    const look = () => {
      settling = null;
      countWorking(connectionId, stop.signal).then(
        (found) => !stop.signal.aborted && setCount(found),
        // The connection's own state tells that it is away; a figure from before would be wrong.
        () => !stop.signal.aborted && setCount(null),
      );
    };
    look();
    const off = on('server.event', (told) => {
      if (told.connectionId !== connectionId || (told.kind !== 'task' && told.kind !== 'reset')) return;
      settling ??= setTimeout(look, settleMs);
    });
    const timer = setInterval(() => document.visibilityState === 'visible' && look(), pollMs);
    return () => {
      stop.abort();
      off();
      clearInterval(timer);
      if (settling !== null) clearTimeout(settling);
    };
  }, [connectionId, isReadable]);
  return count;
}

async function countWorking(connectionId: string, signal: AbortSignal): Promise<number> {
  const answers = await Promise.all(
    // Those that wait are not counted.
    workingStatuses.map((status) =>
      call(connectionId, 'taskQueue.list', { query: { page: 1, limit: 1, status } }, signal),
    ),
  );
  return answers.reduce((sum, answer) => sum + answer.total, 0);
}
