import { DeviceError } from '../../engine/index.ts';
import type { WorkContext, WorkEnd } from '../../jobs/index.ts';
import type { TaskCopy } from '../repository/copy-service.ts';
import type { CopySources } from './copy-source.ts';
import { followTape, tapeEnd } from './tape-follow.ts';

/**
 * Work on a copy that lies on tape: it is brought to a folder of its own first, which goes with the end of the work. Until then
 * every byte was compared with the hashes on the tape.
 */
export async function onRecalled(
  deps: CopySources,
  context: WorkContext,
  copy: TaskCopy,
  work: (context: WorkContext, copy: TaskCopy) => Promise<WorkEnd>,
): Promise<WorkEnd> {
  const { task } = context;
  const spool = await deps.tapes.spool();
  try {
    try {
      await followTape(context, copy.storedBytes, (tape) => deps.tapes.recall(copy.uuid, spool.path, tape));
    } catch (error) {
      if (task.task_type === 'verify') await noteDamage(deps, copy, error);
      return tapeEnd(error);
    }
    return await work(context, { ...copy, storagePath: spool.path });
  } finally {
    await spool.remove();
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
