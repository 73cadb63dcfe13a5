import type { Db, Tx } from '../db/index.ts';

/** Bytes of the copies that the rules of a strategy have made. */
export async function storedBytesOfStrategy(db: Db | Tx, strategyId: number): Promise<number> {
  const row = await db
    .selectFrom('strategy_rules')
    .innerJoin('copies', 'copies.strategy_rule_id', 'strategy_rules.id')
    .select(({ fn }) => fn.sum<number | null>('copies.real_size').as('total'))
    .where('strategy_rules.strategy_id', '=', strategyId)
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}
