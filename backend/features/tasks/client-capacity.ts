import type { Db, Tx } from '../../db/index.ts';
import type { QueuedTask } from '../../jobs/index.ts';
import { createPlacementStore } from './placement-store.ts';

const bytesPerGb = 1024 ** 3;

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
  const stored = await places.storedBytesOfClient(task.client_id);
  const limit = client.storage_capacity * bytesPerGb;
  const isRefused = options.addedBytes === 0 ? stored >= limit : stored + options.addedBytes > limit;
  if (!isRefused) return null;
  const used = options.addedBytes === 0 ? 'have reached' : 'would pass';
  return `The copies of this client ${used} its limit of ${client.storage_capacity} GB. Raise the limit or remove copies.`;
}
