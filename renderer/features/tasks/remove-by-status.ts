import { type RemovableStatus, removableStatuses } from '../../../contract/tasks/task-states.ts';
import { type Caller, problemOf } from '../../bridge.ts';

export type StatusCounts = Readonly<Record<RemovableStatus, number>>;

/** How many tasks there are in each status whose tasks can be removed together. */
export async function countByStatus(call: Caller, signal: AbortSignal): Promise<StatusCounts> {
  const counts = await Promise.all(
    removableStatuses.map(async (status) => {
      const { total } = await call('taskQueue.list', { query: { page: 1, limit: 1, status } }, signal);
      return [status, total] as const;
    }),
  );
  return Object.fromEntries(counts) as StatusCounts;
}

/** Tasks in the chosen statuses. */
export function countOf(counts: StatusCounts, chosen: ReadonlySet<RemovableStatus>): number {
  return removableStatuses.reduce((sum, status) => sum + (chosen.has(status) ? counts[status] : 0), 0);
}

/**
 * Removes all tasks of the statuses, one status after the other. `onGone` is told what went after each, so that a
 * failure of a later one hides nothing. A status whose tasks somebody else has removed meanwhile is no failure.
 */
export async function removeByStatus(
  call: Caller,
  statuses: readonly RemovableStatus[],
  onGone: (ids: readonly number[]) => void,
): Promise<void> {
  for (const status of statuses) {
    try {
      const { ids } = await call('taskQueue.deleteOne', { params: { id: status } });
      onGone(ids);
    } catch (error) {
      if (problemOf(error).status !== 404) throw error;
    }
  }
}
