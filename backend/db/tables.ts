import type { Generated } from 'kysely';

/**
 * The tables, as the newest migration leaves them. Times are epoch milliseconds (`*_ms`), booleans 0 or 1
 * (`Flag`), JSON is text. Names of columns are ours; the API's names are made in the stores.
 */
export type Flag = 0 | 1;
type Json = string;

export interface UsersTable {
  readonly id: Generated<number>;
  readonly user_name: string;
  /** NFC, lower case: names are unique whatever their case. */
  readonly user_name_key: string;
  readonly password_hash: string;
  readonly enabled: Flag;
  readonly last_success_login_ms: number | null;
  readonly last_fail_login_ms: number | null;
  readonly created_ms: number;
}

export interface UserRolesTable {
  readonly user_id: number;
  readonly role: string;
}

export interface StrategiesTable {
  readonly id: Generated<number>;
  readonly name: string;
  readonly name_key: string;
  readonly pool_id: number;
  readonly priority: number;
  /** Cron with five fields, wall time of `time_zone`. */
  readonly full_schedule: string | null;
  readonly incremental_schedule: string | null;
  readonly differential_schedule: string | null;
  readonly time_zone: string;
  readonly storage_duration: string | null;
  readonly crypto: string;
  /** GB, 0 = no limit. */
  readonly capacity: number;
  readonly enabled: Flag;
  readonly valid_from_ms: number | null;
  readonly valid_until_ms: number | null;
  /** Days. */
  readonly verify_period: number | null;
  /** Files of each new copy that are restored to scratch space and compared; null: none. */
  readonly restore_proof_files: Generated<number | null>;
  /** MB (1,048,576 bytes) that they may take; null: as many as usual. */
  readonly restore_proof_size: Generated<number | null>;
  readonly created_ms: number;
  readonly changed_ms: number;
}

export interface StrategyRulesTable {
  readonly id: Generated<number>;
  readonly client_id: number | null;
  readonly strategy_id: number | null;
  readonly resource_type: string;
  readonly resource: string;
  readonly priority: number;
  readonly status: string;
  readonly normal_execution_script: string;
  readonly exception_execution_script: string;
  readonly restore_script: string;
  /** All parameters, by name. */
  readonly module_extensions: Json;
  readonly common_modules_extensions: Json;
  readonly created_ms: number;
  readonly changed_ms: number;
  /** Runs that fell due before are none of this rule: since when it runs as it does; null: from before the scheduler. */
  readonly runs_since_ms: Generated<number | null>;
}

/** How far the runs of a strategy are planned. */
export interface StrategyPlansTable {
  readonly strategy_id: number;
  readonly planned_until_ms: number;
  /** As they were at that moment: what fell due before a change goes by them. */
  readonly schedules: Json;
}

/** What became of a run that fell due. */
export interface StrategyRuleRunsTable {
  readonly id: Generated<number>;
  readonly rule_id: number;
  readonly due_ms: number;
  readonly backup_type: string;
  /** `planned`, `missed` or `skipped`. */
  readonly outcome: string;
  readonly reason: string | null;
  readonly task_id: number | null;
  /** How the task ended; noted when it is removed. */
  readonly task_end: string | null;
  readonly noted_ms: number;
}

/** A rule that was told to be overdue and not yet to be well again. */
export interface OverdueRulesTable {
  readonly rule_id: number;
  /** The run that it lacked when that was told. */
  readonly due_ms: number;
  readonly noted_ms: number;
}

export interface ScsiPortalsTable {
  readonly id: Generated<number>;
  readonly media_server_id: number;
  /** In lower case. */
  readonly address: string;
  readonly port: number;
  readonly user_name: string | null;
  /** Sealed with the key in the data directory; null when the portal asks for none. */
  readonly password: string | null;
  readonly created_ms: number;
}

export interface DirectoryConnectionTable {
  readonly id: number;
  readonly settings: Json;
  /** Sealed with the key in the data directory. */
  readonly secrets: string;
  readonly changed_ms: number;
}

