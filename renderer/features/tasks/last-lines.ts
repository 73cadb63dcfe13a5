import type { TaskLogLine } from '../../../contract/tasks/task.ts';
import type { TaskLogDeps } from './task-log.ts';

/** So many lines of a log stand beside the progress. */
export const lastLinesCount = 3;

const lastPage = (total: number) => Math.max(1, Math.ceil(total / lastLinesCount));

/** The end of a log that grows, by as little as can be asked for. */
export function createLastLines(list: TaskLogDeps['list']) {
  let known = 0;
  return async (signal: AbortSignal): Promise<readonly TaskLogLine[]> => {
    let page = lastPage(known);
    let answer = await list(page, lastLinesCount, signal);
    // It has grown since: at most once more, so that one that is written all the time holds nobody up.
    if (lastPage(answer.total) !== page) {
      page = lastPage(answer.total);
      answer = await list(page, lastLinesCount, signal);
    }
    known = answer.total;
    const isShort = answer.items.length < lastLinesCount && page > 1;
    const before = isShort ? (await list(page - 1, lastLinesCount, signal)).items : [];
    return [...before, ...answer.items].slice(-lastLinesCount);
  };
}

/** The ends of several logs as one: times are of one server, and of one moment the order within a log stays. */
export function lastOf(logs: readonly (readonly TaskLogLine[])[]): readonly TaskLogLine[] {
  return logs
    .flat()
    .sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)))
    .slice(-lastLinesCount);
}
