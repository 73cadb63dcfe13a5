import { sql } from 'kysely';
import { type Db, removeRows, type Tx } from '../../db/index.ts';
import { running } from '../active-tasks.ts';
import type { BlockDeviceUse } from './block-device-rules.ts';

export interface StoredBlockDevice {
  readonly id: number;
  readonly device: string;
  readonly isFile: boolean;
  readonly pool: string;
  readonly mediaServer: string;
  readonly description: string | null;
  readonly parallelWorkers: number;
  /** Bytes, when it was added. */
  readonly sizeBytes: number;
  readonly usedBytes: number;
  readonly hashTableBytes: number;
  /** It is a device of this host, so it can be looked at. */
  readonly isLocal: boolean;
}

export interface TargetPool {
  readonly id: number;
  readonly type: string;
  readonly mediaServerId: number;
  readonly mediaServer: string;
  readonly isLocal: boolean;
}

export function createBlockDeviceStore(db: Db | Tx) {
  const selection = () =>
    db
      .selectFrom('block_devices')
      .innerJoin('pools', 'pools.id', 'block_devices.pool_id')
      .innerJoin('media_servers', 'media_servers.id', 'block_devices.media_server_id')
      .selectAll('block_devices')
      .select(['pools.name as pool', 'media_servers.name as media_server', 'media_servers.is_local'])
      .orderBy('block_devices.id');
  type Row = Awaited<ReturnType<ReturnType<typeof selection>['execute']>>[number];
  const toDevice = (row: Row): StoredBlockDevice => ({
    id: row.id,
    device: row.device,
    isFile: row.is_file === 1,
    pool: row.pool,
    mediaServer: row.media_server,
    description: row.description,
    parallelWorkers: row.parallel_workers,
    sizeBytes: row.size,
    usedBytes: row.used,
    hashTableBytes: row.hash_table_size,
    isLocal: row.is_local === 1,
  });

  return {
    all: async (): Promise<readonly StoredBlockDevice[]> => (await selection().execute()).map(toDevice),

    get: async (id: number): Promise<StoredBlockDevice | null> => {
      const row = await selection().where('block_devices.id', '=', id).executeTakeFirst();
      return row ? toDevice(row) : null;
    },

    pathsOn: async (mediaServerId: number): Promise<readonly string[]> => {
      const rows = await db
        .selectFrom('block_devices')
        .select('device')
        .where('media_server_id', '=', mediaServerId)
        .execute();
      return rows.map(({ device }) => device);
    },

    storagePathsOn: async (mediaServerId: number): Promise<readonly string[]> => {
      const rows = await db
        .selectFrom('storages')
        .select('path')
        .where('media_server_id', '=', mediaServerId)
        .execute();
      return rows.map(({ path }) => path);
    },

    poolByName: async (name: string): Promise<TargetPool | null> => {
      const row = await db
        .selectFrom('pools')
        .innerJoin('media_servers', 'media_servers.id', 'pools.media_server_id')
        .select(['pools.id', 'pools.pool_type as type', 'pools.media_server_id as mediaServerId'])
        .select(['media_servers.name as mediaServer', 'media_servers.is_local'])
        .where('pools.name', '=', name)
        .executeTakeFirst();
      if (!row) return null;
      const { is_local: local, ...pool } = row;
      return { ...pool, isLocal: local === 1 };
    },

    insert: async (device: {
      readonly device: string;
      readonly isFile: boolean;
      readonly poolId: number;
      readonly mediaServerId: number;
      readonly description: string | null;
      readonly parallelWorkers: number;
      readonly sizeBytes: number;
      readonly createdMs: number;
    }): Promise<number> => {
      const row = await db
        .insertInto('block_devices')
        .values({
          device: device.device,
          is_file: device.isFile ? 1 : 0,
          pool_id: device.poolId,
          media_server_id: device.mediaServerId,
          description: device.description,
          parallel_workers: device.parallelWorkers,
          size: device.sizeBytes,
          created_ms: device.createdMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    update: async (
      id: number,
      change: {
        readonly description?: string | null | undefined;
        readonly parallelWorkers?: number | undefined;
      },
    ): Promise<void> => {
      const values = {
        ...(change.description === undefined ? {} : { description: change.description }),
        ...(change.parallelWorkers === undefined ? {} : { parallel_workers: change.parallelWorkers }),
      };
      if (Object.keys(values).length === 0) return;
      await db.updateTable('block_devices').set(values).where('id', '=', id).execute();
    },

    uses: async (ids: readonly number[]): Promise<readonly BlockDeviceUse[]> => {
      const rows = await db
        .selectFrom('block_devices')
        .select(['block_devices.id', 'block_devices.device', 'block_devices.used'])
        .select(
          sql<number>`(select count(*) from tasks
            where (tasks.pool_id = block_devices.pool_id or tasks.source_pool_id = block_devices.pool_id)
              and tasks.status in (${sql.join(running)}))`.as('running_tasks'),
        )
        .where('block_devices.id', 'in', [...ids])
        .execute();
      return rows.map((row) => ({
        id: row.id,
        device: row.device,
        usedBytes: row.used,
        runningTasks: Number(row.running_tasks),
      }));
    },

    remove: (ids: readonly number[]) => removeRows(db, 'block_devices', ids),
  };
}
