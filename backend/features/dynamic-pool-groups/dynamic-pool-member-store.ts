import { sql } from 'kysely';
import type { DynamicPoolMember } from '../../../contract/dynamic-pool-groups/dynamic-pool-group.ts';
import {
  type Db,
  type Dialect,
  foundIds,
  type ListColumns,
  type ListRequest,
  listPage,
  type Page,
  removeRows,
  type Tx,
} from '../../db/index.ts';
import { active } from '../active-tasks.ts';

const activeTasks = sql<number>`(select count(*) from tasks
  where tasks.pool_id = dynamic_pool_members.pool_id and tasks.status in (${sql.join(active)}))`;

const columns: ListColumns = {
  id: { column: 'dynamic_pool_members.id', kind: 'integer' },
  dynamic_pool_group: { column: 'dynamic_pool_members.group_id', kind: 'integer' },
  dynamic_pool_group_name: { column: 'dynamic_pool_groups.name', kind: 'text', search: true },
  pool: { column: 'pools.name', kind: 'text', search: true },
  pool_id: { column: 'dynamic_pool_members.pool_id', kind: 'integer' },
  media_server: { column: 'media_servers.name', kind: 'text', search: true },
  enabled: { column: 'dynamic_pool_members.enabled', kind: 'boolean' },
  active_tasks: { column: activeTasks, kind: 'integer' },
};

/** A pool that could become a member. */
export interface PoolToJoin {
  readonly id: number;
  readonly type: string;
  /** The group that it is in already. */
  readonly groupName: string | null;
}

export type DynamicPoolMemberStore = ReturnType<typeof createDynamicPoolMemberStore>;

export function createDynamicPoolMemberStore(db: Db | Tx) {
  const selection = () =>
    db
      .selectFrom('dynamic_pool_members')
      .innerJoin('dynamic_pool_groups', 'dynamic_pool_groups.id', 'dynamic_pool_members.group_id')
      .innerJoin('pools', 'pools.id', 'dynamic_pool_members.pool_id')
      .innerJoin('media_servers', 'media_servers.id', 'pools.media_server_id')
      .select([
        'dynamic_pool_members.id',
        'dynamic_pool_members.group_id as dynamic_pool_group',
        'dynamic_pool_groups.name as dynamic_pool_group_name',
        'pools.name as pool',
        'dynamic_pool_members.pool_id',
        'media_servers.name as media_server',
        'dynamic_pool_members.enabled',
      ])
      .select(activeTasks.as('active_tasks'));
  type Row = Awaited<ReturnType<ReturnType<typeof selection>['execute']>>[number];
  const toRecord = (row: Row): DynamicPoolMember => ({
    ...row,
    enabled: row.enabled === 1,
    active_tasks: Number(row.active_tasks),
  });

  return {
    list: async (list: ListRequest, dialect: Dialect): Promise<Page<DynamicPoolMember>> => {
      const tieBreaker = 'dynamic_pool_members.id';
      const page = await listPage(selection(), { list, columns, dialect, tieBreaker });
      return { rows: page.rows.map(toRecord), total: page.total };
    },

    get: async (id: number): Promise<DynamicPoolMember | null> => {
      const row = await selection().where('dynamic_pool_members.id', '=', id).executeTakeFirst();
      return row ? toRecord(row) : null;
    },

    /** Those of `ids` that exist. */
    found: (ids: readonly number[]) => foundIds(db, 'dynamic_pool_members', ids),

    poolByName: async (name: string): Promise<PoolToJoin | null> => {
      const row = await db
        .selectFrom('pools')
        .leftJoin('dynamic_pool_members', 'dynamic_pool_members.pool_id', 'pools.id')
        .leftJoin('dynamic_pool_groups', 'dynamic_pool_groups.id', 'dynamic_pool_members.group_id')
        .select(['pools.id', 'pools.pool_type as type', 'dynamic_pool_groups.name as groupName'])
        .where('pools.name', '=', name)
        .executeTakeFirst();
      return row ?? null;
    },

    /**
     * Holds the group until the transaction ends, so that two pools that join at the same time see each other.
     * False: there is no such group.
     */
    holdGroup: async (groupId: number): Promise<boolean> => {
      const result = await db
        .updateTable('dynamic_pool_groups')
        .set((expression) => ({ name: expression.ref('name') }))
        .where('id', '=', groupId)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    /** The pool type that the members of a group share; null while it has none. */
    typeOfGroup: async (groupId: number): Promise<string | null> => {
      const row = await db
        .selectFrom('dynamic_pool_members')
        .innerJoin('pools', 'pools.id', 'dynamic_pool_members.pool_id')
        .select('pools.pool_type')
        .where('dynamic_pool_members.group_id', '=', groupId)
        .limit(1)
        .executeTakeFirst();
      return row?.pool_type ?? null;
    },

    insert: async (member: {
      readonly groupId: number;
      readonly poolId: number;
      readonly enabled: boolean;
      readonly createdMs: number;
    }): Promise<number> => {
      const row = await db
        .insertInto('dynamic_pool_members')
        .values({
          group_id: member.groupId,
          pool_id: member.poolId,
          enabled: member.enabled ? 1 : 0,
          created_ms: member.createdMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    remove: (ids: readonly number[]) => removeRows(db, 'dynamic_pool_members', ids),
  };
}
