import { type Base, type ClientKey, lookAtBase } from '../../engine/index.ts';
import type { WorkContext } from '../../jobs/index.ts';
import type { CopyService } from '../repository/copy-service.ts';

export interface BackupBase extends Base {
  /** The copy that is built on, or from which is taken over. */
  readonly referenceId: number;
}

/**
 * What an incremental or differential task builds on; null for a full copy, and where there is nothing that can be
 * built on: then a full one is made in its place, and the task's log says why.
 */
export async function findBackupBase(
  copies: Pick<CopyService, 'findBase'>,
  context: WorkContext,
  key: ClientKey | null,
): Promise<BackupBase | null> {
  const { backup_type: kind } = context.task;
  if (kind !== 'incremental' && kind !== 'differential') return null;
  const instead = `In place of the ${kind} copy a full one is made`;
  const found = await copies.findBase(context.task);
  if (found === null) {
    context.log('server', 'info', `${instead}: there is no good copy of this resource to build on.`);
    return null;
  }
  const look = await lookAtBase(found, key);
  if (look.kind === 'refused') {
    context.log('server', 'warning', `${instead}: ${look.reason}`);
    return null;
  }
  context.log('server', 'info', `The copy builds on copy ${found.id}; only what is new is stored.`);
  return { copies: found.copies, links: look.links, referenceId: found.id };
}

/**
 * The copy from which an incremental or differential task on block devices takes over what has not changed; null when all
 * is to be read. What it makes is a full copy all the same: it builds on no other one, so any of them can be deleted.
 */
export async function findCopyBefore(
  copies: Pick<CopyService, 'findBase'>,
  context: WorkContext,
  key: ClientKey | null,
): Promise<BackupBase | null> {
  const { backup_type: kind } = context.task;
  if (kind !== 'incremental' && kind !== 'differential') return null;
  const found = await copies.findBase(context.task);
  if (found === null) {
    context.log('server', 'info', 'There is no good copy of this resource before, so all files are read.');
    return null;
  }
  const base = { copies: found.copies.slice(-1) };
  const look = await lookAtBase(base, key);
  if (look.kind === 'refused') {
    context.log('server', 'warning', `All files are read: ${look.reason}`);
    return null;
  }
  const what = `A full copy is made; only files that changed since copy ${found.id} are read`;
  context.log('server', 'info', `${what}. It does not need that copy.`);
  return { ...base, links: look.links, referenceId: found.id };
}

/**
 * Why a backup that failed is to be made anew: what it builds on was moved or deleted after it had begun. Null when that is
 * where it was, so that the failure has another reason.
 */
export async function whyBaseIsGone(
  copies: Pick<CopyService, 'findBase'>,
  task: Parameters<CopyService['findBase']>[0],
  base: BackupBase | null,
): Promise<string | null> {
  if (base === null) return null;
  const found = await copies.findBase(task);
  const isThere = found?.id === base.referenceId && placesOf(found).endsWith(placesOf(base));
  return isThere
    ? null
    : `Copy ${base.referenceId}, on which this one builds, was moved or deleted meanwhile.`;
}

function placesOf({ copies }: Pick<Base, 'copies'>): string {
  return copies.map(({ storagePath, copyId }) => `${storagePath}/${copyId}`).join('\n');
}
