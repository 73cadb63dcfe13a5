import { sql } from 'kysely';
import {
  type DynamicPoolGroup,
  type GroupFigure,
  groupFigures,
} from '../../../contract/dynamic-pool-groups/dynamic-pool-group.ts';
import {
  type Db,
  type Dialect,
  foldCase,
  foundIds,
  idOfTakenName,
  type ListColumns,
  type ListRequest,
  listPage,
  type Page,
  removeRows,
  type Tx,
} from '../../db/index.ts';

const poolsCount = sql<number>`(select count(*) from dynamic_pool_members
  where dynamic_pool_members.group_id = dynamic_pool_groups.id)`;

const figureColumns: ListColumns = Object.fromEntries(
  groupFigures.map((name) => [name, { column: `dynamic_pool_groups.${name}`, kind: 'integer' }]),
);
const columns: ListColumns = {
  id: { column: 'dynamic_pool_groups.id', kind: 'integer' },
  name: { column: 'dynamic_pool_groups.name', kind: 'text', search: true },
  ...figureColumns,
  description: { column: 'dynamic_pool_groups.description', kind: 'text', search: true },
  pools_count: { column: poolsCount, kind: 'integer' },
};

export type Figures = Readonly<Record<GroupFigure, number>>;
export type DynamicPoolGroupStore = ReturnType<typeof createDynamicPoolGroupStore>;

export function createDynamicPoolGroupStore(db: Db | Tx) {
  const selection = () =>
    db
      .selectFrom('dynamic_pool_groups')
      .select(['dynamic_pool_groups.id', 'dynamic_pool_groups.name', 'dynamic_pool_groups.description'])
      .select([
        'max_pool_tasks',
        'max_media_server_tasks',
        'max_cpu_usage',
        'max_in_block_operations',
        'max_out_block_operations',
        'calculation_period',
      ])
      .select(poolsCount.as('pools_count'));
  type Row = Awaited<ReturnType<ReturnType<typeof selection>['execute']>>[number];
  const toRecord = (row: Row): DynamicPoolGroup => ({
    id: row.id,
    name: row.name,
    max_pool_tasks: row.max_pool_tasks,
    max_media_server_tasks: row.max_media_server_tasks,
    max_cpu_usage: row.max_cpu_usage,
    max_in_block_operations: row.max_in_block_operations,
    max_out_block_operations: row.max_out_block_operations,
    calculation_period: row.calculation_period,
    description: row.description,
    pools_count: Number(row.pools_count),
  });

  return {
    list: async (list: ListRequest, dialect: Dialect): Promise<Page<DynamicPoolGroup>> => {
      const tieBreaker = 'dynamic_pool_groups.id';
      const page = await listPage(selection(), { list, columns, dialect, tieBreaker });
      return { rows: page.rows.map(toRecord), total: page.total };
    },

    get: async (id: number): Promise<DynamicPoolGroup | null> => {
      const row = await selection().where('dynamic_pool_groups.id', '=', id).executeTakeFirst();
      return row ? toRecord(row) : null;
    },

    /** Those of `ids` that exist. */
    found: (ids: readonly number[]) => foundIds(db, 'dynamic_pool_groups', ids),

    /** The group whose name differs at most in case. */
    idOfTakenName: (name: string) => idOfTakenName(db, 'dynamic_pool_groups', name),

    insert: async (group: {
      readonly name: string;
      readonly figures: Figures;
      readonly description: string | null;
      readonly createdMs: number;
    }): Promise<number> => {
      const row = await db
        .insertInto('dynamic_pool_groups')
        .values({
          name: group.name,
          name_key: foldCase(group.name),
          ...group.figures,
          description: group.description,
          created_ms: group.createdMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    update: async (
      id: number,
      change: {
        readonly name?: string | undefined;
        readonly figures: Partial<Figures>;
        readonly description?: string | null | undefined;
      },
    ): Promise<void> => {
      const { name, figures, description } = change;
      const values = {
        ...(name === undefined ? {} : { name, name_key: foldCase(name) }),
        ...figures,
        ...(description === undefined ? {} : { description }),
      };
      if (Object.keys(values).length === 0) return;
      await db.updateTable('dynamic_pool_groups').set(values).where('id', '=', id).execute();
    },

    /** Its memberships go with it; the pools stay. */
    remove: (ids: readonly number[]) => removeRows(db, 'dynamic_pool_groups', ids),
  };
}
