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
 * The end of a log with lines of a severity only. The server picks them, so that an error far before the end of a long
 * log is found; it does so by one level at a time, which is why each level is read as a log of its own.
 */
export function createSeverityLog(severity: Severity, deps: SeverityLogDeps) {
  const logs = (levelsOf(severity) ?? [null]).map((level) =>
    createTaskLog({
      reasonOf: deps.reasonOf,
      list: (page, limit, signal) => deps.list(level, page, limit, signal),
    }),
  );
  const merged = () =>
    merge(
      logs.map((log) => log.store.getState()),
      severity,
    );
  const store = createStore<TaskLogState>(merged);
  for (const log of logs) log.store.subscribe(() => store.setState(merged()));
  return {
    store,
    read: async (): Promise<void> => {
      await Promise.all(logs.map((log) => log.read()));
    },
    close: (): void => {
      for (const log of logs) log.close();
    },
  };
}

/** One log out of several. It begins where each of them is known, so that no line is missing within it. */
function merge(states: readonly TaskLogState[], severity: Severity): TaskLogState {
  const [only] = states;
  const rest = {
    problem: states.find(({ problem }) => problem !== null)?.problem ?? null,
    isRead: states.every(({ isRead }) => isRead),
  };
  // A server that does not know the filter answers with all lines.
  if (states.length === 1 && only !== undefined) {
    return { lines: ofSeverity(only.lines, severity), leftOut: only.leftOut, ...rest };
  }
  const begins = states.map(({ lines, leftOut }) => (leftOut > 0 ? (lines[0]?.id ?? 0) : 0));
  const from = Math.max(0, ...begins);
  const all = ofSeverity(
    states.map(({ lines }) => lines).reduce((one, other) => inOrder(one, other), []),
    severity,
  );
  const lines = all.filter(({ id }) => id >= from);
  const before = states.reduce((sum, { leftOut }) => sum + leftOut, 0);
  return { lines, leftOut: before + all.length - lines.length, ...rest };
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
