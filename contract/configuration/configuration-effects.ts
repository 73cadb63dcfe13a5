import type { ConfigurationName } from './configuration-fields.ts';

/** What a field does on the bundled server. */
export interface ConfigurationEffect {
  /** False: it is kept and answered, and nothing here is governed by it. */
  readonly acts: boolean;
  /** For an administrator: what it does, or what it is kept for. */
  readonly here: string;
}

const acts = (here: string): ConfigurationEffect => ({ acts: true, here });
const keptFor = (here: string): ConfigurationEffect => ({ acts: false, here });

const removal = acts(
  'looked at every minute, not in service mode; counted from the end of the task; 0 keeps them',
);
const fileSystemOnTape = keptFor('tapes with a file system (LTFS), which this server does not write');
const rules = keptFor('capacities of rules, which have none on this server');

/** By field, in the order of the table of fields. */
export const configurationEffects: Readonly<Record<ConfigurationName, ConfigurationEffect>> = {
  file_transfer_block_size: acts(
    'four blocks of this size are compressed together as a frame of a new copy; larger values count as 1048576',
  ),
  done_tasks_remove_period: removal,
  error_tasks_remove_period: removal,
  broken_tasks_remove_period: removal,
  killed_tasks_remove_period: removal,
  obsoleted_backup_notification_period: acts(
    'the log of the server warns of expired copies that a rule, service mode or a jump of the clock keeps, with the reasons, this often',
  ),
  rule_validity_end_notification_period: keptFor('validities of rules, which have none on this server'),
  strategy_validity_end_notification_period: acts(
    'the log of the server warns once that a strategy ends within this time',
  ),
  rule_storage_capacity_reserve: rules,
  strategy_storage_capacity_reserve: acts(
    'with `backup_strategies_capacity_limits` a backup ends in `error` when the copies of its strategy would pass the capacity less this part',
  ),
  rule_storage_capacity_notification_period: rules,
  strategy_storage_capacity_notification_period: acts(
    'the log of the server warns at once, and then this often, of a strategy whose copies have reached its capacity less the reserve, enforced or not',
  ),
  pool_storage_capacity_reserve: acts(
    'storages with less free space are filled last; a backup to such a pool is logged with a warning, and the log of the server warns when a pool reaches it',
  ),
  suspended_task_restart_period: acts('tasks suspended for a resource become new after it'),
  ltfs_umount_timeout: fileSystemOnTape,
  max_system_monitoring_records: acts(
    'the oldest samples of what the pools hold are forgotten beyond this number; 0 keeps all',
  ),
  monitoring_period: acts(
    'what the pools hold is sampled this often, for the statistics; only changes are kept',
  ),
  digital_signature_public_key_obsolence: keptFor('signed copies, which this server does not make'),
  clean_tape_drives_period: acts(
    'a drive that was used is cleaned so many days after its last cleaning, or its first use, while nobody uses it; without a cleaning cartridge it is marked as needing one',
  ),
  dedup_clean_period: acts(
    'blocks that no copy uses are freed on all block devices this often, inside the service window, beside running tasks',
  ),
  mandatory_storage_time: acts(
    'a younger copy is not deleted, also when it has expired, and cannot be made to expire earlier',
  ),
  wrong_auth_attempts_count: acts('counted for each account; the right password counts from 0 again'),
  wrong_auth_block_period: acts('while an account is blocked, the right password is refused too'),
  filesystems_clean_period: acts(
    'half-made and half-removed copies are removed from all storages this often, inside the service window, while no task runs',
  ),
  remote_replica_rule_validity_end_notification_period: keptFor(
    'remote replicas, which this server has none of',
  ),
  cartridge_unload_timeout: acts(
    'a drive that has not released its cartridge by then keeps it, and the log of the server says so',
  ),
  tape_library_warnings_limit: keptFor(
    'lists of warnings; what drives tell stands at the drive and in the logs',
  ),

  data_spred_into_pool: acts(
    'the storage of a new copy: the first with room, the one with the fewest copies, or the one with the most room',
  ),
  emergency_storage_local_catalog: acts(
    'a backup to a file pool without any free storage goes here, into a folder for each pool that becomes a storage of it; only when the folder exists',
  ),
  tape_library_mount_point: fileSystemOnTape,
  rb_key_hash: acts('read-only: made at the first start'),
  create_new_task_if_client_offline: acts(
    'with `no` a run of a rule whose client is offline is skipped, with that reason; with `yes` its task is made and waits',
  ),
  bandwith_limit_advantage: keptFor('limits of rules, which have none on this server'),
  bandwith_client_limit: keptFor(
    'several limits at the same time: the windows of a client do not overlap, so one applies at most',
  ),
  bandwith_rule_limit: keptFor('limits of rules, which have none on this server'),
  version: acts('read-only: the version of this server'),

  unload_tape_cartriges_whes_media_server_starts: acts(
    'with `yes` what is in the drives of the libraries goes to free slots when the server starts',
  ),
  verify_archive_after_creation: acts(
    'a new copy is read back before its task is done; one that fails is removed and the task ends in error',
  ),
  kill_task_of_offline_client: acts(
    'a backup or restore whose client is offline when it starts is killed; with `no` it is suspended and tried again',
  ),
  auto_delete_archive_from_broken_chain: acts('broken copies are removed with the expired ones'),
  consolidating_tape_library_tasks: keptFor(
    'tasks that share a mounted tape; each one has its own turn here',
  ),
  auto_clean_tape_drives: acts(
    'with `no` a drive that asks for cleaning is not cleaned; the log of the task says that it asks',
  ),
  dedup_clean_unused_blocks: acts('with `no` unused blocks stay, and no cleaning of blocks begins'),
  dedup_provide_common_hash_table_for_client: keptFor('clients on other hosts'),
  dedup_provide_common_hash_table: keptFor('clients on other hosts'),
  dedup_verify_only_meta_data: acts(
    'of a copy on block devices the file list is read, and whether all its blocks are there; damage of their bytes is not found then',
  ),
  repository_remove_chain: acts('with `no` a copy that others build on is only deleted together with them'),
  show_previous_login_attempts_after_logging_in: acts('with `no` the times of earlier logins are null'),

  service_window_start: acts(
    'cleaning in the background begins inside the window alone, in the time of this host',
  ),
  service_window_end: acts('before the start: the window ends on the next day; equal: the whole day'),

  clean_tape_drives_last_time: acts('read-only: set after each cleaning of a tape drive'),
  dedup_clean_last_time: acts('read-only: set after each cleaning of blocks'),
  filesystems_clean_last_time: acts('read-only: set after each cleaning of the storages'),

  clients_capacity_limits: acts(
    'a backup of a client at its limit ends in error before it starts, and one that would pass the limit ends in error before its copy is kept',
  ),
  global_schedule_capacity_limits: rules,
  backup_strategies_capacity_limits: acts(
    'backups of a strategy that has reached its capacity, less the reserve, end in `error`',
  ),
  immutable_archives: acts('a copy is not deleted before its time, and its time can only grow'),
  delete_archives_with_zeroing: acts(
    'the files of a copy are overwritten with zeros before they are removed',
  ),
  dont_delete_last_gs_rule_archive: acts(
    'the last copy of a rule, and the last one that is neither Broken nor Suspicious, is not deleted, nor does it expire',
  ),
  dont_delete_last_strategy_rule_archive: acts(
    'the last copy of a strategy rule, and the last one that is neither Broken nor Suspicious, is not deleted, nor does it expire',
  ),
  search_backup_in_cluster_group: keptFor('cluster groups, which this server has none of'),
  allow_rapid_deleting_from_ltfs_tape: fileSystemOnTape,
};
