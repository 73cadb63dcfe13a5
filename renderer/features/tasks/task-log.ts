import { createStore } from 'zustand/vanilla';
import type { TaskLogLine } from '../../../contract/tasks/task.ts';

export interface TaskLogState {
  /** Oldest first. */
  readonly lines: readonly TaskLogLine[];
  /** Lines before the first one held; they can be asked for. */
  readonly leftOut: number;
  /** Lines behind the last one held; they can be asked for too. */
  readonly rest: number;
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
const pagesHeld = 20;
const mostHeld = pagesHeld * logPageSize;

type Held = Pick<TaskLogState, 'lines' | 'leftOut' | 'rest'>;

const pageOf = (index: number) => Math.floor(index / logPageSize) + 1;
const placeOf = (page: number) => (page - 1) * logPageSize;

/**
 * A part of a log, never more than 10,000 lines of it: its end to begin with, which is read on while it grows, or any other
 * part that somebody goes to. What lies before and behind is let go, and asked for again when it is wanted.
 */
export function createTaskLog(deps: TaskLogDeps) {
  const store = createStore<TaskLogState>(() => ({
    lines: [],
    leftOut: 0,
    rest: 0,
    problem: null,
    isRead: false,
  }));
  const stop = new AbortController();
  const { signal } = stop;
  /** Whether the end is what is looked at; else new lines do not push out those that somebody reads. */
  let isFollowing = true;

  const held = (): Held => store.getState();

  const readFrom = async (first: number): Promise<void> => {
    let page = first;
    let isLast = false;
    while (!isLast) {
      const answer = await deps.list(page, logPageSize, signal);
      if (signal.aborted) return;
      const lastPage = pageOf(Math.max(0, answer.total - 1));
      // Far behind the end: what lies between would be read only to be let go.
      if (lastPage - page >= pagesHeld) {
        page = lastPage - pagesHeld + 1;
        store.setState({ lines: [], leftOut: placeOf(page), rest: 0 });
        continue;
      }
      store.setState({ ...joinedBehind(held(), page, answer.items), rest: 0, problem: null });
      isLast = answer.items.length < logPageSize;
      page += 1;
    }
  };

  /** Only how much there is by now: the lines held stay as they are. */
  const count = async (): Promise<void> => {
    const { total } = await deps.list(1, 1, signal);
    if (signal.aborted) return;
    const { lines, leftOut } = held();
    store.setState({ rest: Math.max(0, total - leftOut - lines.length), problem: null });
  };

  const readOn = async (): Promise<void> => {
    const { lines, leftOut, rest } = held();
    const isPart = rest > 0 || (!isFollowing && lines.length >= mostHeld);
    await (isPart ? count() : readFrom(pageOf(leftOut + lines.length)));
    if (!signal.aborted) store.setState({ isRead: true });
  };

  const older = async (): Promise<void> => {
    const { leftOut } = held();
    if (leftOut === 0) return;
    const page = pageOf(leftOut - 1);
    const { items, total } = await deps.list(page, logPageSize, signal);
    if (signal.aborted) return;
    const before = held();
    const all = [...items.slice(0, before.leftOut - placeOf(page)), ...before.lines];
    const lines = all.slice(0, mostHeld);
    const from = before.leftOut - (all.length - before.lines.length);
    store.setState({
      lines,
      leftOut: from,
      rest: Math.max(0, total - from - lines.length),
      problem: null,
    });
  };

  const newer = async (): Promise<void> => {
    const { lines, leftOut, rest } = held();
    if (rest === 0) return;
    const page = pageOf(leftOut + lines.length);
    const { items, total } = await deps.list(page, logPageSize, signal);
    if (signal.aborted) return;
    const joined = joinedBehind(held(), page, items);
    const behind = Math.max(0, total - joined.leftOut - joined.lines.length);
    // A server that counts more than it lists has no end.
    store.setState({ ...joined, rest: items.length === 0 ? 0 : behind, problem: null });
  };

  const toBegin = async (): Promise<void> => {
    const { items, total } = await deps.list(1, logPageSize, signal);
    if (signal.aborted) return;
    store.setState({ lines: items, leftOut: 0, rest: Math.max(0, total - items.length), problem: null });
  };

  const toEnd = async (): Promise<void> => {
    isFollowing = true;
    if (held().rest > 0) {
      const { total } = await deps.list(1, 1, signal);
      if (signal.aborted) return;
      const page = Math.max(1, pageOf(Math.max(0, total - 1)) - 1);
      store.setState({ lines: [], leftOut: placeOf(page), rest: 0 });
      await readFrom(page);
    }
  };

  const oneByOne = takeTurns(async (work) => {
    try {
      if (!signal.aborted) await work();
    } catch (error) {
      if (!signal.aborted) store.setState({ problem: deps.reasonOf(error) });
    }
  });

  return {
    store,
    /** Reads what was written meanwhile. Asked while it reads, it reads once more afterwards. */
    read: () => oneByOne(readOn),
    older: () => oneByOne(older),
    newer: () => oneByOne(newer),
    toBegin: () => oneByOne(toBegin),
    toEnd: () => oneByOne(toEnd),
    follow: (isWanted: boolean): void => {
      isFollowing = isWanted;
    },
    close: (): void => stop.abort(),
  };
}

function joinedBehind(
  { lines, leftOut }: Held,
  page: number,
  items: readonly TaskLogLine[],
): Pick<Held, 'lines' | 'leftOut'> {
  const all = [...lines.slice(0, placeOf(page) - leftOut), ...items];
  const surplus = Math.max(0, all.length - mostHeld);
  return { lines: all.slice(surplus), leftOut: leftOut + surplus };
}

type Work = () => Promise<void>;

/** One after the other; what waits already is not asked for twice. */
function takeTurns(run: (work: Work) => Promise<void>) {
  const waiting: Work[] = [];
  let turn: Promise<void> | null = null;
  const all = async (): Promise<void> => {
    for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) await run(work);
    turn = null;
  };
  return (work: Work): Promise<void> => {
    if (!waiting.includes(work)) waiting.push(work);
    turn ??= all();
    return turn;
  };
}
