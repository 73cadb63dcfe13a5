import type { WorkEnd } from '../../jobs/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { readDiskSpace } from '../../platform/disk-space.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import { emergencyPath, takeEmergencyStorage } from './emergency-storage.ts';
import { type PlacementCandidate, placeCopy, type Spread } from './placement-rules.ts';
import type { createPlacementStore, StoragePlace } from './placement-store.ts';

export interface StorageChoiceDeps {
  readonly places: ReturnType<typeof createPlacementStore>;
  readonly configuration: Pick<ConfigurationService, 'read'>;
  readonly clock: Clock;
}

/**
 * The storage of the task's pool that a new copy goes to, or how the task ends without one. `warn` hears what an
 * administrator has to know about the choice.
 */
export async function chooseStorage(
  deps: StorageChoiceDeps,
  task: { readonly pool_id: number | null; readonly pool_name: string | null },
  warn: (line: string) => void = () => undefined,
): Promise<PlacementCandidate | WorkEnd> {
  const { places, configuration } = deps;
  const pool = task.pool_id === null ? null : await places.pool(task.pool_id);
  if (pool === null) return { kind: 'error', message: `The pool ${task.pool_name} is not there any more.` };
  const settings = await configuration.read();
  const folder = settings.emergency_storage_local_catalog;
  const storages = await places.storagesOf(pool.id);
  // What was made for an emergency is left alone while the pool has room of its own.
  const own = storages.filter((storage) => storage.path !== emergencyPath(folder, pool.id));
  const reservePercent = settings.pool_storage_capacity_reserve;
  const placement = placeCopy(pool.name, await measured(own), {
    spread: settings.data_spred_into_pool as Spread,
    ignoresFreeSpace: pool.ignore_free_space_check === 1,
    reservePercent,
  });
  if (placement.kind === 'storage') {
    if (placement.isReserveUsed) {
      warn(`Less than ${reservePercent} % of the pool ${pool.name} is free. Free space or add a storage.`);
    }
    return placement.storage;
  }
  const emergencyId = await takeEmergencyStorage({ places, folder, pool, nowMs: deps.clock.now() });
  const [emergency] = await measured(
    (await places.storagesOf(pool.id)).filter((storage) => storage.id === emergencyId),
  );
  if (emergency === undefined) return { kind: 'waiting', message: placement.reason };
  warn(`${placement.reason} The copy goes to the emergency storage.`);
  return emergency;
}

function measured(storages: readonly StoragePlace[]): Promise<readonly PlacementCandidate[]> {
  return Promise.all(
    storages.map(async (storage) => {
      const space = await readDiskSpace(storage.path);
      return { ...storage, freeBytes: space?.freeBytes ?? null, totalBytes: space?.totalBytes ?? null };
    }),
  );
}
