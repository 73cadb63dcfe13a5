import type { QueuedTask, WorkEnd } from '../../jobs/index.ts';
import { readDiskSpace } from '../../platform/disk-space.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import { emergencyPath, takeEmergencyStorage } from './emergency-storage.ts';
import { type PlacementCandidate, placeCopy, type Spread } from './placement-rules.ts';
import type { createPlacementStore, StoragePlace } from './placement-store.ts';

/** The storage that a new copy goes to, and what is to be said about it. */
export interface CopyPlace {
  readonly kind: 'place';
  readonly storage: PlacementCandidate;
  /** A line of the task's log for an administrator, or null. */
  readonly warning: string | null;
  /** Should the space not do after all, the task waits for more; else it fails. */
  readonly waitsForSpace: boolean;
}

export type CopyPlaces = ReturnType<typeof createCopyPlaces>;

/** Finds the storage for the copy that a task makes. */
export function createCopyPlaces(deps: {
  readonly places: ReturnType<typeof createPlacementStore>;
  readonly configuration: Pick<ConfigurationService, 'read'>;
  readonly now: () => number;
}) {
  const { places } = deps;

  const measured = (storages: readonly StoragePlace[]): Promise<readonly PlacementCandidate[]> =>
    Promise.all(
      storages.map(async (storage) => {
        const space = await readDiskSpace(storage.path);
        return { ...storage, freeBytes: space?.freeBytes ?? null, totalBytes: space?.totalBytes ?? null };
      }),
    );

  return {
    find: async (task: QueuedTask): Promise<CopyPlace | WorkEnd> => {
      const pool = task.pool_id === null ? null : await places.pool(task.pool_id);
      if (pool === null) {
        return { kind: 'error', message: `The pool ${task.pool_name} is not there any more.` };
      }
      const waitsForSpace = pool.ignore_free_space_check !== 1;
      const settings = await deps.configuration.read();
      const emergency = emergencyPath(settings.emergency_storage_local_catalog, pool.id);
      // What was made for an emergency is left alone while the pool has room of its own.
      const own = (await places.storagesOf(pool.id)).filter((storage) => storage.path !== emergency);
      const placement = placeCopy(pool.name, await measured(own), {
        spread: settings.data_spred_into_pool as Spread,
        ignoresFreeSpace: !waitsForSpace,
        reservePercent: settings.pool_storage_capacity_reserve,
      });
      if (placement.kind === 'storage') {
        const reserve = `Less than ${settings.pool_storage_capacity_reserve} % of the pool ${pool.name} is free. Free space or add a storage.`;
        return {
          kind: 'place',
          storage: placement.storage,
          warning: placement.isReserveUsed ? reserve : null,
          waitsForSpace,
        };
      }
      const folder = settings.emergency_storage_local_catalog;
      const storageId = await takeEmergencyStorage({ places, folder, pool, nowMs: deps.now() });
      const [storage] = await measured(
        (await places.storagesOf(pool.id)).filter(({ id }) => id === storageId),
      );
      if (storage === undefined) return { kind: 'waiting', message: placement.reason };
      return {
        kind: 'place',
        storage,
        warning: `${placement.reason} The copy goes to the emergency storage.`,
        waitsForSpace,
      };
    },
  };
}
