import type { PoolDestination } from '../../../contract/pools/pool.ts';
import type { Problem } from '../../../contract/problem.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import { type Caller, problemOf } from '../../bridge.ts';

export type TransferKind = 'copy' | 'move';

/** What is known before a target is chosen. */
export interface TransferPlan {
  /** Pools that can take at least one of the copies, in the order of the server. */
  readonly destinations: readonly PoolDestination[];
  /** By the pool that copies are in: the names of the pools that can take them. */
  readonly takenFrom: ReadonlyMap<string, ReadonlySet<string>>;
  /** By the id of a copy: how many copies build on it. */
  readonly dependants: ReadonlyMap<number, number>;
}

/** Why a copy stays where it is. */
export type TransferObstacle =
  | 'notFull'
  | 'inNoPool'
  | 'hasDependants'
  | 'isThere'
  | 'notTaken'
  | 'sealedWhole';

/** Whether the copy can go anywhere at all, by what its record says. */
export function canBeSent(copy: Copy): boolean {
  return copy.backup_type === 'full' && copy.pool !== null;
}

/** Asks where the copies can go and what builds on them; of those that can go nowhere nothing is asked. */
export async function planTransfer(
  call: Caller,
  kind: TransferKind,
  copies: readonly Copy[],
  signal: AbortSignal,
): Promise<TransferPlan> {
  const able = copies.filter(canBeSent);
  const sources = [...new Set(able.flatMap((copy) => copy.pool ?? []))];
  const ids = able.map((copy) => copy.id);
  const [offers, chains] = await Promise.all([
    Promise.all(
      sources.map((pool_name) =>
        call('pools.destinationAvailable', { query: { pool_name, action: kind } }, signal),
      ),
    ),
    ids.length === 0 ? [] : call('repository.dependencies', { body: { ids } }, signal),
  ]);
  const destinations = new Map(offers.flat().map((pool) => [pool.pool_name, pool]));
  return {
    destinations: [...destinations.values()],
    takenFrom: new Map(
      sources.map((source, at) => [source, new Set(offers[at]?.map((pool) => pool.pool_name))]),
    ),
    dependants: new Map(chains.map(({ id, dependencies }) => [id, dependencies?.length ?? 0])),
  };
}

/** Why this copy does not go to the target, or to any pool while none (null) is chosen; null: it goes. */
export function obstacleFor(
  kind: TransferKind,
  copy: Copy,
  plan: TransferPlan,
  target: PoolDestination | null,
): TransferObstacle | null {
  if (copy.backup_type !== 'full') return 'notFull';
  if (copy.pool === null) return 'inNoPool';
  if (kind === 'move' && (plan.dependants.get(copy.id) ?? 0) > 0) return 'hasDependants';
  if (target === null) return null;
  if (copy.pool === target.pool_name) return 'isThere';
  // A file that is encrypted as a whole has no blocks that could be shared.
  if (target.pool_type === 'Block device' && copy.crypto === 'age') return 'sealedWhole';
  return plan.takenFrom.get(copy.pool)?.has(target.pool_name) ? null : 'notTaken';
}

/**
 * The most bytes that the copy takes in the target: what it takes now in a pool of the same type; elsewhere, where it
 * is packed or shared in another way, what it holds.
 */
export function mostBytes(copy: Copy, target: PoolDestination): number {
  const isAlike = copy.pool_type === target.pool_type && target.pool_type !== 'Block device';
  return (isAlike ? copy.real_size : copy.size) ?? 0;
}

/** Whether servers can tell the free space of pools of this type; of tapes and the like they cannot. */
export function isMeasured(pool: Pick<PoolDestination, 'pool_type'>): boolean {
  return pool.pool_type === 'File system' || pool.pool_type === 'Block device';
}

/** The target has not the room that the copies can take, as far as that is known. */
export function isShortOfRoom(copies: readonly Copy[], target: PoolDestination): boolean {
  if (!isMeasured(target)) return false;
  return copies.reduce((sum, copy) => sum + mostBytes(copy, target), 0) > (target.free_space ?? 0);
}

export interface TransferOutcome {
  /** By the id of a copy: its task. */
  readonly begun: ReadonlyMap<number, number>;
  /** By the id of a copy: what the server has against it. */
  readonly refused: ReadonlyMap<number, Problem>;
  /** The server answers no more; what comes after was not tried. */
  readonly stoppedBy: Problem | null;
}

/** One after the other: one that is refused does not keep the others from going. */
export async function beginTransfers(
  call: Caller,
  kind: TransferKind,
  copies: readonly Copy[],
  pool_name: string,
): Promise<TransferOutcome> {
  const begun = new Map<number, number>();
  const refused = new Map<number, Problem>();
  const name = kind === 'copy' ? 'repository.copy' : 'repository.move';
  for (const { id } of copies) {
    try {
      const { task_id } = await call(name, { params: { id }, query: { pool_name } });
      begun.set(id, task_id);
    } catch (error) {
      const problem = problemOf(error);
      if (problem.kind !== 'refused') return { begun, refused, stoppedBy: problem };
      refused.set(id, problem);
    }
  }
  return { begun, refused, stoppedBy: null };
}
