import { DeviceError } from '../../engine/index.ts';
import type { WorkContext, WorkEnd } from '../../jobs/index.ts';
import type { TaskCopy } from '../repository/copy-service.ts';
import type { CopySources } from './copy-source.ts';
import { followTape, tapeEnd } from './tape-follow.ts';

/**
 * Work on a copy that lies on tape: it is brought to a folder of its own first, which goes with the end of the work. Until then
 * every byte was compared with the hashes on the tape. A copy or move that waits for a cartridge, or that the server's stop cuts off,
 * leaves the folder to its next attempt.
 */
export async function onRecalled(
  deps: CopySources,
  context: WorkContext,
  copy: TaskCopy,
  work: (context: WorkContext, copy: TaskCopy) => Promise<WorkEnd>,
): Promise<WorkEnd> {
  const { task } = context;
  const isResumable = task.task_type === 'copy' || task.task_type === 'move';
  const spool = await deps.tapes.spool(isResumable ? task.id : undefined);
  let goesOn = false;
  try {
    try {
      await followTape(context, copy.storedBytes, (tape) => deps.tapes.recall(copy.uuid, spool.path, tape));
    } catch (error) {
      if (task.task_type === 'verify') await noteDamage(deps, copy, error);
      goesOn = context.isStopping();
      const end = tapeEnd(error);
      goesOn ||= end.kind === 'waiting';
      return end;
    }
    // What waits for room later is not to wait for this.
    const end = await work(context, { ...copy, storagePath: spool.path }).catch((error: unknown) => {
      goesOn = context.isStopping();
      throw error;
    });
    return end;
  } finally {
    if (!isResumable || !goesOn) await spool.remove();
  }
}

/** A verification that cannot read what is on the tape has found something. */
async function noteDamage(deps: CopySources, copy: TaskCopy, error: unknown): Promise<void> {
  if (!(error instanceof DeviceError) || error.kind !== 'corrupt') return;
  const damage = {
    severity: 'error' as const,
    item: 'tape',
    message: error.message,
    next_step: 'Clean the drive and verify again; if it stays, make another copy of what was backed up.',
  };
  await deps.copies.storeVerification(copy.id, { status: 'Suspicious', damage: [damage] });
}
