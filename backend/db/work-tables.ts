import type { Generated } from 'kysely';
import type { Flag, Json } from './column-types.ts';

// The queue and what it makes.

export interface TasksTable {
  readonly id: Generated<number>;
  readonly task_type: string;
  readonly resource_type: string | null;
  readonly resource: string | null;
  readonly client_id: number | null;
  /** `<name> (<hwid>)` at the time of creation: stays readable when the client is gone. */
  readonly client_text: string | null;
  readonly backup_type: string | null;
  readonly status: string;
  readonly suspend_reason: string | null;
  /** The status that `continue` goes back to. */
  readonly paused_status: string | null;
  readonly suspended_ms: number | null;
  readonly progress: number;
  readonly priority: number;
  readonly pool_id: number | null;
  readonly pool_name: string | null;
  readonly source_pool_id: number | null;
  readonly source_pool_name: string | null;
  readonly media_server_id: number | null;
  readonly media_server_name: string | null;
  readonly crypto: string | null;
  readonly archiving: Flag;
  readonly storage_duration: string | null;
  readonly rule_id: number | null;
  readonly strategy_rule_id: number | null;
  readonly copy_id: number | null;
  readonly created_ms: number;
  readonly started_ms: number | null;
  readonly finished_ms: number | null;
  /** Grows with every claim and restart: the fencing token that each write of a runner must show. */
  readonly attempt: number;
  readonly claim: number;
  readonly transferred: number;
  readonly speed: number;
  readonly error_message: string | null;
  readonly created_by: string | null;
  readonly module_extensions: Json | null;
  readonly common_modules_extensions: Json | null;
  readonly skipped_items: number | null;
  readonly progress_details: Json | null;
  /** Input of the task kind (restore: destination, selection …). */
  readonly input: Json | null;
  /** In SQLite: 0 until regular work has added it to the indexes of lists (`keepSearched`); else of no meaning. */
  readonly list_indexed: Generated<Flag>;
}

export interface TaskLogsTable {
  readonly id: Generated<number>;
  readonly task_id: number;
  readonly side: 'client' | 'server';
  readonly time_ms: number;
  readonly level: string;
  readonly source: string;
  readonly message: string;
}

export interface CopiesTable {
  readonly id: Generated<number>;
  /** Name of the folder on the storage. */
  readonly uuid: string;
  readonly reference_id: number | null;
  readonly chain_id: number | null;
  readonly copy_of: number | null;
  readonly resource_type: string;
  readonly resource: string;
  readonly client_id: number | null;
  readonly client_text: string;
  readonly client_hwid: string;
  readonly backup_type: string;
  readonly status: string;
  readonly crypto: string;
  readonly signed: Flag;
  readonly pool_id: number | null;
  readonly storage_id: number | null;
  readonly size: number;
  readonly real_size: number;
  readonly created_ms: number;
  readonly store_until_ms: number | null;
  /** As it was written, with every fractional digit. */
  readonly store_until_text: string | null;
  readonly archiving: Flag;
  readonly rule_id: number | null;
  readonly strategy_rule_id: number | null;
  readonly task_id: number | null;
  readonly file_list_available: Flag;
  readonly description: string | null;
  readonly skipped_items: number | null;
  readonly files_count: number | null;
  readonly damage: Json | null;
  /** First phase of a deletion: no longer listed, its folder is being removed. */
  readonly deleting: Flag;
  /** When its bytes were read again last. */
  readonly verified_ms: Generated<number | null>;
  /** When a sample of its files was restored and found right last. */
  readonly proven_ms: Generated<number | null>;
  readonly proven_files: Generated<number | null>;
  readonly proven_bytes: Generated<number | null>;
  /** The last proof failed then: null when it did not. */
  readonly proof_failed_ms: Generated<number | null>;
  /** Path and reason of that. */
  readonly proof_failure: Generated<Json | null>;
}
