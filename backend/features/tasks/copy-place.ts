import type { QueuedTask, WorkEnd } from '../../jobs/index.ts';
import { readDiskSpace } from '../../platform/disk-space.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import { emergencyPath, takeEmergencyStorage } from './emergency-storage.ts';
import { type PlacementCandidate, placeCopy, type Spread } from './placement-rules.ts';
import type { createPlacementStore, StoragePlace } from './placement-store.ts';

/** The storage that a new copy goes to (of block devices: its file list), and what is to be said about it. */
export interface CopyPlace {
  readonly kind: 'place';
  readonly storage: PlacementCandidate;
  /** A line of the task's log for an administrator, or null. */
  readonly warning: string | null;
  /** Should the space not do after all, the task waits for more; else it fails. */
  readonly waitsForSpace: boolean;
}

export type CopyPlaces = ReturnType<typeof createCopyPlaces>;

/** Tasks whose need is remembered; it is an estimate that saves a vain attempt, so it may be forgotten. */
const mostNeeds = 1_000;

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

  /** Bytes that a task's copy needs, from an attempt that found too little room. */
  const needs = new Map<number, number>();

  /** Blocks have no names: what lists them lies in the storages of another pool. */
  const holderOf = async (poolId: number | null) => {
    const pool = poolId === null ? null : await places.pool(poolId);
    if (pool === null) return null;
    const isElsewhere = pool.pool_type === 'Block device' && pool.meta_data_pool_id !== null;
    const holder = isElsewhere ? await places.pool(pool.meta_data_pool_id ?? -1) : pool;
    return { pool, holder, waitsForSpace: pool.ignore_free_space_check !== 1 };
  };

  return {
    /** The storage that an earlier attempt has begun to write to; null when it is none of the pool's, or away. */
    again: async (task: QueuedTask, storageId: number): Promise<CopyPlace | null> => {
      const found = await holderOf(task.pool_id);
      if (found?.holder == null) return null;
      const begun = (await places.storagesOf(found.holder.id)).filter(({ id }) => id === storageId);
      const [storage] = await measured(begun);
      if (storage === undefined || storage.freeBytes === null) return null;
      return { kind: 'place', storage, warning: null, waitsForSpace: found.waitsForSpace };
    },

    /** The copy of this task did not fit into `storage`: it needs that many bytes more. Kept until the process ends. */
    noteShortage: (taskId: number, storage: PlacementCandidate, missingBytes: number): void => {
      if (needs.size >= mostNeeds) needs.clear();
      needs.set(taskId, (storage.freeBytes ?? 0) + missingBytes);
    },

    /** `knownBytes`: what it will need, where that is known before; 0 otherwise. */
    find: async (task: QueuedTask, knownBytes = 0): Promise<CopyPlace | WorkEnd> => {
      const found = await holderOf(task.pool_id);
      if (found === null) {
        return { kind: 'error', message: `The pool ${task.pool_name} is not there any more.` };
      }
      const { pool, holder, waitsForSpace } = found;
      if (holder === null) {
        return { kind: 'error', message: `The metadata pool of ${pool.name} is not there any more.` };
      }
      const neededBytes = Math.max(needs.get(task.id) ?? 0, knownBytes);
      const settings = await deps.configuration.read();
      const emergency = emergencyPath(settings.emergency_storage_local_catalog, holder.id);
      // What was made for an emergency is left alone while the pool has room of its own.
      const own = (await places.storagesOf(holder.id)).filter((storage) => storage.path !== emergency);
      const placement = placeCopy(holder.name, await measured(own), {
        spread: settings.data_spred_into_pool as Spread,
        ignoresFreeSpace: !waitsForSpace,
        reservePercent: settings.pool_storage_capacity_reserve,
        neededBytes,
      });
      // What a pool has is tried before what is kept for an emergency, unless it is known to be too little.
      if (placement.kind === 'storage' && !placement.isTooSmall) {
        const reserve = `Less than ${settings.pool_storage_capacity_reserve} % of the pool ${holder.name} is free. Free space or add a storage.`;
        const warning = placement.isReserveUsed ? reserve : null;
        return { kind: 'place', storage: placement.storage, warning, waitsForSpace };
      }
      const folder = settings.emergency_storage_local_catalog;
      const request = { places, folder, pool: holder, neededBytes, nowMs: deps.now() };
      const storageId = await takeEmergencyStorage(request);
      const [storage] = await measured(
        (await places.storagesOf(holder.id)).filter(({ id }) => id === storageId),
      );
      const reason =
        placement.kind === 'refused'
          ? placement.reason
          : `The storages of the pool ${holder.name} have too little room for this copy.`;
      if (storage !== undefined) {
        const warning = `${reason} The copy goes to the emergency storage.`;
        return { kind: 'place', storage, warning, waitsForSpace };
      }
      if (placement.kind === 'refused') return { kind: 'waiting', message: reason };
      return { kind: 'place', storage: placement.storage, warning: reason, waitsForSpace };
    },
  };
}
