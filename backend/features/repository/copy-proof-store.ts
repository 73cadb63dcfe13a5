import { mostFailedProofs } from '../../../contract/statistics/statistics.ts';
import type { Db } from '../../db/index.ts';
import { isListed } from '../listed-copies-store.ts';
import { clientsIn, type Groups } from '../own-clients-store.ts';

/** Why a proof failed, as it stands with the copy. */
export interface StoredProofFailure {
  readonly path: string;
  readonly reason: string;
  readonly taskId: number | null;
}

export type FailedProofRow = Awaited<ReturnType<ReturnType<typeof createCopyProofStore>['failed']>>[number];

/** What restores of a sample have shown of copies. */
export function createCopyProofStore(db: Db) {
  const change = async (id: number, values: object): Promise<boolean> => {
    const result = await db
      .updateTable('copies')
      .set(values)
      .where('id', '=', id)
      .where(isListed)
      .executeTakeFirst();
    return Number(result.numUpdatedRows) === 1;
  };
  return {
    /** False when the copy is not there any more. */
    setProven: (
      id: number,
      sample: { readonly files: number; readonly bytes: number },
      nowMs: number,
    ): Promise<boolean> =>
      change(id, {
        proven_ms: nowMs,
        proven_files: sample.files,
        proven_bytes: sample.bytes,
        proof_failed_ms: null,
        proof_failure: null,
      }),

    /** What was proven before stays known. False when the copy is not there any more. */
    setFailure: (id: number, failure: StoredProofFailure, nowMs: number): Promise<boolean> =>
      change(id, { proof_failed_ms: nowMs, proof_failure: JSON.stringify(failure) }),

    /** Copies whose last proof failed, the newest failure first. */
    failed: (groups: Groups) =>
      db
        .selectFrom('copies')
        .leftJoin('strategy_rules', 'strategy_rules.id', 'copies.strategy_rule_id')
        .leftJoin('strategies', 'strategies.id', 'strategy_rules.strategy_id')
        .select([
          'copies.id',
          'copies.client_text',
          'copies.resource',
          'copies.backup_type',
          'copies.created_ms',
          'copies.proof_failed_ms',
          'copies.proof_failure',
          'strategies.name as strategy_name',
        ])
        .where('copies.proof_failed_ms', 'is not', null)
        .where(isListed)
        .$if(groups !== null, (query) => query.where('copies.client_id', 'in', clientsIn(groups ?? [])))
        .orderBy('copies.proof_failed_ms', 'desc')
        .orderBy('copies.id', 'desc')
        .limit(mostFailedProofs)
        .execute(),
  };
}
