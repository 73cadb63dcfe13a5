/**
 * The global configuration as one table: the schemas, the stored defaults, the documentation and the window's form
 * derive from it. A default that depends on the server (a folder below its data directory) is `null` here and named by `place`.
 */
export interface IntegerField {
  readonly type: 'integer';
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
  readonly meaning: string;
}
export interface ChoiceField {
  readonly type: 'choice';
  readonly values: readonly string[];
  readonly default: string;
  readonly meaning: string;
}
export interface BooleanField {
  readonly type: 'boolean';
  readonly default: boolean;
  readonly meaning: string;
}
export interface TimeOfDayField {
  readonly type: 'timeOfDay';
  readonly default: string;
  readonly meaning: string;
}
export interface PathField {
  readonly type: 'path';
  /** Folder below the data directory. */
  readonly place: string;
  readonly default: null;
  readonly meaning: string;
}
/** Set by the server; accepted and ignored when a caller sends it. */
export interface ReadOnlyField {
  readonly type: 'readOnlyText' | 'readOnlyTime';
  readonly default: null;
  readonly meaning: string;
}
export type ConfigurationField =
  | IntegerField
  | ChoiceField
  | BooleanField
  | TimeOfDayField
  | PathField
  | ReadOnlyField;

const max = 2_147_483_647;

const integer = (
  unit: string,
  fallback: number,
  meaning: string,
  range: { readonly min?: number; readonly max?: number } = {},
): IntegerField => ({
  type: 'integer',
  unit,
  min: range.min ?? 0,
  max: range.max ?? max,
  default: fallback,
  meaning,
});

const percent = (meaning: string) => integer('percent', 10, meaning, { max: 99 });
const onOff = (fallback: boolean, meaning: string): BooleanField => ({
  type: 'boolean',
  default: fallback,
  meaning,
});

const choice = <const V extends readonly string[]>(values: V, fallback: V[number], meaning: string) =>
  ({ type: 'choice', values, default: fallback, meaning }) as const;
const yesNo = (fallback: 'yes' | 'no', meaning: string) => choice(['yes', 'no'], fallback, meaning);
const readOnlyTime = (meaning: string) => ({ type: 'readOnlyTime', default: null, meaning }) as const;