export interface DirectoryMappingsTable {
  readonly id: Generated<number>;
  readonly group_name: string;
  readonly group_key: string;
  /** Null until the group has been found in the directory. */
  readonly group_sid: string | null;
  readonly role: string;
  readonly created_ms: number;
}

/** Users of the domain who have been here. */
export interface DirectoryAccountsTable {
  readonly id: Generated<number>;
  /** Domain and SID. */
  readonly account_key: string;
  readonly domain: string;
  readonly user_name: string;
  readonly distinguished_name: string;
  readonly roles: Json;
  readonly last_success_login_ms: number | null;
  readonly last_fail_login_ms: number | null;
  readonly created_ms: number;
}

export interface JoinTokensTable {
  readonly id: Generated<number>;
  /** SHA-256 of the token. */
  readonly token_hash: string;
  readonly created_by: string;
  readonly created_ms: number;
  readonly expires_ms: number;
}

/** Bytes that the copies of a pool took at a moment. */
export interface PoolSamplesTable {
  readonly id: Generated<number>;
  readonly pool_id: number;
  readonly media_server_id: number;
  readonly time_ms: number;
  readonly stored_bytes: number;
}

/** When and by whom the role of auditor was given. */
export interface AuditorsTable {
  readonly id: Generated<number>;
  readonly user_id: number;
  readonly assigned_by: string | null;
  readonly created_ms: number;
}

/** The groups that an administrator is limited to; no row = all groups. */
export interface UserClientGroupsTable {
  readonly user_id: number;
  readonly client_group_id: number;
}

export interface SessionsTable {
  /** The claim `sid`. */
  readonly id: string;
  /** Either a user of this server or an account of the domain. */
  readonly user_id: number | null;
  readonly directory_account_id: number | null;
  /** SHA-256 of the refresh token that counts. */
  readonly refresh_hash: string;
  /** The account's last logins before this one, as the login answer shows them. */
  readonly previous_success_ms: number | null;
  readonly previous_fail_ms: number | null;
  readonly created_ms: number;
  readonly expires_ms: number;
}

/** Consecutive failures by account, also of accounts that do not exist. */
export interface LoginAttemptsTable {
  readonly account_key: string;
  readonly failures: number;
  readonly last_ms: number;
  readonly blocked_until_ms: number | null;
}

export interface ClientGroupsTable {
  readonly id: Generated<number>;
  readonly name: string;
  readonly name_key: string;
  readonly shared: Flag;
  readonly created_ms: number;
}

export interface ClientsTable {
  readonly id: Generated<number>;
  readonly hwid: string;
  readonly hostname: string;
  readonly ipv4: string | null;
  readonly ipv6: string | null;
  readonly mac: string | null;
  readonly os_type: string;
  readonly os_distribution: string | null;
  readonly version: string | null;
  readonly client_group_id: number;
  readonly authorized: Flag;
  /** The host that the backend itself runs on. */
  readonly is_local: Flag;
  readonly last_activity_ms: number | null;
  readonly modules: Json;
  readonly lsf_flag: Flag;
  readonly ls_pool_id: number | null;
  readonly lrl_flag: Flag;
  /** GB, 0 = no limit. */
  readonly storage_capacity: number;
  readonly description: string | null;
  readonly client_side_backup: Flag;
  readonly client_side_restore: Flag;
  readonly created_ms: number;
}

export interface MediaServersTable {
  readonly id: Generated<number>;
  readonly name: string;
  readonly name_key: string;
  readonly ip: string | null;
  readonly role: string;
  readonly version: string | null;
  readonly is_local: Flag;
  readonly last_activity_ms: number | null;
  readonly description: string | null;
  readonly created_ms: number;
}

export interface PoolsTable {
  readonly id: Generated<number>;
  readonly name: string;
  readonly name_key: string;
  readonly pool_type: string;
  readonly media_server_id: number;
  readonly compression_type: string | null;
  readonly description: string | null;
  readonly retention_period: string | null;
  readonly ignore_free_space_check: Flag;
  readonly meta_data_pool_id: number | null;
  readonly algorithm: string | null;
  readonly block_size: number | null;
  readonly hash_length: number | null;
  readonly created_ms: number;
}

