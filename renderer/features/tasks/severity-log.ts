import { createStore } from 'zustand/vanilla';
import type { TaskLogLine } from '../../../contract/tasks/task.ts';
import { levelsOf, ofSeverity, type Severity } from '../../shell/backend-log.ts';
import { createTaskLog, type TaskLogDeps, type TaskLogState } from './task-log.ts';

export interface SeverityLogDeps extends Pick<TaskLogDeps, 'reasonOf'> {
  /** Only lines of `level`; null: all. */
  readonly list: (
    level: string | null,
    ...rest: Parameters<TaskLogDeps['list']>
  ) => ReturnType<TaskLogDeps['list']>;
}

/**
 * A part of a log with lines of a severity only. The server picks them, so that an error far before the end of a long
 * log is found; it does so by one level at a time, which is why each level is read as a log of its own.
 */
export function createSeverityLog(severity: Severity, deps: SeverityLogDeps) {
  const logs = (levelsOf(severity) ?? [null]).map((level) =>
    createTaskLog({
      reasonOf: deps.reasonOf,
      list: (page, limit, signal) => deps.list(level, page, limit, signal),
    }),
  );
  const states = () => logs.map((log) => log.store.getState());
  const merged = () => merge(states(), severity);
  const store = createStore<TaskLogState>(merged);
  /** While all of them move, one after the other, nothing is told of what lies between. */
  let isMoving = false;
  for (const log of logs) log.store.subscribe(() => isMoving || store.setState(merged()));
  const each = async (work: (log: Log) => Promise<void>): Promise<void> => {
    await Promise.all(logs.map(work));
  };
  const move = async (work: (log: Log) => Promise<void>): Promise<void> => {
    isMoving = true;
    try {
      await each(work);
    } finally {
      isMoving = false;
      store.setState(merged());
    }
  };
  return {
    store,
    read: () => each((log) => log.read()),
    /** What is shown begins where the last of the logs begins: that one is read on. */
    older: async (): Promise<void> => {
      const begins = states().map(beginOf);
      await logs[begins.indexOf(Math.max(...begins))]?.older();
    },
    newer: async (): Promise<void> => {
      const ends = states().map(endOf);
      await logs[ends.indexOf(Math.min(...ends))]?.newer();
    },
    toBegin: () => move((log) => log.toBegin()),
    toEnd: () => move((log) => log.toEnd()),
    follow: (isWanted: boolean): void => {
      for (const log of logs) log.follow(isWanted);
    },
    close: (): void => {
      for (const log of logs) log.close();
    },
  };
}

type Log = ReturnType<typeof createTaskLog>;

/** From this id on no line of the log is missing, and up to which one. */
const beginOf = ({ lines, leftOut }: TaskLogState) => (leftOut > 0 ? (lines[0]?.id ?? 0) : 0);
const endOf = ({ lines, rest }: TaskLogState) =>
  rest > 0 ? (lines.at(-1)?.id ?? 0) : Number.POSITIVE_INFINITY;

/** One log out of several. It begins and ends where each of them is known, so that no line is missing within it. */
function merge(states: readonly TaskLogState[], severity: Severity): TaskLogState {
  const [only] = states;
  const told = {
    problem: states.find(({ problem }) => problem !== null)?.problem ?? null,
    isRead: states.every(({ isRead }) => isRead),
  };
  // A server that does not know the filter answers with all lines.
  if (states.length === 1 && only !== undefined) {
    return {
      lines: ofSeverity(only.lines, severity),
      leftOut: only.leftOut,
      rest: only.rest,
      ...told,
    };
  }
  const from = Math.max(0, ...states.map(beginOf));
  const to = Math.min(...states.map(endOf));
  const all = ofSeverity(
    states.map(({ lines }) => lines).reduce((one, other) => inOrder(one, other), []),
    severity,
  );
  const lines = all.filter(({ id }) => id >= from && id <= to);
  const cut = (isCut: (line: TaskLogLine) => boolean) => all.filter(isCut).length;
  const sum = (side: 'leftOut' | 'rest') => states.reduce((before, state) => before + state[side], 0);
  return {
    lines,
    leftOut: sum('leftOut') + cut(({ id }) => id < from),
    rest: sum('rest') + cut(({ id }) => id > to),
    ...told,
  };
}

/** Two logs by id as one; a line that is in both comes once. */
function inOrder(one: readonly TaskLogLine[], other: readonly TaskLogLine[]): readonly TaskLogLine[] {
  const lines: TaskLogLine[] = [];
  let at = 0;
  for (const line of one) {
    for (let next = other[at]; next !== undefined && next.id <= line.id; next = other[at]) {
      if (next.id < line.id) lines.push(next);
      at += 1;
    }
    lines.push(line);
  }
  return [...lines, ...other.slice(at)];
}
