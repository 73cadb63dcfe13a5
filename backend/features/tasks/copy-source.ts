import type { StoreThread } from '../../engine/index.ts';
import type { Work, WorkContext, WorkEnd } from '../../jobs/index.ts';
import { isFolderThere } from '../../platform/disk-space.ts';
import type { BlockPoolService } from '../block-pools/block-pool-service.ts';
import type { CopyService, TaskCopy } from '../repository/copy-service.ts';
import type { TapeCopyService } from '../tape-libraries/tape-copy-service.ts';
import { onRecalled } from './recall.ts';

/** Where copies are, and what brings those on tape to a disk. */
export interface CopySources {
  readonly copies: Pick<CopyService, 'readCopyForTask' | 'storeVerification'>;
  readonly tapes: Pick<TapeCopyService, 'spool' | 'recall'>;
}

/**
 * Work on the copy of its task. While the storage is away the task waits: nothing can be said of a copy that cannot
 * be looked at, and one that is called broken might be deleted for it.
 */
export function onCopy(
  deps: CopySources,
  work: (context: WorkContext, copy: TaskCopy) => Promise<WorkEnd>,
): Work {
  return async (context) => {
    const { copy_id: id } = context.task;
    const copy = id === null ? null : await deps.copies.readCopyForTask(id);
    if (copy === null) return { kind: 'error', message: 'The copy is not there any more.' };
    if (copy.isOnTape) return onRecalled(deps, context, copy, work);
    for (const storagePath of new Set([copy, ...copy.chain].map((each) => each.storagePath))) {
      if (await isFolderThere(storagePath)) continue;
      return { kind: 'waiting', message: `The storage ${storagePath} of the copy cannot be reached.` };
    }
    return work(context, copy);
  };
}

/** The same with the store in which the copy's blocks lie; null for a copy that has none. */
export function onBlocks(
  deps: CopySources & { readonly blockPools: Pick<BlockPoolService, 'openForCopy'> },
  work: (context: WorkContext, copy: TaskCopy, blocks: StoreThread | null) => Promise<WorkEnd>,
): Work {
  return onCopy(deps, async (context, copy) => {
    const copyPath = `${copy.storagePath}/${copy.uuid}`;
    const blocks = await deps.blockPools.openForCopy({ poolId: copy.poolId, copyPath });
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
