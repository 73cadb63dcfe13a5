import type { Db } from '../../db/index.ts';

/** A device of a deduplicating pool, and how the pool cuts and names its blocks. */
export interface PoolDevice {
  readonly id: number;
  readonly device: string;
  readonly poolId: number;
  readonly poolName: string;
  readonly algorithm: string;
  readonly blockBytes: number;
  readonly hashBits: number;
  /** How many compress for it beside each other in one backup. */
  readonly parallelWorkers: number;
  /** A store was made on it. */
  readonly hasStore: boolean;
}

/** What the store on a device is like now, in bytes. */
export interface DeviceFigures {
  readonly usedBytes: number;
  readonly hashTableBytes: number;
}

export function createBlockPoolStore(db: Db) {
  const devices = () =>
    db
      .selectFrom('block_devices')
      .innerJoin('pools', 'pools.id', 'block_devices.pool_id')
      .innerJoin('media_servers', 'media_servers.id', 'block_devices.media_server_id')
      .select(['block_devices.id', 'block_devices.device', 'block_devices.pool_id as poolId'])
      .select(['pools.name as poolName', 'pools.algorithm', 'pools.block_size', 'pools.hash_length'])
      .select(['block_devices.hash_table_size', 'block_devices.parallel_workers'])
      .where('media_servers.is_local', '=', 1)
      .orderBy('block_devices.id');
  type Row = Awaited<ReturnType<ReturnType<typeof devices>['execute']>>[number];
  const toDevice = (row: Row): PoolDevice => ({
    id: row.id,
    device: row.device,
    poolId: row.poolId,
    poolName: row.poolName,
    algorithm: row.algorithm ?? '',
    blockBytes: row.block_size ?? 0,
    hashBits: row.hash_length ?? 0,
    parallelWorkers: row.parallel_workers,
    hasStore: row.hash_table_size > 0,
  });

  return {
    all: async (): Promise<readonly PoolDevice[]> => (await devices().execute()).map(toDevice),

    ofPool: async (poolId: number): Promise<readonly PoolDevice[]> =>
      (await devices().where('block_devices.pool_id', '=', poolId).execute()).map(toDevice),

    /** Null for a pool of another type, or that is gone. */
    blockPool: async (poolId: number): Promise<{ readonly name: string } | null> =>
      (await db
        .selectFrom('pools')
        .select('name')
        .where('id', '=', poolId)
        .where('pool_type', '=', 'Block device')
        .executeTakeFirst()) ?? null,

    /** Folders of all copies of the pool, those apart that are being deleted. */
    copyPaths: async (poolId: number): Promise<readonly string[]> => {
      const rows = await db
        .selectFrom('copies')
        .innerJoin('storages', 'storages.id', 'copies.storage_id')
        .select(['storages.path', 'copies.uuid'])
        .where('copies.pool_id', '=', poolId)
        .where('copies.deleting', '=', 0)
        .orderBy('copies.id')
        .execute();
      return rows.map(({ path, uuid }) => `${path}/${uuid}`);
    },

    /** Where the file lists of the pool's copies go. */
    metadataPaths: async (poolId: number): Promise<readonly string[]> => {
      const rows = await db
        .selectFrom('storages')
        .innerJoin('pools', 'pools.meta_data_pool_id', 'storages.pool_id')
        .select('storages.path')
        .where('pools.id', '=', poolId)
        .orderBy('storages.id')
        .execute();
      // Where others lie, left in a former metadata pool, there may be some that the catalogue does not know.
      const former = await db
        .selectFrom('copies')
        .innerJoin('storages', 'storages.id', 'copies.storage_id')
        .select('storages.path')
        .distinct()
        .where('copies.pool_id', '=', poolId)
        .execute();
      return [...new Set([...rows, ...former].map(({ path }) => path))];
    },

    setUnused: async (id: number): Promise<void> => {
      await db.updateTable('block_devices').set({ used: 0 }).where('id', '=', id).execute();
    },

    setFigures: async (id: number, figures: DeviceFigures): Promise<void> => {
      await db
        .updateTable('block_devices')
        .set({ used: figures.usedBytes, hash_table_size: figures.hashTableBytes })
        .where('id', '=', id)
        .execute();
    },
  };
}
