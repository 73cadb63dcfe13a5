import type { StoreThread } from '../../engine/index.ts';
import type { Work, WorkContext, WorkEnd } from '../../jobs/index.ts';
import { isFolderThere } from '../../platform/disk-space.ts';
import type { BlockPoolService } from '../block-pools/block-pool-service.ts';
import type { CopyService, TaskCopy } from '../repository/copy-service.ts';

/**
 * Work on the copy of its task. While the storage is away the task waits: nothing can be said of a copy that cannot
 * be looked at, and one that is called broken might be deleted for it.
 */
export function onCopy(
  copies: Pick<CopyService, 'readCopyForTask'>,
  work: (context: WorkContext, copy: TaskCopy) => Promise<WorkEnd>,
): Work {
  return async (context) => {
    const { copy_id: id } = context.task;
    const copy = id === null ? null : await copies.readCopyForTask(id);
    if (copy === null) return { kind: 'error', message: 'The copy is not there any more.' };
    for (const storagePath of new Set([copy, ...copy.chain].map((each) => each.storagePath))) {
      if (await isFolderThere(storagePath)) continue;
      return { kind: 'waiting', message: `The storage ${storagePath} of the copy cannot be reached.` };
    }
    return work(context, copy);
  };
}

/** The same with the store in which the copy's blocks lie; null for a copy that has none. */
export function onBlocks(
  copies: Pick<CopyService, 'readCopyForTask'>,
  blockPools: Pick<BlockPoolService, 'openForCopy'>,
  work: (context: WorkContext, copy: TaskCopy, blocks: StoreThread | null) => Promise<WorkEnd>,
): Work {
  return onCopy(copies, async (context, copy) => {
    const copyPath = `${copy.storagePath}/${copy.uuid}`;
    const blocks = await blockPools.openForCopy({ poolId: copy.poolId, copyPath });
    if (blocks.kind === 'refused') {
      return { kind: blocks.waits ? 'waiting' : 'error', message: blocks.message };
    }
    try {
      return await work(context, copy, blocks.store);
    } finally {
      await blocks.release();
    }
  });
}
