import { type Selectable, sql } from 'kysely';
import { type Db, foldCase, removeRows, type StrategiesTable, type Tx } from '../../db/index.ts';

export type StoredStrategy = Selectable<StrategiesTable> & {
  readonly pool_name: string;
  readonly rules_count: number;
};
export type StrategyValues = Omit<Selectable<StrategiesTable>, 'id' | 'name_key'>;

const rulesCount = sql<number>`(select count(*) from strategy_rules
  where strategy_rules.strategy_id = strategies.id)`;

export type StrategyStore = ReturnType<typeof createStrategyStore>;

export function createStrategyStore(db: Db | Tx) {
  const selection = () =>
    db
      .selectFrom('strategies')
      .innerJoin('pools', 'pools.id', 'strategies.pool_id')
      .selectAll('strategies')
      .select('pools.name as pool_name')
      .select(rulesCount.as('rules_count'))
      .orderBy('strategies.id');
  type Row = Awaited<ReturnType<ReturnType<typeof selection>['executeTakeFirstOrThrow']>>;
  const stored = (row: Row): StoredStrategy => ({ ...row, rules_count: Number(row.rules_count) });
  const named = <V extends Partial<StrategyValues>>(values: V) =>
    values.name === undefined ? values : { ...values, name_key: foldCase(values.name) };

  return {
    all: async (): Promise<readonly StoredStrategy[]> => (await selection().execute()).map(stored),

    get: async (id: number): Promise<StoredStrategy | null> => {
      const row = await selection().where('strategies.id', '=', id).executeTakeFirst();
      return row ? stored(row) : null;
    },

    getMany: async (ids: readonly number[]): Promise<readonly StoredStrategy[]> =>
      (
        await selection()
          .where('strategies.id', 'in', [...ids])
          .execute()
      ).map(stored),

    poolByName: async (name: string): Promise<{ readonly id: number; readonly pool_type: string } | null> =>
      (await db
        .selectFrom('pools')
        .select(['id', 'pool_type'])
        .where('name', '=', name)
        .executeTakeFirst()) ?? null,

    /** The strategy whose name differs at most in case. */
    idOfTakenName: async (name: string): Promise<number | null> =>
      (
        await db
          .selectFrom('strategies')
          .select('id')
          .where('name_key', '=', foldCase(name))
          .executeTakeFirst()
      )?.id ?? null,

    insert: async (values: StrategyValues): Promise<number> => {
      const row = await db
        .insertInto('strategies')
        .values({ ...values, name_key: foldCase(values.name) })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    update: async (id: number, values: Partial<StrategyValues>): Promise<void> => {
      await db.updateTable('strategies').set(named(values)).where('id', '=', id).execute();
    },

    remove: (ids: readonly number[]) => removeRows(db, 'strategies', ids),
  };
}
