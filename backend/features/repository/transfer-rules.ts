import { whyNotWritable, writablePoolTypes } from '../writable-pools.ts';

/** What decides whether a copy can be brought to another pool. */
export interface TransferFacts {
  readonly backupType: string;
  readonly sourcePoolId: number | null;
  readonly crypto: string;
  readonly pool: { readonly id: number; readonly type: string };
  /** Its bytes lie on a storage of this server, or on tape. */
  readonly isThere: boolean;
  /** Copies that build on it. */
  readonly dependants: number;
  /** Tasks that use it now. */
  readonly activeTasks: readonly { readonly id: number; readonly task_type: string }[];
}

export interface TransferRefusal {
  readonly field: 'id' | 'pool_name';
  readonly reason: string;
}

/** Why it cannot, or null. Pure. */
export function whyTransferIsRefused(kind: 'copy' | 'move', facts: TransferFacts): TransferRefusal | null {
  if (facts.backupType !== 'full') {
    return {
      field: 'id',
      reason: `is a copy of type ${facts.backupType}; only full copies can be brought elsewhere`,
    };
  }
  if (!facts.isThere) return { field: 'id', reason: 'lies on no storage of this server' };
  if (facts.pool.id === facts.sourcePoolId) {
    return { field: 'pool_name', reason: 'is the pool that the copy is in; choose another' };
  }
  if (!writablePoolTypes.includes(facts.pool.type)) {
    return { field: 'pool_name', reason: whyNotWritable(facts.pool.type) };
  }
  if (facts.pool.type === 'Block device' && facts.crypto === 'age') {
    return {
      field: 'pool_name',
      reason:
        'is of type Block device and the copy is encrypted with age, which seals whole files, so it has no blocks to share; choose a pool of type File system',
    };
  }
  const moving = facts.activeTasks.find((task) => task.task_type === 'move');
  if (moving) return { field: 'id', reason: `is being moved by task ${moving.id}; wait for its end` };
  if (kind === 'copy') return null;
  if (facts.dependants > 0) {
    return { field: 'id', reason: 'has copies that build on it, so it can be copied but not moved' };
  }
  const [user] = facts.activeTasks;
  return user === undefined ? null : { field: 'id', reason: `is used by task ${user.id}; wait for its end` };
}
