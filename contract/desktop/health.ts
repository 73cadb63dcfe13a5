import type { Pool } from '../pools/pool.ts';
import type { Task } from '../tasks/task.ts';
import type { ConnectionState } from './connection.ts';
import type { ServerHealth } from './fleet.ts';

/**
 * What counts as trouble. The overview of a server, the overview of all, desktop notices and the tray ask this file, so that
 * they never disagree.
 */

const nearlyFullShare = 0.1;
const dayMs = 86_400_000;

/** Little is free on the disks of the pool, whoever filled them. A pool that takes no part in space has none to lack. */
export function isNearlyFull(pool: Pick<Pool, 'total_space' | 'free_space'>): boolean {
  return pool.total_space > 0 && pool.free_space / pool.total_space < nearlyFullShare;
}

/**
 * Times of a server are its local time and carry no zone; it is taken for the zone of this computer, so "the last day" may
 * be off by their difference.
 */
export function endedLately(task: Pick<Task, 'finished' | 'created'>, nowMs: number): boolean {
  const ended = Date.parse(task.finished ?? task.created ?? '');
  return Number.isNaN(ended) || nowMs - ended < dayMs;
}

/**
 * - `well`: it answers and nothing is wrong there
 * - `look`: it answers, and something there needs a person
 * - `lost`: it does not answer, or not as it should; what is known of it is from before
 * - `unknown`: nobody is signed in, or its first answer is awaited
 */
export type ServerStanding = 'well' | 'look' | 'lost' | 'unknown';

export function standingOf(
  state: Pick<ConnectionState, 'phase'>,
  health: ServerHealth | undefined,
): ServerStanding {
  if (state.phase === 'unreachable' || state.phase === 'certificate') return 'lost';
  if (state.phase !== 'connected') return 'unknown';
  if (health?.problem) return 'lost';
  if (!health?.facts) return 'unknown';
  return troubleCount(health) > 0 ? 'look' : 'well';
}

/** How many things on the server need a person. */
export function troubleCount({ facts }: Pick<ServerHealth, 'facts'>): number {
  if (facts === null) return 0;
  return (facts.failed?.count ?? 0) + (facts.overdue?.count ?? 0) + (facts.nearlyFull?.length ?? 0);
}
