import type { Db, Tx } from '../../db/index.ts';

export interface StoredVirtualLibrary {
  readonly id: number;
  readonly mediaServerId: number;
  readonly mediaServer: string;
  readonly name: string;
  readonly createdMs: number;
}

/** Which simulated libraries there are; all else of them stands in their folders. */
export function createVirtualLibraryStore(db: Db | Tx) {
  const selection = () =>
    db
      .selectFrom('virtual_libraries')
      .innerJoin('media_servers', 'media_servers.id', 'virtual_libraries.media_server_id')
      .select(['virtual_libraries.id', 'virtual_libraries.name'])
      .select(['virtual_libraries.media_server_id as mediaServerId', 'media_servers.name as mediaServer'])
      .select('virtual_libraries.created_ms as createdMs')
      .orderBy('virtual_libraries.id');

  return {
    all: async (): Promise<readonly StoredVirtualLibrary[]> => selection().execute(),

    some: async (ids: readonly number[]): Promise<readonly StoredVirtualLibrary[]> =>
      selection()
        .where('virtual_libraries.id', 'in', [...ids])
        .execute(),

    mediaServerByName: async (
      name: string,
    ): Promise<{ readonly id: number; readonly isLocal: boolean } | null> => {
      const row = await db
        .selectFrom('media_servers')
        .select(['id', 'is_local'])
        .where('name', '=', name)
        .executeTakeFirst();
      return row ? { id: row.id, isLocal: row.is_local === 1 } : null;
    },

    isTaken: async (name: string): Promise<boolean> => {
      const row = await db
        .selectFrom('virtual_libraries')
        .select('id')
        .where('name', '=', name)
        .executeTakeFirst();
      return row !== undefined;
    },

    insert: async (library: Omit<StoredVirtualLibrary, 'id' | 'mediaServer'>): Promise<number> => {
      const row = await db
        .insertInto('virtual_libraries')
        .values({
          media_server_id: library.mediaServerId,
          name: library.name,
          created_ms: library.createdMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    /** Paths of the robots and drives that libraries use on this media server. */
    usedPaths: async (mediaServerId: number): Promise<readonly string[]> => {
      const rows = await db
        .selectFrom('tape_devices')
        .select('sg_path')
        .where('media_server_id', '=', mediaServerId)
        .where('tape_library_id', 'is not', null)
        .execute();
      return rows.map((row) => row.sg_path);
    },

    remove: async (ids: readonly number[]): Promise<void> => {
      await db
        .deleteFrom('virtual_libraries')
        .where('id', 'in', [...ids])
        .execute();
    },
  };
}
