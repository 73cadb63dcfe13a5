import type { Db, Tx } from '../db/index.ts';

/** A media server as what is added to it needs it. */
export interface NamedMediaServer {
  readonly id: number;
  readonly name: string;
  readonly isLocal: boolean;
}

/** Media servers, and what tape libraries use on them. */
export function createTapePlaceStore(db: Db | Tx) {
  return {
    mediaServerByName: async (name: string): Promise<NamedMediaServer | null> => {
      const row = await db
        .selectFrom('media_servers')
        .select(['id', 'name', 'is_local'])
        .where('name', '=', name)
        .executeTakeFirst();
      return row ? { id: row.id, name: row.name, isLocal: row.is_local === 1 } : null;
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
  };
}
