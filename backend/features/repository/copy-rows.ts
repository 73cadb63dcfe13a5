import type { Selectable } from 'kysely';
import { parseClientText } from '../../../contract/words.ts';
import type { TasksTable } from '../../db/index.ts';
import type { StoredCopy } from './copy-query-store.ts';

/** A copy that was just written: what its backup task does not say. */
export interface NewCopy {
  /** Name of its folder on the storage. */
  readonly uuid: string;
  readonly storageId: number | null;
  readonly task: Pick<
    Selectable<TasksTable>,
    | 'id'
    | 'resource_type'
    | 'resource'
    | 'client_id'
    | 'client_text'
    | 'backup_type'
    | 'crypto'
    | 'pool_id'
    | 'storage_duration'
    | 'archiving'
    | 'rule_id'
    | 'strategy_rule_id'
  >;
  /** The copy that it builds on; missing for a full copy. */
  readonly referenceId?: number;
  readonly sizeBytes: number;
  readonly storedBytes: number;
  readonly filesCount: number;
  readonly skippedItems: number;
  readonly isFileListAvailable: boolean;
  /** It was read back and found right. */
  readonly isVerified: boolean;
  readonly createdMs: number;
}

/** What was written to another storage and read back from there. */
export interface Transferred {
  readonly copyId: number;
  /** Name of its new folder. */
  readonly uuid: string;
  /** Null on tape. */
  readonly storageId: number | null;
  /** Every byte was read back from its new place and compared. */
  readonly isVerified: boolean;
  readonly storedBytes: number;
  readonly task: { readonly id: number; readonly pool_id: number | null };
}

/** The row of a second copy; how long it is kept is not said yet. */
export function transferredRow(origin: StoredCopy, arrived: Transferred) {
  return {
    uuid: arrived.uuid,
    reference_id: null,
    chain_id: null,
    copy_of: origin.id,
    resource_type: origin.resource_type,
    resource: origin.resource,
    client_id: origin.client_id,
    client_text: origin.client_text,
    client_hwid: origin.client_hwid,
    backup_type: origin.backup_type,
    status: arrived.isVerified ? 'Trusted' : 'Not Verified',
    crypto: origin.crypto,
    signed: origin.signed,
    pool_id: arrived.task.pool_id,
    storage_id: arrived.storageId,
    size: origin.size,
    real_size: arrived.storedBytes,
    created_ms: origin.created_ms,
    archiving: origin.archiving,
    rule_id: origin.rule_id,
    strategy_rule_id: origin.strategy_rule_id,
    task_id: arrived.task.id,
    file_list_available: origin.file_list_available,
    description: origin.description,
    skipped_items: origin.skipped_items,
    files_count: origin.files_count,
    damage: null,
    deleting: 0,
  } as const;
}

/** The row of a copy that builds on another, or on nothing; `untilMs`: null = kept for ever. */
export function newRow(copy: NewCopy, untilMs: number | null) {
  const { task } = copy;
  const clientText = task.client_text ?? '';
  return {
    uuid: copy.uuid,
    reference_id: copy.referenceId ?? null,
    chain_id: null,
    copy_of: null,
    resource_type: task.resource_type ?? '',
    resource: task.resource ?? '',
    client_id: task.client_id,
    client_text: clientText,
    client_hwid: parseClientText(clientText)?.hwid ?? '',
    // Whatever the task asked for: what builds on nothing is a full copy.
    backup_type: copy.referenceId === undefined ? 'full' : (task.backup_type ?? 'full'),
    status: copy.isVerified ? 'Trusted' : 'Not Verified',
    crypto: task.crypto ?? 'nocrypt',
    signed: 0,
    pool_id: task.pool_id,
    storage_id: copy.storageId,
    size: copy.sizeBytes,
    real_size: copy.storedBytes,
    created_ms: copy.createdMs,
    store_until_ms: untilMs,
    store_until_text: null,
    archiving: task.archiving,
    rule_id: task.rule_id,
    strategy_rule_id: task.strategy_rule_id,
    task_id: task.id,
    file_list_available: copy.isFileListAvailable ? 1 : 0,
    description: null,
    skipped_items: copy.skippedItems,
    files_count: copy.filesCount,
    damage: null,
    deleting: 0,
    verified_ms: copy.isVerified ? copy.createdMs : null,
  } as const;
}
