import { type SqlBool, sql } from 'kysely';
import type { Client } from '../../../contract/clients/client.ts';
import { formatClientText } from '../../../contract/words.ts';
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
import { toWireTime, toWireTimeOrNull } from '../../platform/wire-time.ts';
import { active } from '../active-tasks.ts';
import { clientText } from '../client-text-store.ts';
import type { ClientChange, ClientUse } from './client-rules.ts';

/** A client that was heard of within this time is online. */
const onlineWithinMs = 90_000;

/** Whom a query concerns. */
export interface ClientScope {
  /** Groups that the caller is limited to; null = all. */
  readonly groups: readonly number[] | null;
  /** Waiting clients (`false`), those in use (`true`), or both (`null`). */
  readonly authorized: boolean | null;
}

export interface GroupPage {
  readonly groups: readonly { readonly id: number; readonly name: string; readonly shared: boolean }[];
  readonly total: number;
}

const storageUsed = sql<number>`(select coalesce(sum(copies.real_size), 0) from copies
  where copies.client_id = clients.id)`;

export function createClientStore(db: Db | Tx, now: () => number) {
  const online = (nowMs: number) => sql<number>`case when clients.is_local = 1
    or coalesce(clients.last_activity_ms, 0) > ${nowMs - onlineWithinMs} then 1 else 0 end`;

  const selection = (scope: ClientScope, nowMs: number) =>
    db
      .selectFrom('clients')
      .innerJoin('client_groups', 'client_groups.id', 'clients.client_group_id')
      .leftJoin('pools', 'pools.id', 'clients.ls_pool_id')
      .selectAll('clients')
      .select([
        'client_groups.name as group_name',
        'client_groups.shared as group_shared',
        'pools.name as ls_pool_name',
      ])
      .select([storageUsed.as('storage_used'), online(nowMs).as('online')])
      .$if(scope.groups !== null, (query) =>
        query.where('clients.client_group_id', 'in', [...(scope.groups ?? []), -1]),
      )
      .$if(scope.authorized !== null, (query) =>
        query.where('clients.authorized', '=', scope.authorized ? 1 : 0),
      );
  type Row = Awaited<ReturnType<ReturnType<typeof selection>['execute']>>[number];

  const hostnameContains = (part: string, dialect: Dialect) =>
    dialect.contains(sql.ref('clients.hostname'), part) as ReturnType<typeof sql<SqlBool>>;

  return {
    list: async (list: ListRequest, scope: ClientScope, dialect: Dialect): Promise<Page<Client>> => {
      const nowMs = now();
      const page = await listPage(selection(scope, nowMs), {
        list,
        columns: listColumns(online(nowMs)),
        dialect,
        tieBreaker: 'clients.id',
      });
      return { rows: page.rows.map((row) => toRecord(row as Row, nowMs)), total: page.total };
    },

    get: async (id: number, scope: ClientScope): Promise<Client | null> => {
      const nowMs = now();
      const row = await selection(scope, nowMs).where('clients.id', '=', id).executeTakeFirst();
      return row ? toRecord(row, nowMs) : null;
    },

    /** One page of the groups (by name), with a filter only those that have a matching client. */
    groups: async (
      asked: {
        readonly only: readonly number[] | null;
        readonly hostname: string | null;
        readonly offset: number;
        readonly limit: number;
      },
      dialect: Dialect,
    ): Promise<GroupPage> => {
      const { hostname } = asked;
      const matching = db
        .selectFrom('client_groups')
        .$if(asked.only !== null, (query) =>
          query.where('client_groups.id', 'in', [...(asked.only ?? []), -1]),
        )
        .$if(hostname !== null, (query) =>
          query.where(({ exists, selectFrom }) =>
            exists(
              selectFrom('clients')
                .select('clients.id')
                .whereRef('clients.client_group_id', '=', 'client_groups.id')
                .where('clients.authorized', '=', 1)
                .where(hostnameContains(hostname ?? '', dialect)),
            ),
          ),
        );
      const [counted, rows] = await Promise.all([
        matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
        matching
          .select(['client_groups.id', 'client_groups.name', 'client_groups.shared'])
          .orderBy('client_groups.name_key')
          .limit(asked.limit)
          .offset(asked.offset)
          .execute(),
      ]);
      return {
        groups: rows.map((row) => ({ id: row.id, name: row.name, shared: row.shared === 1 })),
        total: Number(counted.total),
      };
    },

    existingGroups: async (
      ids: readonly number[],
      only: readonly number[] | null,
    ): Promise<readonly number[]> => {
      const rows = await db
        .selectFrom('client_groups')
        .select('id')
        .where('id', 'in', [...ids, -1])
        .$if(only !== null, (query) => query.where('id', 'in', [...(only ?? []), -1]))
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Authorized clients of one group, by host name. */
    membersOf: async (
      groupId: number,
      asked: { readonly offset: number; readonly limit: number } | null,
      filter: { readonly hostname: string | null; readonly dialect: Dialect },
    ): Promise<Page<Client>> => {
      const nowMs = now();
      const { hostname } = filter;
      const named = hostname === null ? sql`` : sql` and ${hostnameContains(hostname, filter.dialect)}`;
      const isMember = sql<SqlBool>`clients.client_group_id = ${groupId} and clients.authorized = 1${named}`;
      // Without the other tables it is counted in an index alone.
      const counted = await db
        .selectFrom('clients')
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .where(isMember)
        .executeTakeFirstOrThrow();
      const total = Number(counted.total);
      if (!asked) return { rows: [], total };
      const rows = await selection({ groups: null, authorized: null }, nowMs)
        .where(isMember)
        .orderBy('clients.hostname')
        .orderBy('clients.id')
        .limit(asked.limit)
        .offset(asked.offset)
        .execute();
      return { rows: rows.map((row) => toRecord(row, nowMs)), total };
    },

    groupIdByName: async (name: string, only: readonly number[] | null): Promise<number | null> => {
      const row = await db
        .selectFrom('client_groups')
        .select('id')
        .where('name', '=', name)
        .$if(only !== null, (query) => query.where('id', 'in', [...(only ?? []), -1]))
        .executeTakeFirst();
      return row?.id ?? null;
    },

    poolIdByName: async (name: string): Promise<number | null> => {
      const row = await db.selectFrom('pools').select('id').where('name', '=', name).executeTakeFirst();
      return row?.id ?? null;
    },

    update: async (id: number, change: ClientChange): Promise<void> => {
      if (Object.keys(change).length === 0) return;
      await db.updateTable('clients').set(change).where('id', '=', id).execute();
    },

    authorize: async (id: number): Promise<void> => {
      await db.updateTable('clients').set({ authorized: 1 }).where('id', '=', id).execute();
    },

    uses: async (ids: readonly number[]): Promise<readonly ClientUse[]> => {
      const rows = await db
        .selectFrom('clients')
        .select(['clients.id', 'clients.hostname', 'clients.hwid', 'clients.client_group_id'])
        .select(({ selectFrom }) =>
          selectFrom('tasks')
            .whereRef('tasks.client_id', '=', 'clients.id')
            .where('tasks.status', 'in', active)
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .as('active_tasks'),
        )
        .where('clients.id', 'in', [...ids])
        .execute();
      return rows.map((row) => ({
        id: row.id,
        name: formatClientText({ name: row.hostname, hwid: row.hwid }),
        groupId: row.client_group_id,
        activeTasks: Number(row.active_tasks),
      }));
    },

    remove: (ids: readonly number[]) => removeRows(db, 'clients', ids),
  };

  function toRecord(row: Row, nowMs: number): Client {
    const isLocal = row.is_local === 1;
    return {
      id: row.id,
      hostname: row.hostname,
      hwid: row.hwid,
      client_name: formatClientText({ name: row.hostname, hwid: row.hwid }),
      ipv4: row.ipv4,
      ipv6: row.ipv6,
      mac: row.mac,
      os_type: row.os_type,
      os_distribution: row.os_distribution,
      version: row.version,
      group_id: row.group_name,
      client_group_id: row.client_group_id,
      group_shared: row.group_shared === 1,
      online: Number(row.online) === 1,
      // The backend is this client's agent: that it answers is the activity.
      last_activity: isLocal ? toWireTime(nowMs) : toWireTimeOrNull(row.last_activity_ms),
      modules: JSON.parse(row.modules) as string[],
      lsf_flag: row.lsf_flag === 1,
      ls_pool: row.ls_pool_name,
      lrl_flag: row.lrl_flag === 1,
      storage_capacity: row.storage_capacity,
      storage_used: Number(row.storage_used),
      description: row.description,
      client_side_backup: row.client_side_backup === 1,
      client_side_restore: row.client_side_restore === 1,
      created: toWireTime(row.created_ms),
    };
  }
}

const text = (column: string) => ({ column, kind: 'text', search: true }) as const;

function listColumns(online: ReturnType<typeof sql<number>>): ListColumns {
  return {
    id: { column: 'clients.id', kind: 'integer' },
    hostname: text('clients.hostname'),
    hwid: text('clients.hwid'),
    client_name: { column: clientText, kind: 'text', search: true },
    ipv4: text('clients.ipv4'),
    ipv6: text('clients.ipv6'),
    mac: text('clients.mac'),
    os_type: text('clients.os_type'),
    os_distribution: text('clients.os_distribution'),
    version: text('clients.version'),
    group_id: text('client_groups.name'),
    client_group_id: { column: 'clients.client_group_id', kind: 'integer' },
    group_shared: { column: 'client_groups.shared', kind: 'boolean' },
    online: { column: online, kind: 'boolean' },
    last_activity: { column: 'clients.last_activity_ms', kind: 'time' },
    modules: {
      column: 'clients.modules',
      kind: 'text',
      parse: (given) => (given.startsWith('[') ? given : JSON.stringify([given])),
    },
    lsf_flag: { column: 'clients.lsf_flag', kind: 'boolean' },
    ls_pool: text('pools.name'),
    lrl_flag: { column: 'clients.lrl_flag', kind: 'boolean' },
    storage_capacity: { column: 'clients.storage_capacity', kind: 'integer' },
    storage_used: { column: storageUsed, kind: 'integer' },
    description: text('clients.description'),
    client_side_backup: { column: 'clients.client_side_backup', kind: 'boolean' },
    client_side_restore: { column: 'clients.client_side_restore', kind: 'boolean' },
    created: { column: 'clients.created_ms', kind: 'time' },
  };
}
