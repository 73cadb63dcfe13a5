import { removeCopy } from '../../engine/index.ts';
import type { WorkContext } from '../../jobs/index.ts';

export interface UnfinishedCopyDeps {
  /** The folder is that of a copy in the catalogue. */
  readonly isCopy: (uuid: string) => Promise<boolean>;
}

/**
 * Removes what a task has written and will not be kept. Never a folder that the catalogue knows: a commit whose answer
 * was lost looks like a failure. What cannot be removed now goes later, by the trace that the task keeps.
 */
export async function removeUnfinished(
  deps: UnfinishedCopyDeps,
  context: WorkContext,
  folder: { readonly storagePath: string; readonly copyId: string },
): Promise<void> {
  try {
    if (await deps.isCopy(folder.copyId)) return;
    await removeCopy({ ...folder, zeroing: false });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.log('server', 'warning', `What was written could not be removed yet: ${reason}`);
  }
}
