import { defaultProofSize } from '../../../contract/strategies/strategy.ts';
import type { Db, Tx } from '../../db/index.ts';

/** How large a sample of a copy is restored and compared. */
export interface ProofSample {
  readonly mostFiles: number;
  readonly mostBytes: number;
}

const megabyte = 1_048_576;

/** What the strategy of a rule asks for of each new copy; null: nothing. */
export async function proofOfRule(db: Db | Tx, strategyRuleId: number | null): Promise<ProofSample | null> {
  if (strategyRuleId === null) return null;
  const strategy = await db
    .selectFrom('strategy_rules')
    .innerJoin('strategies', 'strategies.id', 'strategy_rules.strategy_id')
    .select(['strategies.restore_proof_files', 'strategies.restore_proof_size'])
    .where('strategy_rules.id', '=', strategyRuleId)
    .executeTakeFirst();
  if (strategy === undefined || strategy.restore_proof_files === null) return null;
  const megabytes = strategy.restore_proof_size ?? defaultProofSize;
  return { mostFiles: strategy.restore_proof_files, mostBytes: megabytes * megabyte };
}
