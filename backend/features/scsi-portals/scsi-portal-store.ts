import { sql } from 'kysely';
import type { ScsiPortal } from '../../../contract/scsi-portals/scsi-portal.ts';
import {
  type Db,
  type Dialect,
  type ListColumns,
  type ListRequest,
  listPage,
  type Page,
  removeRows,
  type Tx,
} from '../../db/index.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import { createTapePlaceStore } from '../tape-place-store.ts';

const columnsWith = (initiatorName: string): ListColumns => ({
  id: { column: 'scsi_portals.id', kind: 'integer' },
  media_server: { column: 'media_servers.name', kind: 'text', search: true },
  address: { column: 'scsi_portals.address', kind: 'text', search: true },
  port: { column: 'scsi_portals.port', kind: 'integer' },
  user: { column: 'scsi_portals.user_name', kind: 'text', search: true },
  // The same in every row, but a field of the list like any other. The cast lets PostgreSQL order by a constant.
  initiator_name: { column: sql<string>`cast(${sql.lit(initiatorName)} as text)`, kind: 'text' },
  created: { column: 'scsi_portals.created_ms', kind: 'time' },
});

export interface PortalPlace {
  readonly mediaServerId: number;
  readonly address: string;
  readonly port: number;
}

export interface StoredPortal extends PortalPlace {
  readonly id: number;
  readonly userName: string | null;
  /** Sealed. */
  readonly password: string | null;
}

export function createScsiPortalStore(db: Db | Tx, initiatorName: string) {
  const columns = columnsWith(initiatorName);
  const selection = () =>
    db
      .selectFrom('scsi_portals')
      .innerJoin('media_servers', 'media_servers.id', 'scsi_portals.media_server_id')
      .select(['scsi_portals.id', 'media_servers.name as media_server', 'scsi_portals.address'])
      .select(['scsi_portals.port', 'scsi_portals.user_name', 'scsi_portals.created_ms']);
  type Row = Awaited<ReturnType<ReturnType<typeof selection>['executeTakeFirstOrThrow']>>;
  const toRecord = (row: Row): ScsiPortal => ({
    id: row.id,
    media_server: row.media_server,
    address: row.address,
    port: row.port,
    user: row.user_name,
    initiator_name: initiatorName,
    created: toWireTime(row.created_ms),
  });
  const stored = () =>
    db
      .selectFrom('scsi_portals')
      .select(['id', 'media_server_id as mediaServerId', 'address', 'port'])
      .select(['user_name as userName', 'password'])
      .orderBy('id');

  return {
    ...createTapePlaceStore(db),
    list: async (list: ListRequest, dialect: Dialect): Promise<Page<ScsiPortal>> => {
      const page = await listPage(selection(), { list, columns, dialect, tieBreaker: 'scsi_portals.id' });
      return { rows: page.rows.map(toRecord), total: page.total };
    },

    get: async (id: number): Promise<ScsiPortal | null> => {
      const row = await selection().where('scsi_portals.id', '=', id).executeTakeFirst();
      return row ? toRecord(row) : null;
    },

    stored: async (ids: readonly number[]): Promise<readonly StoredPortal[]> =>
      stored()
        .where('id', 'in', [...ids])
        .execute(),

    /** Those of this host. */
    local: async (): Promise<readonly StoredPortal[]> =>
      stored()
        .where('media_server_id', 'in', (query) =>
          query.selectFrom('media_servers').select('media_servers.id').where('is_local', '=', 1),
        )
        .execute(),

    isTaken: async (place: PortalPlace): Promise<boolean> => {
      const row = await db
        .selectFrom('scsi_portals')
        .select('id')
        .where('media_server_id', '=', place.mediaServerId)
        .where('address', '=', place.address)
        .where('port', '=', place.port)
        .executeTakeFirst();
      return row !== undefined;
    },

    insert: async (portal: Omit<StoredPortal, 'id'> & { readonly createdMs: number }): Promise<number> => {
      const row = await db
        .insertInto('scsi_portals')
        .values({
          media_server_id: portal.mediaServerId,
          address: portal.address,
          port: portal.port,
          user_name: portal.userName,
          password: portal.password,
          created_ms: portal.createdMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    remove: (ids: readonly number[]) => removeRows(db, 'scsi_portals', ids),
  };
}