export const configurationFields = {
  file_transfer_block_size: integer('bytes', 1_048_576, 'Size of the blocks in which data travel', {
    min: 4096,
    max: 16_777_216,
  }),
  done_tasks_remove_period: integer(
    'days',
    30,
    'Done and obsoleted tasks leave the queue after this time; 0 = never',
  ),
  error_tasks_remove_period: integer('days', 30, 'Failed tasks leave the queue after this time; 0 = never'),
  broken_tasks_remove_period: integer('days', 30, 'Broken tasks leave the queue after this time; 0 = never'),
  killed_tasks_remove_period: integer('days', 30, 'Killed tasks leave the queue after this time; 0 = never'),
  obsoleted_backup_notification_period: integer(
    'days',
    1,
    'Time between reminders of expired copies; 0 = none',
  ),
  rule_validity_end_notification_period: integer('days', 7, 'Notice before a rule ends; 0 = none'),
  strategy_validity_end_notification_period: integer('days', 7, 'Notice before a strategy ends; 0 = none'),
  rule_storage_capacity_reserve: percent('Part of the capacity of a rule that is kept free'),
  strategy_storage_capacity_reserve: percent('Part of the capacity of a strategy that is kept free'),
  rule_storage_capacity_notification_period: integer(
    'days',
    1,
    'Time between reminders that the capacity of a rule runs out; 0 = none',
  ),
  strategy_storage_capacity_notification_period: integer(
    'days',
    1,
    'Time between reminders that the capacity of a strategy runs out; 0 = none',
  ),
  pool_storage_capacity_reserve: percent('Part of a pool that is kept free'),
  suspended_task_restart_period: integer(
    'minutes',
    5,
    'A task that waits for a resource tries again after this time',
    {
      min: 1,
    },
  ),
  ltfs_umount_timeout: integer('seconds', 600, 'Longest time to unmount a tape; 0 = no limit'),
  max_system_monitoring_records: integer('rows', 10_000, 'Monitoring rows kept for each server; 0 = all'),
  monitoring_period: integer('seconds', 60, 'Time between two monitoring rows', { min: 5 }),
  digital_signature_public_key_obsolence: integer(
    'days',
    365,
    'Age at which a public key is obsolete; 0 = never',
  ),
  clean_tape_drives_period: integer('days', 30, 'Time between two cleanings of a tape drive; 0 = never'),
  dedup_clean_period: integer('hours', 24, 'Time between two cleanings of deduplicated blocks; 0 = never'),
  mandatory_storage_time: integer('days', 0, 'A younger copy cannot be deleted; 0 = any copy can'),
  wrong_auth_attempts_count: integer(
    'attempts',
    5,
    'Failed logins in a row that block an account; 0 = never',
  ),
  wrong_auth_block_period: integer('minutes', 15, 'How long an account stays blocked'),
  filesystems_clean_period: integer('hours', 24, 'Time between two cleanings of file systems; 0 = never'),
  remote_replica_rule_validity_end_notification_period: integer(
    'days',
    7,
    'Notice before a remote replica rule ends; 0 = none',
  ),
  cartridge_unload_timeout: integer('seconds', 600, 'Longest time to unload a cartridge; 0 = no limit'),
  tape_library_warnings_limit: integer('warnings', 100, 'Warnings kept for each tape library; 0 = all'),

  data_spred_into_pool: choice(
    ['sequential', 'round_robin', 'most_free'],
    'round_robin',
    'How a pool with several storages is filled',
  ),
  emergency_storage_local_catalog: {
    type: 'path',
    place: 'emergency',
    default: null,
    meaning: 'Folder that is used when a pool has no free storage',
  },
  tape_library_mount_point: {
    type: 'path',
    place: 'mnt',
    default: null,
    meaning: 'Folder below which tapes are mounted',
  },
  rb_key_hash: {
    type: 'readOnlyText',
    default: null,
    meaning: 'Hash of the key of this server, 64 hexadecimal digits',
  },
  create_new_task_if_client_offline: yesNo(
    'no',
    'Scheduled tasks are created although the client is offline',
  ),
  bandwith_limit_advantage: choice(['client', 'rule'], 'client', 'Whose limit wins when both apply'),
  bandwith_client_limit: choice(['min', 'max'], 'min', 'Which of several limits of a client is used'),
  bandwith_rule_limit: choice(['min', 'max'], 'min', 'Which of several limits of a rule is used'),
  version: { type: 'readOnlyText', default: null, meaning: 'Version of the server' },

  unload_tape_cartriges_whes_media_server_starts: yesNo(
    'no',
    'Cartridges are unloaded when a media server starts',
  ),
  verify_archive_after_creation: yesNo('no', 'Each new copy is verified before its task is done'),
  kill_task_of_offline_client: yesNo(
    'no',
    'Tasks of a client that goes offline are killed instead of suspended',
  ),
  auto_delete_archive_from_broken_chain: yesNo(
    'no',
    'Broken copies are deleted without waiting for their time',
  ),
  consolidating_tape_library_tasks: yesNo('no', 'Tasks for one tape library are run together'),
  auto_clean_tape_drives: yesNo('yes', 'Tape drives are cleaned by themselves'),
  dedup_clean_unused_blocks: yesNo('yes', 'Blocks that no copy uses are freed'),
  dedup_provide_common_hash_table_for_client: yesNo(
    'no',
    'Clients receive the hash table of all their copies',
  ),
  dedup_provide_common_hash_table: yesNo('no', 'Clients receive the hash table of the whole pool'),
  dedup_verify_only_meta_data: yesNo('no', 'A verification of deduplicated copies reads the metadata only'),
  repository_remove_chain: yesNo('yes', 'Deleting a copy also deletes the copies that build on it'),
  show_previous_login_attempts_after_logging_in: yesNo(
    'yes',
    'The login answer tells when the account was used before',
  ),

  service_window_start: {
    type: 'timeOfDay',
    default: '00:00:00',
    meaning: 'Begin of the daily cleaning window',
  },
  service_window_end: { type: 'timeOfDay', default: '06:00:00', meaning: 'End of the daily cleaning window' },

  clean_tape_drives_last_time: readOnlyTime('Last cleaning of tape drives'),
  dedup_clean_last_time: readOnlyTime('Last cleaning of deduplicated blocks'),
  filesystems_clean_last_time: readOnlyTime('Last cleaning of file systems'),

  clients_capacity_limits: onOff(false, 'The storage capacity of clients is enforced'),
  global_schedule_capacity_limits: onOff(false, 'The capacity of global schedule rules is enforced'),
  backup_strategies_capacity_limits: onOff(false, 'The capacity of strategies is enforced'),
  immutable_archives: onOff(false, 'Copies cannot be deleted or shortened before their time'),
  delete_archives_with_zeroing: onOff(false, 'The data of a copy are overwritten before they are deleted'),
  dont_delete_last_gs_rule_archive: onOff(true, 'The last copy of a global schedule rule is never deleted'),
  dont_delete_last_strategy_rule_archive: onOff(true, 'The last copy of a strategy rule is never deleted'),
  search_backup_in_cluster_group: onOff(
    false,
    'An incremental backup may build on a copy of another member of the cluster group',
  ),
  allow_rapid_deleting_from_ltfs_tape: onOff(false, 'Copies are deleted from tape without rewinding'),
} as const satisfies Readonly<Record<string, ConfigurationField>>;

export type ConfigurationFields = typeof configurationFields;
export type ConfigurationName = keyof ConfigurationFields;

export type ConfigurationValue<F> = F extends { type: 'integer' }
  ? number
  : F extends { type: 'boolean' }
    ? boolean
    : F extends { type: 'choice'; values: readonly (infer V)[] }
      ? V
      : F extends { type: 'readOnlyTime' }
        ? string | null
        : string;

/** Every field with its value. */
export type ConfigurationValues = {
  readonly [N in ConfigurationName]: ConfigurationValue<ConfigurationFields[N]>;
};

export const configurationNames = Object.keys(configurationFields) as readonly ConfigurationName[];

export function isReadOnly(name: ConfigurationName): boolean {
  const { type } = configurationFields[name];
  return type === 'readOnlyText' || type === 'readOnlyTime';
}
