import { sql } from 'kysely';
import type { ClientGroup } from '../../../contract/client-groups/client-group.ts';
import {
  type Db,
  type Dialect,
  foldCase,
  idOfTakenName,
  type ListColumns,
  type ListRequest,
  listPage,
  type Page,
  removeRows,
  type Tx,
} from '../../db/index.ts';
import type { ClientGroupUse } from './client-group-rules.ts';

const authorizedClients = sql<number>`(select count(*) from clients
  where clients.client_group_id = client_groups.id and clients.authorized = 1)`;
const allClients = sql<number>`(select count(*) from clients where clients.client_group_id = client_groups.id)`;

const limitedUsers = sql<number>`(select count(*) from user_client_groups
  where user_client_groups.client_group_id = client_groups.id)`;

const columns: ListColumns = {
  id: { column: 'client_groups.id', kind: 'integer' },
  name: { column: 'client_groups.name', kind: 'text', search: true },
  shared: { column: 'client_groups.shared', kind: 'boolean' },
  clients_total: { column: authorizedClients, kind: 'integer' },
};

export type ClientGroupStore = ReturnType<typeof createClientGroupStore>;

/** `only`: the groups that the caller is limited to; null = all. */
export function createClientGroupStore(db: Db | Tx) {
  const selection = (only: readonly number[] | null) =>
    db
      .selectFrom('client_groups')
      .select(['client_groups.id', 'client_groups.name', 'client_groups.shared'])
      .select(authorizedClients.as('clients_total'))
      .$if(only !== null, (query) => query.where('client_groups.id', 'in', [...(only ?? []), -1]));
  type Row = { id: number; name: string; shared: 0 | 1; clients_total: number };
  const toRecord = (row: Row): ClientGroup => ({
    id: row.id,
    name: row.name,
    shared: row.shared === 1,
    clients_total: Number(row.clients_total),
  });

  return {
    list: async (
      list: ListRequest,
      only: readonly number[] | null,
      dialect: Dialect,
    ): Promise<Page<ClientGroup>> => {
      const page = await listPage(selection(only), {
        list,
        columns,
        dialect,
        tieBreaker: 'client_groups.id',
      });
      return { rows: page.rows.map(toRecord), total: page.total };
    },

    get: async (id: number, only: readonly number[] | null): Promise<ClientGroup | null> => {
      const row = await selection(only).where('client_groups.id', '=', id).executeTakeFirst();
      return row ? toRecord(row) : null;
    },

    uses: async (ids: readonly number[]): Promise<readonly ClientGroupUse[]> => {
      const rows = await db
        .selectFrom('client_groups')
        .select(['client_groups.id', 'client_groups.name'])
        .select([allClients.as('clients'), limitedUsers.as('users')])
        .where('client_groups.id', 'in', [...ids])
        .execute();
      return rows.map((row) => ({ ...row, clients: Number(row.clients), users: Number(row.users) }));
    },

    /** The group of exactly this name. */
    idByName: async (name: string): Promise<number | null> => {
      const row = await db
        .selectFrom('client_groups')
        .select('id')
        .where('name', '=', name)
        .executeTakeFirst();
      return row?.id ?? null;
    },

    /** The group whose name differs at most in case. */
    idOfTakenName: (name: string) => idOfTakenName(db, 'client_groups', name),

    insert: async (group: {
      readonly name: string;
      readonly shared: boolean;
      readonly createdMs: number;
    }) => {
      const row = await db
        .insertInto('client_groups')
        .values({
          name: group.name,
          name_key: foldCase(group.name),
          shared: group.shared ? 1 : 0,
          created_ms: group.createdMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    update: async (
      id: number,
      change: { readonly name?: string | undefined; readonly shared?: boolean | undefined },
    ): Promise<void> => {
      const values = {
        ...(change.name === undefined ? {} : { name: change.name, name_key: foldCase(change.name) }),
        ...(change.shared === undefined ? {} : { shared: change.shared ? (1 as const) : (0 as const) }),
      };
      if (Object.keys(values).length === 0) return;
      await db.updateTable('client_groups').set(values).where('id', '=', id).execute();
    },

    remove: (ids: readonly number[]) => removeRows(db, 'client_groups', ids),
  };
}
