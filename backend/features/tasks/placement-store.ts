import { sql } from 'kysely';
import type { Db } from '../../db/index.ts';

export interface StoragePlace {
  readonly id: number;
  readonly path: string;
  readonly copies: number;
}

/** Reads what the placement of a copy is decided by. */
export function createPlacementStore(db: Db) {
  return {
    pool: async (id: number) =>
      (await db
        .selectFrom('pools')
        .select(['id', 'name', 'compression_type', 'ignore_free_space_check'])
        .where('id', '=', id)
        .executeTakeFirst()) ?? null,

    storagesOf: async (poolId: number): Promise<readonly StoragePlace[]> => {
      const rows = await db
        .selectFrom('storages')
        .select(['id', 'path'])
        .select(sql<number>`(select count(*) from copies where copies.storage_id = storages.id)`.as('copies'))
        .where('pool_id', '=', poolId)
        .orderBy('id')
        .execute();
      return rows.map((row) => ({ id: row.id, path: row.path, copies: Number(row.copies) }));
    },

    allStoragePaths: async (): Promise<readonly string[]> =>
      (await db.selectFrom('storages').select('path').orderBy('id').execute()).map((row) => row.path),

    storagePath: async (id: number): Promise<string | null> =>
      (await db.selectFrom('storages').select('path').where('id', '=', id).executeTakeFirst())?.path ?? null,

    client: async (id: number) =>
      (await db
        .selectFrom('clients')
        .select(['id', 'hostname', 'hwid', 'storage_capacity'])
        .where('id', '=', id)
        .executeTakeFirst()) ?? null,

    storedBytesOfClient: async (clientId: number): Promise<number> => {
      const row = await db
        .selectFrom('copies')
        .select(sql<number>`coalesce(sum(real_size), 0)`.as('total'))
        .where('client_id', '=', clientId)
        .executeTakeFirst();
      return Number(row?.total ?? 0);
    },
  };
}
