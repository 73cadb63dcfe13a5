import type { Db } from '../../db/index.ts';

export type EndingStrategy = Awaited<
  ReturnType<ReturnType<typeof createStrategyNoticeStore>['ending']>
>[number];

/** What notices of strategies are about. Strategies that are switched off are none of it. */
export function createStrategyNoticeStore(db: Db) {
  const enabled = () => db.selectFrom('strategies').where('enabled', '=', 1).orderBy('id');
  return {
    /** Those whose validity ends after `afterMs`, but not after `untilMs`. */
    ending: (afterMs: number, untilMs: number) =>
      enabled()
        .select(['id', 'name', 'valid_until_ms'])
        .where('valid_until_ms', '>', afterMs)
        .where('valid_until_ms', '<=', untilMs)
        .execute(),

    /** Those that have a capacity, in GB. */
    limited: () => enabled().select(['id', 'name', 'capacity']).where('capacity', '>', 0).execute(),

    storedBytes: async (strategyId: number): Promise<number> => {
      const row = await db
        .selectFrom('strategy_rules')
        .innerJoin('copies', 'copies.strategy_rule_id', 'strategy_rules.id')
        .select(({ fn }) => fn.sum<number | null>('copies.real_size').as('total'))
        .where('strategy_rules.strategy_id', '=', strategyId)
        .executeTakeFirst();
      return Number(row?.total ?? 0);
    },
  };
}
