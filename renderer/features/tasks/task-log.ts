import { createStore } from 'zustand/vanilla';
import type { TaskLogLine } from '../../../contract/tasks/task.ts';

export interface TaskLogState {
  /** Oldest first. */
  readonly lines: readonly TaskLogLine[];
  /** Lines before the first one shown; they were left out because the log is long. */
  readonly leftOut: number;
  readonly problem: string | null;
  /** False until its end was reached once. */
  readonly isRead: boolean;
}

export interface TaskLogDeps {
  readonly list: (
    page: number,
    limit: number,
    signal: AbortSignal,
  ) => Promise<{ readonly items: readonly TaskLogLine[]; readonly total: number }>;
  readonly reasonOf: (error: unknown) => string;
}

export const logPageSize = 500;
const pagesShown = 20;

/** The end of a log that may still grow: asked again, it reads only from the last page it knows. */
export function createTaskLog(deps: TaskLogDeps) {
  const store = createStore<TaskLogState>(() => ({
    lines: [],
    leftOut: 0,
    problem: null,
    isRead: false,
  }));
  const stop = new AbortController();
  const { signal } = stop;
  let isReading = false;
  let isWanted = false;

  const pageOf = (index: number) => Math.floor(index / logPageSize) + 1;

  const readFrom = async (first: number): Promise<void> => {
    let page = first;
    let isLast = false;
    while (!isLast) {
      const answer = await deps.list(page, logPageSize, signal);
      if (signal.aborted) return;
      const lastPage = pageOf(Math.max(0, answer.total - 1));
      // Far behind the end: what lies between would be read only to be left out.
      if (lastPage - page >= pagesShown) {
        page = lastPage - pagesShown + 1;
        store.setState({ lines: [], leftOut: (page - 1) * logPageSize });
        continue;
      }
      const place = (page - 1) * logPageSize;
      const { lines, leftOut } = store.getState();
      const all = [...lines.slice(0, place - leftOut), ...answer.items];
      const surplus = Math.max(0, all.length - pagesShown * logPageSize);
      store.setState({ lines: all.slice(surplus), leftOut: leftOut + surplus, problem: null });
      isLast = answer.items.length < logPageSize;
      page += 1;
    }
  };

  /** Asked while it reads, it reads once more afterwards. */
  const read = async (): Promise<void> => {
    isWanted = true;
    if (isReading) return;
    isReading = true;
    try {
      while (isWanted && !signal.aborted) {
        isWanted = false;
        const { lines, leftOut } = store.getState();
        await readFrom(pageOf(leftOut + lines.length));
        if (!signal.aborted) store.setState({ isRead: true });
      }
    } catch (error) {
      if (!signal.aborted) store.setState({ problem: deps.reasonOf(error) });
    } finally {
      isReading = false;
    }
  };

  return { store, read, close: (): void => stop.abort() };
}
