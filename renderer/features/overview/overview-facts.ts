import { endedLately } from '../../../contract/desktop/health.ts';
import type { Pool } from '../../../contract/pools/pool.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import type { Task } from '../../../contract/tasks/task.ts';
import { failedStatuses } from '../../../contract/tasks/task-states.ts';
import { type Caller, problemOf } from '../../bridge.ts';

/** What the overview shows. A part that the user has no right to see is null. */
export interface OverviewFacts {
  readonly running: readonly Task[] | null;
  /** Failed in the last day, newest first; `isMore`: there are more than could be looked at. */
  readonly failed: { readonly tasks: readonly Task[]; readonly isMore: boolean } | null;
  readonly pools: readonly Pool[] | null;
  readonly copies: { readonly items: readonly Copy[]; readonly total: number } | null;
}

const unfinished = [
  'new',
  'assigned',
  'at_client',
  'execution',
  'transmission',
  'at_server',
  'suspended',
  'restarting',
];
const lookedAt = 50;

export async function loadOverview(call: Caller, nowMs: number, signal: AbortSignal): Promise<OverviewFacts> {
  const newest = { sort: 'id', order: 'desc', page: 1 } as const;
  const latest = { ...newest, sort: 'finished' } as const;
  const [running, failed, pools, copies] = await Promise.all([
    visible(call('taskQueue.list', { query: { ...newest, limit: 100 } }, signal)),
    visible(
      Promise.all(
        failedStatuses.map((status) =>
          call('taskQueue.list', { query: { ...latest, limit: lookedAt, status } }, signal),
        ),
      ),
    ),
    visible(call('pools.list', { query: { page: 1, limit: 100 } }, signal)),
    visible(call('repository.list', { query: { ...newest, limit: 5 } }, signal)),
  ]);
  return {
    running: running?.items.filter((task) => unfinished.includes(task.status)) ?? null,
    failed: failed === null ? null : failedLately(failed, nowMs),
    pools: pools?.items ?? null,
    copies,
  };
}

export function failedLately(
  answers: readonly { readonly items: readonly Task[] }[],
  nowMs: number,
): { readonly tasks: readonly Task[]; readonly isMore: boolean } {
  const late = answers.map((answer) => answer.items.filter((task) => endedLately(task, nowMs)));
  return {
    tasks: late.flat().sort((a, b) => b.id - a.id),
    isMore: late.some((tasks) => tasks.length === lookedAt),
  };
}

export function filledPercent(pool: Pool): number {
  if (!(pool.total_space > 0)) return 0;
  return ((pool.total_space - pool.free_space) / pool.total_space) * 100;
}

async function visible<T>(part: Promise<T>): Promise<T | null> {
  try {
    return await part;
  } catch (error) {
    if (problemOf(error).status === 403) return null;
    throw error;
  }
}
