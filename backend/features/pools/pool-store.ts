import { sql } from 'kysely';
import { type Db, foldCase, idOfTakenName, type Tx } from '../../db/index.ts';
import { active } from '../active-tasks.ts';
import type { BlockParameters, PoolUse } from './pool-rules.ts';

/** A pool as it is stored; space and storages are looked at by the service. */
export interface StoredPool {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly mediaServer: string;
  readonly mediaServerId: number;
  readonly compression: string | null;
  readonly description: string | null;
  readonly retentionPeriod: string | null;
  readonly ignoresFreeSpace: boolean;
  readonly metaDataPool: string | null;
  readonly algorithm: string | null;
  readonly blockSizeBytes: number | null;
  readonly hashLengthBits: number | null;
  readonly mediaSet: string | null;
  readonly takesScratch: boolean;
  readonly createdMs: number;
  readonly copies: number;
}

/** Bytes of one block device. */
export interface BlockSpace {
  readonly totalBytes: number;
  readonly usedBytes: number;
}

export interface NewPool {
  readonly name: string;
  readonly type: string;
  readonly mediaServerId: number;
  readonly compression: string | null;
  readonly description: string | null;
  readonly retentionPeriod: string | null;
  readonly ignoresFreeSpace: boolean;
  readonly metaDataPoolId: number | null;
  readonly block: BlockParameters;
  readonly mediaSet: string | null;
  readonly takesScratch: boolean;
  readonly createdMs: number;
}

export interface PoolChange {
  readonly name?: string | undefined;
  readonly compression?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly retentionPeriod?: string | null | undefined;
  readonly ignoresFreeSpace?: boolean | undefined;
  readonly metaDataPoolId?: number | undefined;
  readonly mediaSet?: string | null | undefined;
  readonly takesScratch?: boolean | undefined;
}

const copiesCount = sql<number>`(select count(*) from copies where copies.pool_id = pools.id)`;

export type PoolStore = ReturnType<typeof createPoolStore>;

