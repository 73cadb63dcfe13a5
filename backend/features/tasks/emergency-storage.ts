import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readDiskSpace } from '../../platform/disk-space.ts';
import { leastFreeBytes } from './placement-rules.ts';
import type { createPlacementStore } from './placement-store.ts';

/** Each pool has a folder of its own there, which is a storage of it as soon as it is needed. */
export function emergencyPath(folder: string, poolId: number): string {
  return join(folder, `pool-${poolId}`);
}

/**
 * Id of the storage that takes copies of a pool without a free storage of its own; null when the emergency folder is
 * not there or full itself. The folder is never made: where it is missing, nobody wants it or its disk is away.
 */
export async function takeEmergencyStorage(request: {
  readonly places: ReturnType<typeof createPlacementStore>;
  readonly folder: string;
  readonly pool: { readonly id: number; readonly pool_type: string; readonly media_server_id: number };
  readonly neededBytes: number;
  readonly nowMs: number;
}): Promise<number | null> {
  const { places, folder, pool, neededBytes, nowMs } = request;
  if (pool.pool_type !== 'File system') return null;
  const space = await readDiskSpace(folder);
  if (space === null || space.freeBytes < Math.max(leastFreeBytes, neededBytes)) return null;
  const path = emergencyPath(folder, pool.id);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const known = await places.storageAt(path, pool.media_server_id);
  if (known !== null) return known.poolId === pool.id ? known.id : null;
  const description = 'Emergency storage: used while the pool has no free storage of its own';
  return places.addStorage({ path, description, pool, createdMs: nowMs });
}