/** Pools whose metadata are on their way to their present metadata pool. */
export interface MetadataMovesTable {
  readonly pool_id: number;
  readonly asked_ms: number;
}

/** Local file storages. */
export interface StoragesTable {
  readonly id: Generated<number>;
  readonly path: string;
  readonly pool_id: number;
  readonly media_server_id: number;
  readonly description: string | null;
  readonly created_ms: number;
}

/** How fast a client may be backed up and restored (KB/s, 0 = no limit) within a daily window. */
export interface ClientBandwidthTable {
  readonly id: Generated<number>;
  readonly client_id: number;
  readonly backup_bandwidth: number;
  readonly restore_bandwidth: number;
  /** `HH:MM:SS` in the server's local time. */
  readonly window_start: string | null;
  readonly window_end: string | null;
  readonly created_ms: number;
}

/** Pools of equal value, among which tasks are placed. 0 = no limit. */
export interface DynamicPoolGroupsTable {
  readonly id: Generated<number>;
  readonly name: string;
  readonly name_key: string;
  readonly max_pool_tasks: number;
  readonly max_media_server_tasks: number;
  /** Percent. */
  readonly max_cpu_usage: number;
  /** Device reads and writes in a second. */
  readonly max_in_block_operations: number;
  readonly max_out_block_operations: number;
  /** Seconds. */
  readonly calculation_period: number;
  readonly description: string | null;
  readonly created_ms: number;
}

/** Which pool is in which dynamic group: in one at most. */
export interface DynamicPoolMembersTable {
  readonly id: Generated<number>;
  readonly group_id: number;
  readonly pool_id: number;
  readonly enabled: Flag;
  readonly created_ms: number;
}

/** Block devices (and plain files in their place) that hold blocks of a deduplicating pool. */
export interface BlockDevicesTable {
  readonly id: Generated<number>;
  /** Absolute path as it was given. */
  readonly device: string;
  readonly is_file: Flag;
  readonly pool_id: number;
  readonly media_server_id: number;
  readonly description: string | null;
  readonly parallel_workers: number;
  /** Bytes, when it was looked at last. */
  readonly size: number;
  readonly used: Generated<number>;
  readonly hash_table_size: Generated<number>;
  readonly created_ms: number;
}

export interface TapeLibrariesTable {
  readonly id: Generated<number>;
  readonly pool_id: number;
  readonly media_server_id: number;
  readonly description: string | null;
  /** Storage slots, when the robot was read last. */
  readonly slots_count: number;
  /** `ready`, or `error` after a sync that the device ended. */
  readonly status: string;
  readonly last_sync_ms: number | null;
  readonly created_ms: number;
}

/** Every robot and drive that a scan has found, so that each keeps its id; one numbering for both kinds. */
export interface TapeDevicesTable {
  readonly id: Generated<number>;
  readonly media_server_id: number;
  readonly kind: 'changer' | 'drive';
  /** By which it is found again: its serial number, or its path when it tells none. */
  readonly device_key: string;
  readonly sg_path: string;
  readonly st_path: string | null;
  readonly vendor: string;
  readonly model: string;
  readonly serial: string;
  readonly slots_count: number | null;
  readonly drives_count: number | null;
  /** The library that uses it; null = free. */
  readonly tape_library_id: number | null;
  /** Of a drive: where it is built in, and what it held when the robot was read last. */
  readonly element_address: number | null;
  readonly drive_status: string | null;
  readonly barcode: string | null;
  /** Of a drive: the flags of TapeAlert that were set when it was asked last, with commas. */
  readonly alerts: string | null;
  readonly alerts_ms: number | null;
  readonly needs_cleaning: Generated<number>;
}

export interface VirtualLibrariesTable {
  readonly id: Generated<number>;
  readonly media_server_id: number;
  readonly name: string;
  readonly created_ms: number;
}

