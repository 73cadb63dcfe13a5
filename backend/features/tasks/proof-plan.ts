import type { Tx } from '../../db/index.ts';
import type { QueuedTask } from '../../jobs/index.ts';
import { taskOnCopy } from '../task-on-copy.ts';
import { proofOfRule } from './proof-plan-store.ts';
import { createTaskStore } from './task-store.ts';

/**
 * The proof of a copy that a strategy has just made, if the strategy asks for one: a task of its own, written in the
 * transaction that makes the copy. Answers its id.
 */
export async function planProof(
  tx: Tx,
  backup: QueuedTask,
  copy: { readonly id: number; readonly backupType: string },
  nowMs: number,
): Promise<number | null> {
  const sample = await proofOfRule(tx, backup.strategy_rule_id);
  if (sample === null) return null;
  const ofCopy = {
    ...backup,
    id: copy.id,
    resource_type: backup.resource_type ?? '',
    resource: backup.resource ?? '',
    client_text: backup.client_text ?? '',
    backup_type: copy.backupType,
    crypto: backup.crypto ?? 'nocrypt',
  };
  return createTaskStore(tx).insert(
    { ...taskOnCopy(ofCopy, null), taskType: 'restore_proof', input: sample },
    nowMs,
  );
}
