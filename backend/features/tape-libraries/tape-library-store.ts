import { sql } from 'kysely';
import { type Db, removeRows, type Tx } from '../../db/index.ts';
import { active } from '../active-tasks.ts';
import { createTapePlaceStore } from '../tape-place-store.ts';
import type { LibraryUse } from './tape-library-rules.ts';

export interface StoredLibrary {
  readonly id: number;
  readonly poolId: number;
  readonly pool: string;
  readonly mediaServerId: number;
  readonly mediaServer: string;
  readonly isLocal: boolean;
  readonly description: string | null;
  readonly slotsCount: number;
  readonly hasFailed: boolean;
  readonly lastSyncMs: number | null;
  readonly robotUnloads: boolean;
}

export interface LibraryPool {
  readonly id: number;
  readonly type: string;
  readonly mediaServerId: number;
  readonly libraryId: number | null;
}

export function createTapeLibraryStore(db: Db | Tx) {
  const selection = () =>
    db
      .selectFrom('tape_libraries')
      .innerJoin('pools', 'pools.id', 'tape_libraries.pool_id')
      .innerJoin('media_servers', 'media_servers.id', 'tape_libraries.media_server_id')
      .selectAll('tape_libraries')
      .select(['pools.name as pool', 'media_servers.name as media_server', 'media_servers.is_local'])
      .orderBy('tape_libraries.id');
  type Row = Awaited<ReturnType<ReturnType<typeof selection>['execute']>>[number];
  const toLibrary = (row: Row): StoredLibrary => ({
    id: row.id,
    poolId: row.pool_id,
    pool: row.pool,
    mediaServerId: row.media_server_id,
    mediaServer: row.media_server,
    isLocal: row.is_local === 1,
    description: row.description,
    slotsCount: row.slots_count,
    hasFailed: row.status === 'error',
    lastSyncMs: row.last_sync_ms,
    robotUnloads: row.robot_unloads === 1,
  });

  return {
    ...createTapePlaceStore(db),
    all: async (): Promise<readonly StoredLibrary[]> => (await selection().execute()).map(toLibrary),

    get: async (id: number): Promise<StoredLibrary | null> => {
      const row = await selection().where('tape_libraries.id', '=', id).executeTakeFirst();
      return row ? toLibrary(row) : null;
    },

    poolByName: async (name: string): Promise<LibraryPool | null> => {
      const row = await db
        .selectFrom('pools')
        .leftJoin('tape_libraries', 'tape_libraries.pool_id', 'pools.id')
        .select(['pools.id', 'pools.pool_type as type', 'pools.media_server_id as mediaServerId'])
        .select('tape_libraries.id as libraryId')
        .where('pools.name', '=', name)
        .executeTakeFirst();
      return row ?? null;
    },

    /** Pools of type `Tape library`, with or without one. */
    tapePools: async (page: {
      readonly offset: number;
      readonly limit: number;
    }): Promise<{
      readonly items: readonly {
        readonly id: number;
        readonly pool_name: string;
        readonly library_id: number | null;
      }[];
      readonly total: number;
    }> => {
      const pools = db.selectFrom('pools').where('pools.pool_type', '=', 'Tape library');
      const counted = await pools.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
      const items = await pools
        .leftJoin('tape_libraries', 'tape_libraries.pool_id', 'pools.id')
        .select(['pools.id', 'pools.name as pool_name', 'tape_libraries.id as library_id'])
        .orderBy('pools.id')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      return { items, total: Number(counted.total) };
    },

    insert: async (library: {
      readonly poolId: number;
      readonly mediaServerId: number;
      readonly description: string | null;
      readonly slotsCount: number;
      readonly createdMs: number;
      readonly robotUnloads: boolean;
    }): Promise<number> => {
      const row = await db
        .insertInto('tape_libraries')
        .values({
          pool_id: library.poolId,
          media_server_id: library.mediaServerId,
          description: library.description,
          slots_count: library.slotsCount,
          status: 'ready',
          last_sync_ms: null,
          created_ms: library.createdMs,
          robot_unloads: library.robotUnloads ? 1 : 0,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    /** The robot answered, and everything in the library is registered. */
    saveSync: async (
      id: number,
      facts: { readonly slotsCount: number; readonly syncMs: number },
    ): Promise<void> => {
      await db
        .updateTable('tape_libraries')
        .set({ slots_count: facts.slotsCount, last_sync_ms: facts.syncMs, status: 'ready' })
        .where('id', '=', id)
        .execute();
    },

    /** How its robot takes cartridges out of drives; 0 when there is no such library. */
    saveUnloading: async (id: number, robotUnloads: boolean): Promise<number> => {
      const result = await db
        .updateTable('tape_libraries')
        .set({ robot_unloads: robotUnloads ? 1 : 0 })
        .where('id', '=', id)
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    },

    saveStatus: async (id: number, status: 'ready' | 'error'): Promise<void> => {
      await db.updateTable('tape_libraries').set({ status }).where('id', '=', id).execute();
    },

    uses: async (ids: readonly number[]): Promise<readonly LibraryUse[]> => {
      const rows = await db
        .selectFrom('tape_libraries')
        .innerJoin('pools', 'pools.id', 'tape_libraries.pool_id')
        .select(['tape_libraries.id', 'pools.name as pool'])
        .select([
          sql<number>`(select count(*) from cartridges where cartridges.tape_library_id = tape_libraries.id
            and cartridges.written > 0)`.as('written_cartridges'),
          sql<number>`(select count(*) from tasks
            where (tasks.pool_id = pools.id or tasks.source_pool_id = pools.id)
              and tasks.status in (${sql.join(active)}))`.as('active_tasks'),
          sql<number>`(select count(*) from tasks
            where (tasks.pool_id = pools.id or tasks.source_pool_id = pools.id)
              and tasks.status in (${sql.join(active)}) 
              and not (tasks.status = 'suspended' and coalesce(tasks.suspend_reason, '') = 'resource'))`.as(
            'working_tasks',
          ),
        ])
        .where('tape_libraries.id', 'in', [...ids])
        .execute();
      return rows.map((row) => ({
        id: row.id,
        pool: row.pool,
        writtenCartridges: Number(row.written_cartridges),
        activeTasks: Number(row.active_tasks),
        workingTasks: Number(row.working_tasks),
      }));
    },

    /** With its cartridges. */
    remove: (ids: readonly number[]) => removeRows(db, 'tape_libraries', ids),
  };
}
