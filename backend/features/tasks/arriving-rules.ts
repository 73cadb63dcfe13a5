import { activeStatuses } from '../../../contract/tasks/task-states.ts';
import type { ArrivingCopy, LeftOver } from './left-over-store.ts';

/** A task that was cut off has to be restarted by a person within this time, or what has arrived is given up. */
const mostKeptMs = 7 * 86_400_000;

/** What a copy or move has brought and can still go on with; null: nothing of it is of use any more. Pure. */
export function keptArrival(
  task: Pick<LeftOver, 'status' | 'finishedMs' | 'source' | 'arriving'>,
  nowMs: number,
): ArrivingCopy | null {
  const { source, arriving } = task;
  if (arriving === null || arriving.from !== source) return null;
  return mayGoOn(task, nowMs) ? arriving : null;
}

/** Whether there will be, or may be, a next attempt that can use what this one has brought. Pure. */
export function mayGoOn(
  { status, finishedMs }: Pick<LeftOver, 'status' | 'finishedMs'>,
  nowMs: number,
): boolean {
  if (activeStatuses.some((active) => active === status)) return true;
  return status === 'broken' && nowMs - (finishedMs ?? 0) < mostKeptMs;
}