export interface CartridgesTable {
  readonly id: Generated<number>;
  readonly tape_library_id: number;
  readonly pool_id: number;
  readonly barcode: string;
  readonly state: string;
  /** Kind of the element that it is in, or `outside`. */
  readonly location: string;
  readonly element_address: number | null;
  readonly label_uuid: string | null;
  readonly written: Generated<number>;
  readonly capacity: number | null;
  readonly expires_ms: number | null;
  readonly created_ms: number;
  /** The file of the tape where the next part is written; 0 before there is a label. */
  readonly next_file: Generated<number>;
  /** Of a cleaning cartridge. */
  readonly cleanings: Generated<number>;
  readonly is_used_up: Generated<number>;
}

/** Copies, or as much of them as a cartridge holds. */
export interface TapePartsTable {
  readonly id: Generated<number>;
  readonly cartridge_id: number;
  readonly copy_uuid: string;
  readonly number: number;
  readonly file: number;
  readonly bytes: number;
  readonly is_last: Flag;
  /** `writing`: of a running task; `found`: by a scan, and the copy is not whole yet; `stored`. */
  readonly state: string;
  readonly facts: Json | null;
}

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

export interface ConfigurationTable {
  readonly name: string;
  readonly value: Json;
}

/** The recent events, so that a reader can resume without a gap. */
export interface EventsTable {
  readonly id: Generated<number>;
  readonly time_ms: number;
  readonly kind: string;
  readonly action: string;
  readonly object_id: number | null;
  readonly record: Json | null;
  /** For readers that are limited to own client groups; `null` = everybody. */
  readonly client_group_id: number | null;
}

export interface AuditTable {
  readonly id: Generated<number>;
  readonly time_ms: number;
  readonly user_id: number | null;
  readonly user_name: string | null;
  readonly address: string | null;
  /** Name of the endpoint, e.g. `pools.create`. */
  readonly action: string;
  readonly object_id: number | null;
  /** HTTP status of the answer. */
  readonly status: number;
  readonly details: Json | null;
}

/** Facts about the installation itself (its name, the local host's hwid …). */
export interface InstallationTable {
  readonly name: string;
  readonly value: string;
}

export interface Database {
  readonly users: UsersTable;
  readonly strategies: StrategiesTable;
  readonly strategy_rules: StrategyRulesTable;
  readonly strategy_plans: StrategyPlansTable;
  readonly strategy_rule_runs: StrategyRuleRunsTable;
  readonly overdue_rules: OverdueRulesTable;
  readonly directory_connection: DirectoryConnectionTable;
  readonly directory_mappings: DirectoryMappingsTable;
  readonly directory_accounts: DirectoryAccountsTable;
  readonly auditors: AuditorsTable;
  readonly join_tokens: JoinTokensTable;
  readonly pool_samples: PoolSamplesTable;
  readonly user_roles: UserRolesTable;
  readonly user_client_groups: UserClientGroupsTable;
  readonly sessions: SessionsTable;
  readonly login_attempts: LoginAttemptsTable;
  readonly client_groups: ClientGroupsTable;
  readonly clients: ClientsTable;
  readonly media_servers: MediaServersTable;
  readonly pools: PoolsTable;
  readonly storages: StoragesTable;
  readonly client_bandwidth: ClientBandwidthTable;
  readonly dynamic_pool_groups: DynamicPoolGroupsTable;
  readonly dynamic_pool_members: DynamicPoolMembersTable;
  readonly block_devices: BlockDevicesTable;
  readonly tape_libraries: TapeLibrariesTable;
  readonly tape_devices: TapeDevicesTable;
  readonly metadata_moves: MetadataMovesTable;
  readonly scsi_portals: ScsiPortalsTable;
  readonly virtual_libraries: VirtualLibrariesTable;
  readonly cartridges: CartridgesTable;
  readonly tape_parts: TapePartsTable;
  readonly tasks: TasksTable;
  readonly task_logs: TaskLogsTable;
  readonly copies: CopiesTable;
  readonly configuration: ConfigurationTable;
  readonly events: EventsTable;
  readonly audit: AuditTable;
  readonly installation: InstallationTable;
}
