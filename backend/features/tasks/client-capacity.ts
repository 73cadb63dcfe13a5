import type { Db, Tx } from '../../db/index.ts';
import type { QueuedTask } from '../../jobs/index.ts';
import { bytesPerGb, limitBroken } from '../capacity-rules.ts';
import { createPlacementStore } from './placement-store.ts';

/**
 * Why no copy of `addedBytes` may be kept for the task's client, or null. Asked before a backup begins (0 bytes: is
 * the limit reached already?) and again in the transaction that registers the copy, when other backups of the same
 * client may have ended meanwhile.
 */
export async function clientCapacityRefusal(
  db: Db | Tx,
  task: QueuedTask,
  options: { readonly isLimited: boolean; readonly addedBytes: number },
): Promise<string | null> {
  if (!options.isLimited || task.client_id === null) return null;
  const places = createPlacementStore(db);
  const client = await places.client(task.client_id);
  if (client === null || client.storage_capacity === 0) return null;
  const broken = limitBroken({
    storedBytes: await places.storedBytesOfClient(task.client_id),
    addedBytes: options.addedBytes,
    limitBytes: client.storage_capacity * bytesPerGb,
  });
  if (broken === null) return null;
  return `The copies of this client ${broken} its limit of ${client.storage_capacity} GB. Raise the limit or remove copies.`;
}
