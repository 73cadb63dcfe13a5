import type { Selectable } from 'kysely';
import type { CopiesTable, Db, Tx } from '../../db/index.ts';
import { isListed } from '../listed-copies-store.ts';
import type { Groups } from '../own-clients-store.ts';

/** A copy with the names of what it refers to. */
export interface StoredCopy extends Selectable<CopiesTable> {
  readonly pool_name: string | null;
  readonly pool_type: string | null;
  readonly media_server_id: number | null;
  readonly media_server_name: string | null;
  readonly storage_path: string | null;
  readonly client_group_id: number | null;
}

/** A copy of a tape pool has no folder; its parts are those of its name. */
export const isOnTape = (copy: Pick<StoredCopy, 'storage_path' | 'pool_type'>): boolean =>
  copy.storage_path === null && copy.pool_type === 'Tape library';

export const joinedCopies = (db: Db | Tx) =>
  db
    .selectFrom('copies')
    .leftJoin('pools', 'pools.id', 'copies.pool_id')
    .leftJoin('media_servers', 'media_servers.id', 'pools.media_server_id')
    .leftJoin('storages', 'storages.id', 'copies.storage_id')
    .leftJoin('clients', 'clients.id', 'copies.client_id')
    .selectAll('copies')
    .select([
      'pools.name as pool_name',
      'pools.pool_type as pool_type',
      'media_servers.id as media_server_id',
      'media_servers.name as media_server_name',
      'storages.path as storage_path',
      'clients.client_group_id as client_group_id',
    ]);

/** Those that are there for the caller. */
export const visibleCopies = (db: Db | Tx, groups: Groups) =>
  joinedCopies(db)
    .where(isListed)
    .$if(groups !== null, (query) => query.where('clients.client_group_id', 'in', [...(groups ?? []), -1]));
