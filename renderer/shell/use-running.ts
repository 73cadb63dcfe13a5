import { useEffect, useState } from 'react';
import { workingStatuses } from '../../contract/tasks/task-states.ts';
import { call, on } from '../bridge.ts';

const settleMs = 2000;
const pollMs = 30_000;
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
    let settling: ReturnType<typeof setTimeout> | null = null;
    const look = () => {
      settling = null;
      lookAtWorking(connectionId, stop.signal).then(
        (found) => !stop.signal.aborted && setRunning(found),
        // The connection's own state tells that it is away; a figure from before would be wrong.
        () => !stop.signal.aborted && setRunning(null),
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
