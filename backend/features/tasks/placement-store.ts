import { sql } from 'kysely';
import type { Db, Tx } from '../../db/index.ts';
import { storedBytesOfStrategy } from '../stored-bytes-store.ts';

export interface StoragePlace {
  readonly id: number;
  readonly path: string;
  readonly copies: number;
}

/** Reads what the placement of a copy is decided by. */
export function createPlacementStore(db: Db | Tx) {
  return {
    pool: async (id: number) =>
      (await db
        .selectFrom('pools')
        .select(['id', 'name', 'pool_type', 'media_server_id', 'compression_type', 'ignore_free_space_check'])
        .select('meta_data_pool_id')
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

    storageAt: async (
      path: string,
      mediaServerId: number,
    ): Promise<{ readonly id: number; readonly poolId: number } | null> => {
      const row = await db
        .selectFrom('storages')
        .select(['id', 'pool_id as poolId'])
        .where('path', '=', path)
        .where('media_server_id', '=', mediaServerId)
        .executeTakeFirst();
      return row ?? null;
    },

    addStorage: async (storage: {
      readonly path: string;
      readonly description: string;
      readonly pool: { readonly id: number; readonly media_server_id: number };
      readonly createdMs: number;
    }): Promise<number> => {
      const row = await db
        .insertInto('storages')
        .values({
          path: storage.path,
          pool_id: storage.pool.id,
          media_server_id: storage.pool.media_server_id,
          description: storage.description,
          created_ms: storage.createdMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    allStoragePaths: async (): Promise<readonly string[]> =>
      (await db.selectFrom('storages').select('path').orderBy('id').execute()).map((row) => row.path),

    /** Devices of this host that hold blocks of its pools. */
    blockDevicePaths: async (): Promise<readonly string[]> => {
      const rows = await db
        .selectFrom('block_devices')
        .innerJoin('media_servers', 'media_servers.id', 'block_devices.media_server_id')
        .select('block_devices.device')
        .where('media_servers.is_local', '=', 1)
        .execute();
      return rows.map(({ device }) => device);
    },

    storagePath: async (id: number): Promise<string | null> =>
      (await db.selectFrom('storages').select('path').where('id', '=', id).executeTakeFirst())?.path ?? null,

    client: async (id: number) =>
      (await db
        .selectFrom('clients')
        .select(['id', 'hostname', 'hwid', 'storage_capacity', 'is_local'])
        .where('id', '=', id)
        .executeTakeFirst()) ?? null,

    strategyOfRule: async (ruleId: number) =>
      (await db
        .selectFrom('strategy_rules')
        .innerJoin('strategies', 'strategies.id', 'strategy_rules.strategy_id')
        .select(['strategies.id', 'strategies.name', 'strategies.capacity'])
        .where('strategy_rules.id', '=', ruleId)
        .executeTakeFirst()) ?? null,

    storedBytesOfStrategy: (strategyId: number): Promise<number> => storedBytesOfStrategy(db, strategyId),

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
