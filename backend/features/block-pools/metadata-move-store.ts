import type { Db, Tx } from '../../db/index.ts';
import { active } from '../active-tasks.ts';

/** A pool of block devices whose file lists are to lie in the storages of another pool. */
export interface MetadataMove {
  readonly poolId: number;
  readonly poolName: string;
  readonly metadataPoolId: number;
}

/** A copy, and the storage in which its file list lies. */
export interface ListedList {
  readonly id: number;
  readonly uuid: string;
  readonly storageId: number;
  readonly storagePath: string;
  readonly storagePoolId: number;
}

export function createMetadataMoveStore(db: Db | Tx) {
  return {
    asked: async (): Promise<readonly MetadataMove[]> => {
      const rows = await db
        .selectFrom('metadata_moves')
        .innerJoin('pools', 'pools.id', 'metadata_moves.pool_id')
        .select(['pools.id', 'pools.name', 'pools.meta_data_pool_id'])
        .orderBy('pools.id')
        .execute();
      return rows.flatMap(({ id, name, meta_data_pool_id: metadataPoolId }) =>
        metadataPoolId === null ? [] : [{ poolId: id, poolName: name, metadataPoolId }],
      );
    },

    forget: async (poolId: number): Promise<void> => {
      await db.deleteFrom('metadata_moves').where('pool_id', '=', poolId).execute();
    },

    /** All copies of the pool, those apart that are being deleted. */
    listsOf: async (poolId: number): Promise<readonly ListedList[]> => {
      const rows = await db
        .selectFrom('copies')
        .innerJoin('storages', 'storages.id', 'copies.storage_id')
        .select(['copies.id', 'copies.uuid', 'storages.path', 'storages.id as storage', 'storages.pool_id'])
        .where('copies.pool_id', '=', poolId)
        .where('copies.deleting', '=', 0)
        .orderBy('copies.id')
        .execute();
      return rows.map(({ id, uuid, path, storage, pool_id }) => ({
        id,
        uuid,
        storageId: storage,
        storagePath: path,
        storagePoolId: pool_id,
      }));
    },

    storagesOf: (poolId: number) =>
      db.selectFrom('storages').select(['id', 'path']).where('pool_id', '=', poolId).orderBy('id').execute(),

    /** Of all pools, where a file list may have been left over. */
    storagePaths: async (): Promise<readonly string[]> =>
      (await db.selectFrom('storages').select('path').orderBy('id').execute()).map(({ path }) => path),

    isUsed: async (id: number): Promise<boolean> => {
      const uses = await db
        .selectFrom('tasks')
        .select('id')
        .where('copy_id', '=', id)
        .where('status', 'in', active)
        .executeTakeFirst();
      return uses !== undefined;
    },

    /** False when the copy is not there any more. */
    relocate: async ({ id, storageId }: ListedList, to: number): Promise<boolean> => {
      const result = await db
        .updateTable('copies')
        .set({ storage_id: to })
        .where('id', '=', id)
        .where('storage_id', '=', storageId)
        .where('deleting', '=', 0)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },
  };
}
