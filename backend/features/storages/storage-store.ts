import { sql } from 'kysely';
import { type Db, removeRows, type Tx } from '../../db/index.ts';
import { running } from '../active-tasks.ts';
import type { StorageUse } from './storage-rules.ts';

export interface StoredStorage {
  readonly id: number;
  readonly path: string;
  readonly pool: string;
  readonly mediaServer: string;
  readonly description: string | null;
}

export function createStorageStore(db: Db | Tx) {
  const selection = () =>
    db
      .selectFrom('storages')
      .innerJoin('pools', 'pools.id', 'storages.pool_id')
      .innerJoin('media_servers', 'media_servers.id', 'storages.media_server_id')
      .select([
        'storages.id',
        'storages.path',
        'storages.description',
        'pools.name as pool',
        'media_servers.name as mediaServer',
      ])
      .orderBy('storages.id');

  return {
    all: (): Promise<readonly StoredStorage[]> => selection().execute(),

    get: async (id: number): Promise<StoredStorage | null> =>
      (await selection().where('storages.id', '=', id).executeTakeFirst()) ?? null,

    pathsOn: async (mediaServerId: number): Promise<readonly string[]> => {
      const rows = await db
        .selectFrom('storages')
        .select('path')
        .where('media_server_id', '=', mediaServerId)
        .execute();
      return rows.map(({ path }) => path);
    },

    poolByName: async (
      name: string,
    ): Promise<{ readonly id: number; readonly type: string; readonly mediaServerId: number } | null> => {
      const row = await db
        .selectFrom('pools')
        .select(['id', 'pool_type as type', 'media_server_id as mediaServerId'])
        .where('name', '=', name)
        .executeTakeFirst();
      return row ?? null;
    },

    insert: async (storage: {
      readonly path: string;
      readonly poolId: number;
      readonly mediaServerId: number;
      readonly description: string | null;
      readonly createdMs: number;
    }): Promise<number> => {
      const row = await db
        .insertInto('storages')
        .values({
          path: storage.path,
          pool_id: storage.poolId,
          media_server_id: storage.mediaServerId,
          description: storage.description,
          created_ms: storage.createdMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    describe: async (id: number, description: string | null): Promise<void> => {
      await db.updateTable('storages').set({ description }).where('id', '=', id).execute();
    },

    uses: async (ids: readonly number[]): Promise<readonly StorageUse[]> => {
      const rows = await db
        .selectFrom('storages')
        .select(['storages.id', 'storages.path'])
        .select([
          sql<number>`(select count(*) from copies where copies.storage_id = storages.id)`.as('copies'),
          sql<number>`(select count(*) from tasks where tasks.pool_id = storages.pool_id
            and tasks.status in (${sql.join(running)}))`.as('running_tasks'),
        ])
        .where('storages.id', 'in', [...ids])
        .execute();
      return rows.map((row) => ({
        id: row.id,
        path: row.path,
        copies: Number(row.copies),
        runningTasks: Number(row.running_tasks),
      }));
    },

    remove: (ids: readonly number[]) => removeRows(db, 'storages', ids),
  };
}
