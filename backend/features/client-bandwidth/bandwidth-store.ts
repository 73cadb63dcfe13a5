import { sql } from 'kysely';
import type { ClientBandwidth } from '../../../contract/client-bandwidth/client-bandwidth.ts';
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
import { clientByText, clientText } from '../client-text-store.ts';
import type { Groups } from '../own-clients-store.ts';

const columns: ListColumns = {
  id: { column: 'client_bandwidth.id', kind: 'integer' },
  client: { column: clientText, kind: 'text', search: true },
  client_hwid: { column: 'clients.hwid', kind: 'text', search: true },
  backup_bandwidth: { column: 'client_bandwidth.backup_bandwidth', kind: 'integer' },
  restore_bandwidth: { column: 'client_bandwidth.restore_bandwidth', kind: 'integer' },
  window_start: { column: 'client_bandwidth.window_start', kind: 'text', search: true },
  window_end: { column: 'client_bandwidth.window_end', kind: 'text', search: true },
};

export interface BandwidthLimit {
  readonly client_id: number;
  readonly backup_bandwidth: number;
  readonly restore_bandwidth: number;
  readonly window_start: string | null;
  readonly window_end: string | null;
}

/** A limit and the group of its client. */
export interface StoredLimit {
  readonly record: ClientBandwidth;
  readonly clientId: number;
  readonly clientGroupId: number;
}

export type BandwidthStore = ReturnType<typeof createBandwidthStore>;

export function createBandwidthStore(db: Db | Tx) {
  const selection = (groups: Groups) =>
    db
      .selectFrom('client_bandwidth')
      .innerJoin('clients', 'clients.id', 'client_bandwidth.client_id')
      .select([
        'client_bandwidth.id',
        clientText.as('client'),
        'clients.hwid as client_hwid',
        'client_bandwidth.backup_bandwidth',
        'client_bandwidth.restore_bandwidth',
        'client_bandwidth.window_start',
        'client_bandwidth.window_end',
        'client_bandwidth.client_id',
        'clients.client_group_id',
      ])
      .$if(groups !== null, (query) => query.where('clients.client_group_id', 'in', [...(groups ?? []), -1]));
  type Row = ClientBandwidth & { readonly client_id: number; readonly client_group_id: number };
  const toStored = ({ client_id, client_group_id, ...record }: Row): StoredLimit => ({
    record,
    clientId: client_id,
    clientGroupId: client_group_id,
  });

  return {
    list: async (list: ListRequest, groups: Groups, dialect: Dialect): Promise<Page<ClientBandwidth>> => {
      const page = await listPage(selection(groups), {
        list,
        columns,
        dialect,
        tieBreaker: 'client_bandwidth.id',
      });
      return { rows: page.rows.map((row) => toStored(row).record), total: page.total };
    },

    get: async (id: number, groups: Groups): Promise<StoredLimit | null> => {
      const row = await selection(groups).where('client_bandwidth.id', '=', id).executeTakeFirst();
      return row ? toStored(row) : null;
    },

    getMany: async (ids: readonly number[], groups: Groups): Promise<readonly StoredLimit[]> =>
      (
        await selection(groups)
          .where('client_bandwidth.id', 'in', [...ids])
          .execute()
      ).map(toStored),

    clientByText: (text: string, groups: Groups) => clientByText(db, text, groups),

    /** Until the transaction ends nobody else changes limits of the client. */
    holdClient: async (clientId: number): Promise<void> => {
      await db.updateTable('clients').set({ hwid: sql<string>`hwid` }).where('id', '=', clientId).execute();
    },

    limitsOf: async (clientIds: readonly number[]) =>
      db
        .selectFrom('client_bandwidth')
        .select(['id', 'client_id', 'backup_bandwidth', 'restore_bandwidth', 'window_start', 'window_end'])
        .where('client_id', 'in', [...clientIds, -1])
        .orderBy('id')
        .execute(),

    insert: async (limit: BandwidthLimit, createdMs: number): Promise<number> => {
      const row = await db
        .insertInto('client_bandwidth')
        .values({ ...limit, created_ms: createdMs })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    update: async (id: number, limit: BandwidthLimit): Promise<void> => {
      await db.updateTable('client_bandwidth').set(limit).where('id', '=', id).execute();
    },

    remove: (ids: readonly number[]) => removeRows(db, 'client_bandwidth', ids),
  };
}