export function createPoolStore(db: Db | Tx) {
  const selection = () =>
    db
      .selectFrom('pools')
      .innerJoin('media_servers', 'media_servers.id', 'pools.media_server_id')
      .leftJoin('pools as meta_pools', 'meta_pools.id', 'pools.meta_data_pool_id')
      .selectAll('pools')
      .select(['media_servers.name as media_server', 'meta_pools.name as meta_data_pool'])
      .select(copiesCount.as('copies'))
      .orderBy('pools.id');
  type Row = Awaited<ReturnType<ReturnType<typeof selection>['execute']>>[number];
  const toPool = (row: Row): StoredPool => ({
    id: row.id,
    name: row.name,
    type: row.pool_type,
    mediaServer: row.media_server,
    mediaServerId: row.media_server_id,
    compression: row.compression_type,
    description: row.description,
    retentionPeriod: row.retention_period,
    ignoresFreeSpace: row.ignore_free_space_check === 1,
    metaDataPool: row.meta_data_pool,
    algorithm: row.algorithm,
    blockSizeBytes: row.block_size,
    hashLengthBits: row.hash_length,
    mediaSet: row.media_set_name,
    takesScratch: row.takes_scratch === 1,
    createdMs: row.created_ms,
    copies: Number(row.copies),
  });

  return {
    all: async (): Promise<readonly StoredPool[]> => (await selection().execute()).map(toPool),

    get: async (id: number): Promise<StoredPool | null> => {
      const row = await selection().where('pools.id', '=', id).executeTakeFirst();
      return row ? toPool(row) : null;
    },

    byName: async (name: string): Promise<StoredPool | null> => {
      const row = await selection().where('pools.name', '=', name).executeTakeFirst();
      return row ? toPool(row) : null;
    },

    /** Paths of the storages by pool. */
    storagePaths: async (): Promise<ReadonlyMap<number, readonly string[]>> => {
      const rows = await db.selectFrom('storages').select(['pool_id', 'path']).orderBy('id').execute();
      const byPool = new Map<number, string[]>();
      for (const row of rows) byPool.set(row.pool_id, [...(byPool.get(row.pool_id) ?? []), row.path]);
      return byPool;
    },

    /** Block devices, by pool. */
    blockDevices: async (): Promise<ReadonlyMap<number, readonly BlockSpace[]>> => {
      const rows = await db
        .selectFrom('block_devices')
        .select(['pool_id', 'size as totalBytes', 'used as usedBytes'])
        .orderBy('id')
        .execute();
      const byPool = new Map<number, BlockSpace[]>();
      for (const { pool_id: pool, ...space } of rows) byPool.set(pool, [...(byPool.get(pool) ?? []), space]);
      return byPool;
    },

    /** Pools that a tape library belongs to. */
    withLibrary: async (): Promise<ReadonlySet<number>> => {
      const rows = await db.selectFrom('tape_libraries').select('pool_id').execute();
      return new Set(rows.map((row) => row.pool_id));
    },

    mediaServerIdByName: async (name: string): Promise<number | null> => {
      const row = await db
        .selectFrom('media_servers')
        .select('id')
        .where('name', '=', name)
        .executeTakeFirst();
      return row?.id ?? null;
    },

    /** The pool whose name differs at most in case. */
    idOfTakenName: (name: string) => idOfTakenName(db, 'pools', name),

    insert: async (pool: NewPool): Promise<number> => {
      const row = await db
        .insertInto('pools')
        .values({
          name: pool.name,
          name_key: foldCase(pool.name),
          pool_type: pool.type,
          media_server_id: pool.mediaServerId,
          compression_type: pool.compression,
          description: pool.description,
          retention_period: pool.retentionPeriod,
          ignore_free_space_check: pool.ignoresFreeSpace ? 1 : 0,
          meta_data_pool_id: pool.metaDataPoolId,
          algorithm: pool.block.algorithm,
          block_size: pool.block.blockSizeBytes,
          hash_length: pool.block.hashLengthBits,
          media_set_name: pool.mediaSet,
          takes_scratch: pool.takesScratch ? 1 : 0,
          created_ms: pool.createdMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    update: async (id: number, change: PoolChange): Promise<void> => {
      const { name, compression, description, retentionPeriod, ignoresFreeSpace, metaDataPoolId } = change;
      const { mediaSet, takesScratch } = change;
      const values = {
        ...(name === undefined ? {} : { name, name_key: foldCase(name) }),
        ...(compression === undefined ? {} : { compression_type: compression }),
        ...(description === undefined ? {} : { description }),
        ...(retentionPeriod === undefined ? {} : { retention_period: retentionPeriod }),
        ...(ignoresFreeSpace === undefined
          ? {}
          : { ignore_free_space_check: ignoresFreeSpace ? (1 as const) : (0 as const) }),
        ...(metaDataPoolId === undefined ? {} : { meta_data_pool_id: metaDataPoolId }),
        ...(mediaSet === undefined ? {} : { media_set_name: mediaSet }),
        ...(takesScratch === undefined ? {} : { takes_scratch: takesScratch ? (1 as const) : (0 as const) }),
      };
      if (Object.keys(values).length === 0) return;
      await db.updateTable('pools').set(values).where('id', '=', id).execute();
    },

    /** The metadata of the pool are to follow to its metadata pool, or to stay where they are. */
    wishMetadataMove: async (id: number, askedMs: number | null): Promise<void> => {
      await db.deleteFrom('metadata_moves').where('pool_id', '=', id).execute();
      if (askedMs === null) return;
      await db.insertInto('metadata_moves').values({ pool_id: id, asked_ms: askedMs }).execute();
    },

    uses: async (ids: readonly number[]): Promise<readonly PoolUse[]> => {
      const rows = await db
        .selectFrom('pools')
        .select(['pools.id', 'pools.name'])
        .select([
          copiesCount.as('copies'),
          sql<number>`(select count(*) from storages where storages.pool_id = pools.id)
            + (select count(*) from block_devices where block_devices.pool_id = pools.id)`.as('storages'),
          sql<number>`(select count(*) from tape_libraries where tape_libraries.pool_id = pools.id)`.as(
            'libraries',
          ),
          sql<number>`(select count(*) from cartridges where cartridges.pool_id = pools.id)`.as('cartridges'),
          sql<number>`(select count(*) from tasks
            where (tasks.pool_id = pools.id or tasks.source_pool_id = pools.id)
              and tasks.status in (${sql.join(active)}))`.as('active_tasks'),
          sql<number>`(select count(*) from pools other where other.meta_data_pool_id = pools.id)`.as(
            'data_pools',
          ),
          sql<number>`(select count(*) from clients where clients.ls_pool_id = pools.id)`.as('clients'),
          sql<number>`(select count(*) from strategies where strategies.pool_id = pools.id)`.as('strategies'),
        ])
        .where('pools.id', 'in', [...ids])
        .execute();
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        copies: Number(row.copies),
        storages: Number(row.storages),
        libraries: Number(row.libraries),
        cartridges: Number(row.cartridges),
        activeTasks: Number(row.active_tasks),
        dataPools: Number(row.data_pools),
        clients: Number(row.clients),
        strategies: Number(row.strategies),
      }));
    },

    remove: async (id: number): Promise<void> => {
      await db.deleteFrom('pools').where('id', '=', id).execute();
    },
  };
}
