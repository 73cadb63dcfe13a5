import type { Copy, CopyDamage, ProofFailure } from '../../../contract/repository/copy.ts';
import { toWireTime, toWireTimeOrNull } from '../../platform/wire-time.ts';
import type { StoredProofFailure } from './copy-proof-store.ts';
import type { StoredCopy } from './copy-query-store.ts';

/** A copy as the API answers it. */
export function toRecord(row: StoredCopy): Copy {
  return {
    id: row.id,
    reference_id: row.reference_id,
    chain_id: row.chain_id,
    copy_of: row.copy_of,
    resource_type: row.resource_type,
    resource: row.resource,
    client: row.client_text,
    client_hwid: row.client_hwid,
    client_id: row.client_id,
    backup_type: row.backup_type,
    status: row.status,
    crypto: row.crypto,
    signed: row.signed === 1,
    pool: row.pool_name,
    pool_type: row.pool_type,
    media_server: row.media_server_name,
    storage: row.storage_path,
    path: row.storage_path === null ? null : `${row.storage_path}/${row.uuid}`,
    size: row.size,
    real_size: row.real_size,
    created: toWireTime(row.created_ms),
    store_until: row.store_until_text ?? toWireTimeOrNull(row.store_until_ms),
    archiving: row.archiving === 1,
    rule_id: row.rule_id,
    strategy_rule_id: row.strategy_rule_id,
    task_id: row.task_id,
    file_list_available: row.file_list_available === 1,
    description: row.description,
    skipped_items: row.skipped_items,
    files_count: row.files_count,
    damage: row.damage === null ? null : (JSON.parse(row.damage) as CopyDamage[]),
    proven: toWireTimeOrNull(row.proven_ms),
    proven_files: row.proven_files,
    proven_bytes: row.proven_bytes,
    proof_failure: proofFailureOf(row),
  };
}

function proofFailureOf(row: StoredCopy): ProofFailure | null {
  if (row.proof_failed_ms === null || row.proof_failure === null) return null;
  const { path, reason, taskId } = JSON.parse(row.proof_failure) as StoredProofFailure;
  return { time: toWireTime(row.proof_failed_ms), path, reason, task_id: taskId };
}
