import type { Generated } from 'kysely';
import type {
  AuditorsTable,
  AuditTable,
  DirectoryAccountsTable,
  DirectoryConnectionTable,
  DirectoryMappingsTable,
  JoinTokensTable,
  LoginAttemptsTable,
  SessionsTable,
  UserClientGroupsTable,
  UserRolesTable,
  UsersTable,
} from './access-tables.ts';
import type { Flag, Json } from './column-types.ts';
import type {
  OverdueRulesTable,
  StrategiesTable,
  StrategyPlansTable,
  StrategyRuleRunsTable,
  StrategyRulesTable,
  StrategyScheduleChangesTable,
} from './strategy-tables.ts';
import type { CopiesTable, TaskLogsTable, TasksTable } from './work-tables.ts';

export type * from './access-tables.ts';
export type { Flag } from './column-types.ts';
export type * from './strategy-tables.ts';
export type * from './work-tables.ts';

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

/** Bytes that the copies of a pool took at a moment. */
export interface PoolSamplesTable {
  readonly id: Generated<number>;
  readonly pool_id: number;
  readonly media_server_id: number;
  readonly time_ms: number;
  readonly stored_bytes: number;
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
  /** Of a tape pool: whose cartridges alone are written. Null: any of its library. */
  readonly media_set_name: string | null;
  /** Where that set has no room, cartridges without one join it. */
  readonly takes_scratch: Generated<Flag>;
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
  /** The robot takes cartridges out of the drives by itself. */
  readonly robot_unloads: Generated<Flag>;
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
  /** Of a drive: when it was cleaned last, and since when the days until the next time count. */
  readonly cleaned_ms: number | null;
  readonly cleaning_from_ms: number | null;
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
  /** Of a label that is about to be written in place of the other. */
  readonly next_label_uuid: string | null;
  /** As a drive has told it last; null when none has yet. */
  readonly is_write_protected: number | null;
  /** Why the robot could not bring it to a drive; null since it could, or was somewhere else. */
  readonly move_failure: string | null;
  /** Null: a scratch cartridge. */
  readonly media_set_name: string | null;
}

/** Copies that were given up after parts of them were on tape, so that no scan takes them for copies. */
export interface GivenUpCopiesTable {
  readonly uuid: string;
  readonly given_up_ms: number;
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

/** Facts about the installation itself (its name, the local host's hwid …). */
export interface InstallationTable {
  readonly name: string;
  readonly value: string;
}

/**
 * The tables, as the newest migration leaves them. Times are epoch milliseconds (`*_ms`), booleans 0 or 1
 * (`Flag`), JSON is text. Names of columns are ours; the API's names are made in the stores.
 */
export interface Database {
  readonly users: UsersTable;
  readonly strategies: StrategiesTable;
  readonly strategy_rules: StrategyRulesTable;
  readonly strategy_plans: StrategyPlansTable;
  readonly strategy_schedule_changes: StrategyScheduleChangesTable;
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
  readonly given_up_copies: GivenUpCopiesTable;
  readonly tape_parts: TapePartsTable;
  readonly tasks: TasksTable;
  readonly task_logs: TaskLogsTable;
  readonly copies: CopiesTable;
  readonly configuration: ConfigurationTable;
  readonly events: EventsTable;
  readonly audit: AuditTable;
  readonly installation: InstallationTable;
}
