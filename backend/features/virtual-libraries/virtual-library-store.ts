import { type Db, removeRows, type Tx } from '../../db/index.ts';
import { createTapePlaceStore } from '../tape-place-store.ts';

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
    ...createTapePlaceStore(db),
    all: async (): Promise<readonly StoredVirtualLibrary[]> => selection().execute(),

    some: async (ids: readonly number[]): Promise<readonly StoredVirtualLibrary[]> =>
      selection()
        .where('virtual_libraries.id', 'in', [...ids])
        .execute(),

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

    remove: (ids: readonly number[]) => removeRows(db, 'virtual_libraries', ids),
  };
}
