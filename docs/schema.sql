CREATE TABLE "audit" (
  "id" integer primary key autoincrement,
  "time_ms" integer not null,
  "user_id" integer,
  "user_name" text,
  "address" text,
  "action" text not null,
  "object_id" integer,
  "status" integer not null,
  "details" text
) strict;

CREATE INDEX "audit_by_action" on "audit" ("action");

CREATE INDEX "audit_by_address" on "audit" ("address");

CREATE INDEX "audit_by_id" on "audit" ("id");

CREATE INDEX "audit_by_object_id" on "audit" ("object_id");

CREATE INDEX "audit_by_status" on "audit" ("status");

CREATE INDEX "audit_by_user_name" on "audit" ("user_name");

CREATE INDEX "audit_time_ms_index" on "audit" ("time_ms");

CREATE TABLE "auditors" (
  "id" integer primary key autoincrement,
  "user_id" integer not null unique references "users" ("id") on delete cascade,
  "assigned_by" text,
  "created_ms" integer not null
) strict;

CREATE TABLE "block_devices" (
  "id" integer primary key autoincrement,
  "device" text not null,
  "is_file" integer not null default 0,
  "pool_id" integer not null references "pools" ("id") on delete restrict,
  "media_server_id" integer not null references "media_servers" ("id") on delete restrict,
  "description" text,
  "parallel_workers" integer not null,
  "size" integer not null,
  "used" integer not null default 0,
  "hash_table_size" integer not null default 0,
  "created_ms" integer not null,
  unique ("media_server_id", "device")
) strict;

CREATE INDEX "block_devices_pool_id_index" on "block_devices" ("pool_id");

CREATE TABLE "cartridges" (
  "id" integer primary key autoincrement,
  "tape_library_id" integer not null references "tape_libraries" ("id") on delete cascade,
  "pool_id" integer not null references "pools" ("id") on delete restrict,
  "barcode" text not null,
  "state" text not null,
  "location" text not null,
  "element_address" integer,
  "label_uuid" text unique,
  "written" integer not null default 0,
  "capacity" integer,
  "expires_ms" integer,
  "created_ms" integer not null,
  next_file integer not null default 0,
  cleanings integer not null default 0,
  is_used_up integer not null default 0,
  next_label_uuid text,
  is_write_protected integer,
  move_failure text,
  media_set_name text,
  unique ("tape_library_id", "barcode")
) strict;

CREATE INDEX "cartridges_pool_id_index" on "cartridges" ("pool_id");

CREATE TABLE "client_bandwidth" (
  "id" integer primary key autoincrement,
  "client_id" integer not null references "clients" ("id") on delete cascade,
  "backup_bandwidth" integer not null default 0,
  "restore_bandwidth" integer not null default 0,
  "window_start" text,
  "window_end" text,
  "created_ms" integer not null
) strict;

CREATE INDEX "client_bandwidth_client_id_index" on "client_bandwidth" ("client_id");

CREATE TABLE "client_groups" (
  "id" integer primary key autoincrement,
  "name" text not null,
  "name_key" text not null unique,
  "shared" integer not null default 0,
  "created_ms" integer not null
) strict;

CREATE TABLE "clients" (
  "id" integer primary key autoincrement,
  "hwid" text not null unique,
  "hostname" text not null,
  "ipv4" text,
  "ipv6" text,
  "mac" text,
  "os_type" text not null,
  "os_distribution" text,
  "version" text,
  "client_group_id" integer not null references "client_groups" ("id") on delete restrict,
  "authorized" integer not null default 0,
  "is_local" integer not null default 0,
  "last_activity_ms" integer,
  "modules" text not null,
  "lsf_flag" integer not null default 0,
  "ls_pool_id" integer references "pools" ("id") on delete restrict,
  "lrl_flag" integer not null default 0,
  "storage_capacity" integer not null default 0,
  "description" text,
  "client_side_backup" integer not null default 0,
  "client_side_restore" integer not null default 0,
  "created_ms" integer not null
) strict;

CREATE INDEX "clients_of_group" on "clients" ("client_group_id", "authorized", "hostname");

CREATE TABLE "configuration" (
  "name" text not null,
  "value" text not null,
  primary key ("name")
) strict;

CREATE TRIGGER "copies_search_delete" after delete on "copies" begin
    delete from "copies_search" where rowid = old.id; end;

CREATE TRIGGER "copies_search_insert" after insert on "copies" begin
    insert into "copies_search" (rowid, text) values (new.id, coalesce(new.resource_type, '') || char(10) || coalesce(new.resource, '') || char(10) || coalesce(new.client_text, '') || char(10) || coalesce(new.client_hwid, '') || char(10) || coalesce(new.backup_type, '') || char(10) || coalesce(new.status, '') || char(10) || coalesce(new.crypto, '') || char(10) || coalesce(new.description, '') || char(10) || coalesce(new.uuid, '')); end;

CREATE TRIGGER "copies_search_update" after update of resource_type, resource, client_text, client_hwid, backup_type, status, crypto, description, uuid on "copies" begin
    insert or replace into "copies_search" (rowid, text) values (new.id, coalesce(new.resource_type, '') || char(10) || coalesce(new.resource, '') || char(10) || coalesce(new.client_text, '') || char(10) || coalesce(new.client_hwid, '') || char(10) || coalesce(new.backup_type, '') || char(10) || coalesce(new.status, '') || char(10) || coalesce(new.crypto, '') || char(10) || coalesce(new.description, '') || char(10) || coalesce(new.uuid, '')); end;

CREATE TABLE "copies" (
  "id" integer primary key autoincrement,
  "uuid" text not null unique,
  "reference_id" integer references "copies" ("id") on delete restrict,
  "chain_id" integer,
  "copy_of" integer,
  "resource_type" text not null,
  "resource" text not null,
  "client_id" integer references "clients" ("id") on delete set null,
  "client_text" text not null,
  "client_hwid" text not null,
  "backup_type" text not null,
  "status" text not null,
  "crypto" text not null,
  "signed" integer not null default 0,
  "pool_id" integer references "pools" ("id") on delete restrict,
  "storage_id" integer references "storages" ("id") on delete restrict,
  "size" integer not null,
  "real_size" integer not null,
  "created_ms" integer not null,
  "store_until_ms" integer,
  "store_until_text" text,
  "archiving" integer not null default 0,
  "rule_id" integer,
  "strategy_rule_id" integer,
  "task_id" integer,
  "file_list_available" integer not null default 0,
  "description" text,
  "skipped_items" integer,
  "files_count" integer,
  "damage" text,
  "deleting" integer not null default 0,
  verified_ms integer,
  "proven_ms" integer,
  "proven_files" integer,
  "proven_bytes" integer,
  "proof_failed_ms" integer,
  "proof_failure" text
) strict;

CREATE INDEX "copies_by_archiving" on "copies" ("archiving") where deleting = 0;

CREATE INDEX "copies_by_backup_type" on "copies" ("backup_type") where deleting = 0;

CREATE INDEX "copies_by_chain_id" on "copies" ("chain_id") where deleting = 0;

CREATE INDEX "copies_by_client_hwid" on "copies" ("client_hwid") where deleting = 0;

CREATE INDEX "copies_by_client_id" on "copies" ("client_id") where deleting = 0;

CREATE INDEX "copies_by_client_text" on "copies" ("client_text") where deleting = 0;

CREATE INDEX "copies_by_copy_of" on "copies" ("copy_of") where deleting = 0;

CREATE INDEX "copies_by_created_ms" on "copies" ("created_ms") where deleting = 0;

CREATE INDEX "copies_by_crypto" on "copies" ("crypto") where deleting = 0;

CREATE INDEX "copies_by_damage" on "copies" ("damage") where deleting = 0;

CREATE INDEX "copies_by_description" on "copies" ("description") where deleting = 0;

CREATE INDEX "copies_by_file_list_available" on "copies" ("file_list_available") where deleting = 0;

CREATE INDEX "copies_by_files_count" on "copies" ("files_count") where deleting = 0;

CREATE INDEX "copies_by_id" on "copies" ("id") where deleting = 0;

CREATE INDEX "copies_by_pool_id" on "copies" ("pool_id") where deleting = 0;

CREATE INDEX "copies_by_proof_failure" on "copies" ("proof_failure") where deleting = 0;

CREATE INDEX "copies_by_proven_bytes" on "copies" ("proven_bytes") where deleting = 0;

CREATE INDEX "copies_by_proven_files" on "copies" ("proven_files") where deleting = 0;

CREATE INDEX "copies_by_proven_ms" on "copies" ("proven_ms") where deleting = 0;

CREATE INDEX "copies_by_real_size" on "copies" ("real_size") where deleting = 0;

CREATE INDEX "copies_by_reference_id" on "copies" ("reference_id") where deleting = 0;

CREATE INDEX "copies_by_resource" on "copies" ("resource") where deleting = 0;

CREATE INDEX "copies_by_resource_type" on "copies" ("resource_type") where deleting = 0;

CREATE INDEX "copies_by_rule_id" on "copies" ("rule_id") where deleting = 0;

CREATE INDEX "copies_by_signed" on "copies" ("signed") where deleting = 0;

CREATE INDEX "copies_by_size" on "copies" ("size") where deleting = 0;

CREATE INDEX "copies_by_skipped_items" on "copies" ("skipped_items") where deleting = 0;

CREATE INDEX "copies_by_status" on "copies" ("status") where deleting = 0;

CREATE INDEX "copies_by_storage_id" on "copies" ("storage_id") where deleting = 0;

CREATE INDEX "copies_by_store_until_ms" on "copies" ("store_until_ms") where deleting = 0;

CREATE INDEX "copies_by_strategy_rule_id" on "copies" ("strategy_rule_id") where deleting = 0;

CREATE INDEX "copies_by_task_id" on "copies" ("task_id") where deleting = 0;

CREATE INDEX "copies_client_id_index" on "copies" ("client_id");

CREATE INDEX "copies_deleting" on "copies" ("id") where deleting = 1;

CREATE INDEX "copies_full_of_series" on "copies" ("client_hwid", "resource", "pool_id", "strategy_rule_id", "crypto", "resource_type", "created_ms", "id") where deleting = 0 and backup_type = 'full';

CREATE INDEX "copies_of_series" on "copies" ("client_hwid", "resource", "pool_id", "strategy_rule_id", "crypto", "resource_type", "created_ms", "id") where deleting = 0;

CREATE INDEX "copies_pool_id_index" on "copies" ("pool_id");

CREATE INDEX "copies_proof_failed" on "copies" ("proof_failed_ms") where proof_failed_ms is not null;

CREATE INDEX "copies_reference_id_index" on "copies" ("reference_id");

CREATE INDEX "copies_storage_id_index" on "copies" ("storage_id");

CREATE INDEX "copies_store_until_ms_index" on "copies" ("store_until_ms");

CREATE INDEX "copies_task_id_index" on "copies" ("task_id");

CREATE INDEX "copies_unusable" on "copies" ("client_hwid", "resource") where deleting = 1 or storage_id is null or status in ('Broken', 'Suspicious');

CREATE VIRTUAL TABLE "copies_search" using fts5(
    text, content='', contentless_delete=1, tokenize='trigram');

CREATE TABLE "directory_accounts" (
  "id" integer primary key autoincrement,
  "account_key" text not null unique,
  "domain" text not null,
  "user_name" text not null,
  "distinguished_name" text not null,
  "roles" text not null,
  "last_success_login_ms" integer,
  "last_fail_login_ms" integer,
  "created_ms" integer not null
) strict;

CREATE TABLE "directory_connection" (
  "id" integer not null,
  "settings" text not null,
  "secrets" text not null,
  "changed_ms" integer not null,
  primary key ("id")
) strict;

CREATE TABLE "directory_mappings" (
  "id" integer primary key autoincrement,
  "group_name" text not null,
  "group_key" text not null,
  "group_sid" text,
  "role" text not null,
  "created_ms" integer not null,
  unique ("group_key", "role")
) strict;

CREATE TABLE "dynamic_pool_groups" (
  "id" integer primary key autoincrement,
  "name" text not null,
  "name_key" text not null unique,
  "max_pool_tasks" integer not null,
  "max_media_server_tasks" integer not null,
  "max_cpu_usage" integer not null,
  "max_in_block_operations" integer not null,
  "max_out_block_operations" integer not null,
  "calculation_period" integer not null,
  "description" text,
  "created_ms" integer not null
) strict;

CREATE TABLE "dynamic_pool_members" (
  "id" integer primary key autoincrement,
  "group_id" integer not null references "dynamic_pool_groups" ("id") on delete cascade,
  "pool_id" integer not null unique references "pools" ("id") on delete cascade,
  "enabled" integer not null default 1,
  "created_ms" integer not null
) strict;

CREATE INDEX "dynamic_pool_members_group_id_index" on "dynamic_pool_members" ("group_id");

CREATE TABLE "events" (
  "id" integer primary key autoincrement,
  "time_ms" integer not null,
  "kind" text not null,
  "action" text not null,
  "object_id" integer,
  "record" text,
  "client_group_id" integer
) strict;

CREATE TABLE given_up_copies (
  uuid text primary key,
  given_up_ms integer not null
);

CREATE TABLE "installation" (
  "name" text not null,
  "value" text not null,
  primary key ("name")
) strict;

CREATE TABLE "join_tokens" (
  "id" integer primary key autoincrement,
  "token_hash" text not null unique,
  "created_by" text not null,
  "created_ms" integer not null,
  "expires_ms" integer not null
) strict;

CREATE TABLE "login_attempts" (
  "account_key" text not null,
  "failures" integer not null,
  "last_ms" integer not null,
  "blocked_until_ms" integer,
  primary key ("account_key")
) strict;

CREATE INDEX "login_attempts_last_ms_index" on "login_attempts" ("last_ms");

CREATE TABLE "media_servers" (
  "id" integer primary key autoincrement,
  "name" text not null,
  "name_key" text not null unique,
  "ip" text,
  "role" text not null,
  "version" text,
  "is_local" integer not null default 0,
  "last_activity_ms" integer,
  "description" text,
  "created_ms" integer not null
) strict;

CREATE TABLE "metadata_moves" (
  "pool_id" integer not null unique references "pools" ("id") on delete cascade,
  "asked_ms" integer not null
) strict;

CREATE TABLE "overdue_rules" (
  "rule_id" integer not null unique references "strategy_rules" ("id") on delete cascade,
  "due_ms" integer not null,
  "noted_ms" integer not null
) strict;

CREATE TABLE "pool_samples" (
  "id" integer primary key autoincrement,
  "pool_id" integer not null references "pools" ("id") on delete cascade,
  "media_server_id" integer not null references "media_servers" ("id") on delete cascade,
  "time_ms" integer not null,
  "stored_bytes" integer not null
) strict;

CREATE INDEX "pool_samples_media_server_id_index" on "pool_samples" ("media_server_id");

CREATE INDEX "pool_samples_pool_id_time_ms_index" on "pool_samples" ("pool_id", "time_ms");

CREATE TABLE "pools" (
  "id" integer primary key autoincrement,
  "name" text not null,
  "name_key" text not null unique,
  "pool_type" text not null,
  "media_server_id" integer not null references "media_servers" ("id") on delete restrict,
  "compression_type" text,
  "description" text,
  "retention_period" text,
  "ignore_free_space_check" integer not null default 0,
  "meta_data_pool_id" integer references "pools" ("id") on delete restrict,
  "algorithm" text,
  "block_size" integer,
  "hash_length" integer,
  "created_ms" integer not null,
  media_set_name text,
  takes_scratch integer not null default 0
) strict;

CREATE INDEX "pools_media_server_id_index" on "pools" ("media_server_id");

CREATE TABLE schema_version (
  version integer not null primary key,
  name text not null,
  applied_ms integer not null
);

CREATE TABLE "scsi_portals" (
  "id" integer primary key autoincrement,
  "media_server_id" integer not null references "media_servers" ("id") on delete cascade,
  "address" text not null,
  "port" integer not null,
  "user_name" text,
  "password" text,
  "created_ms" integer not null,
  unique ("media_server_id", "address", "port")
) strict;

CREATE TABLE "sessions" (
  "id" text not null,
  "user_id" integer references "users" ("id") on delete cascade,
  "directory_account_id" integer references "directory_accounts" ("id") on delete cascade,
  "refresh_hash" text not null,
  "previous_success_ms" integer,
  "previous_fail_ms" integer,
  "created_ms" integer not null,
  "expires_ms" integer not null,
  primary key ("id")
) strict;

CREATE INDEX "sessions_directory_account_id_index" on "sessions" ("directory_account_id");

CREATE INDEX "sessions_user_id_index" on "sessions" ("user_id");

CREATE TABLE "storages" (
  "id" integer primary key autoincrement,
  "path" text not null,
  "pool_id" integer not null references "pools" ("id") on delete restrict,
  "media_server_id" integer not null references "media_servers" ("id") on delete restrict,
  "description" text,
  "created_ms" integer not null,
  unique ("media_server_id", "path")
) strict;

CREATE INDEX "storages_pool_id_index" on "storages" ("pool_id");

CREATE TABLE "strategies" (
  "id" integer primary key autoincrement,
  "name" text not null,
  "name_key" text not null unique,
  "pool_id" integer not null references "pools" ("id") on delete restrict,
  "priority" integer not null,
  "full_schedule" text,
  "incremental_schedule" text,
  "differential_schedule" text,
  "time_zone" text not null,
  "storage_duration" text,
  "crypto" text not null,
  "capacity" integer not null,
  "enabled" integer not null,
  "valid_from_ms" integer,
  "valid_until_ms" integer,
  "verify_period" integer,
  "created_ms" integer not null,
  "changed_ms" integer not null,
  "restore_proof_files" integer,
  "restore_proof_size" integer,
  notification_user_groups text
) strict;

CREATE INDEX "strategies_pool_id_index" on "strategies" ("pool_id");

CREATE TABLE "strategy_plans" (
  "strategy_id" integer not null unique references "strategies" ("id") on delete cascade,
  "planned_until_ms" integer not null
) strict;

CREATE TABLE "strategy_rule_runs" (
  "id" integer primary key autoincrement,
  "rule_id" integer not null references "strategy_rules" ("id") on delete cascade,
  "due_ms" integer not null,
  "backup_type" text not null,
  "outcome" text not null,
  "reason" text,
  "task_id" integer,
  "task_end" text,
  "noted_ms" integer not null,
  unique ("rule_id", "due_ms")
) strict;

CREATE INDEX "strategy_rule_runs_noted_ms_index" on "strategy_rule_runs" ("noted_ms");

CREATE INDEX "strategy_rule_runs_rule_id_id_index" on "strategy_rule_runs" ("rule_id", "id");

CREATE INDEX "strategy_rule_runs_task_id_index" on "strategy_rule_runs" ("task_id");

CREATE TABLE "strategy_rules" (
  "id" integer primary key autoincrement,
  "client_id" integer references "clients" ("id") on delete cascade,
  "strategy_id" integer references "strategies" ("id") on delete restrict,
  "resource_type" text not null,
  "resource" text not null,
  "priority" integer not null,
  "status" text not null,
  "normal_execution_script" text not null,
  "exception_execution_script" text not null,
  "restore_script" text not null,
  "module_extensions" text not null,
  "common_modules_extensions" text not null,
  "created_ms" integer not null,
  "changed_ms" integer not null,
  runs_since_ms integer
) strict;

CREATE INDEX strategy_rules_of_resource on strategy_rules (client_id, substr(resource, 1, 200));

CREATE INDEX "strategy_rules_of_strategy" on "strategy_rules" ("strategy_id", "status", "id");

CREATE TABLE "strategy_schedule_changes" (
  "id" integer primary key autoincrement,
  "strategy_id" integer not null references "strategies" ("id") on delete cascade,
  "until_ms" integer not null,
  "schedules" text not null
) strict;

CREATE INDEX "strategy_schedule_changes_strategy_id_index" on "strategy_schedule_changes" ("strategy_id");

CREATE TABLE "tape_devices" (
  "id" integer primary key autoincrement,
  "media_server_id" integer not null references "media_servers" ("id") on delete cascade,
  "kind" text not null,
  "device_key" text not null,
  "sg_path" text not null,
  "st_path" text,
  "vendor" text not null,
  "model" text not null,
  "serial" text not null,
  "slots_count" integer,
  "drives_count" integer,
  "tape_library_id" integer references "tape_libraries" ("id") on delete set null,
  "element_address" integer,
  "drive_status" text,
  "barcode" text,
  alerts text,
  alerts_ms integer,
  needs_cleaning integer not null default 0,
  cleaned_ms integer,
  cleaning_from_ms integer,
  unique ("media_server_id", "kind", "device_key")
) strict;

CREATE INDEX "tape_devices_tape_library_id_index" on "tape_devices" ("tape_library_id");

CREATE TABLE "tape_libraries" (
  "id" integer primary key autoincrement,
  "pool_id" integer not null unique references "pools" ("id") on delete restrict,
  "media_server_id" integer not null references "media_servers" ("id") on delete restrict,
  "description" text,
  "slots_count" integer not null,
  "status" text not null,
  "last_sync_ms" integer,
  "created_ms" integer not null,
  robot_unloads integer not null default 0
) strict;

CREATE TABLE "tape_parts" (
  "id" integer primary key autoincrement,
  "cartridge_id" integer not null references "cartridges" ("id") on delete cascade,
  "copy_uuid" text not null,
  "number" integer not null,
  "file" integer not null,
  "bytes" integer not null,
  "is_last" integer not null,
  "state" text not null,
  "facts" text,
  unique ("cartridge_id", "file")
) strict;

CREATE INDEX "tape_parts_copy_uuid_index" on "tape_parts" ("copy_uuid");

CREATE TABLE "task_logs" (
  "id" integer primary key autoincrement,
  "task_id" integer not null references "tasks" ("id") on delete cascade,
  "side" text not null,
  "time_ms" integer not null,
  "level" text not null,
  "source" text not null,
  "message" text not null
) strict;

CREATE INDEX "task_logs_by_level" on "task_logs" ("task_id", "side", "level");

CREATE INDEX "task_logs_by_source" on "task_logs" ("task_id", "side", "source");

CREATE INDEX "task_logs_by_time_ms" on "task_logs" ("task_id", "side", "time_ms");

CREATE INDEX "task_logs_task_id_side_index" on "task_logs" ("task_id", "side");

CREATE TRIGGER tasks_search_delete after delete on tasks when old.id <= (select task_id from tasks_search_reach) begin
    delete from tasks_search where rowid = old.id; end;

CREATE TRIGGER tasks_search_update after update of task_type, resource_type, resource, client_text, status, pool_name, error_message, created_by on tasks
    when new.id <= (select task_id from tasks_search_reach) begin
    insert or replace into tasks_search (rowid, text) values (new.id, coalesce(new.task_type, '') || char(10) || coalesce(new.resource_type, '') || char(10) || coalesce(new.resource, '') || char(10) || coalesce(new.client_text, '') || char(10) || coalesce(new.status, '') || char(10) || coalesce(new.pool_name, '') || char(10) || coalesce(new.error_message, '') || char(10) || coalesce(new.created_by, '')); end;

CREATE TABLE "tasks" (
  "id" integer primary key autoincrement,
  "task_type" text not null,
  "resource_type" text,
  "resource" text,
  "client_id" integer references "clients" ("id") on delete set null,
  "client_text" text,
  "backup_type" text,
  "status" text not null,
  "suspend_reason" text,
  "paused_status" text,
  "suspended_ms" integer,
  "progress" integer not null default 0,
  "priority" integer not null,
  "pool_id" integer references "pools" ("id") on delete set null,
  "pool_name" text,
  "source_pool_id" integer references "pools" ("id") on delete set null,
  "source_pool_name" text,
  "media_server_id" integer references "media_servers" ("id") on delete set null,
  "media_server_name" text,
  "crypto" text,
  "archiving" integer not null default 0,
  "storage_duration" text,
  "rule_id" integer,
  "strategy_rule_id" integer,
  "copy_id" integer references "copies" ("id") on delete set null,
  "created_ms" integer not null,
  "started_ms" integer,
  "finished_ms" integer,
  "attempt" integer not null default 1,
  "claim" integer not null default 0,
  "transferred" integer not null default 0,
  "speed" real not null default 0,
  "error_message" text,
  "created_by" text,
  "module_extensions" text,
  "common_modules_extensions" text,
  "skipped_items" integer,
  "progress_details" text,
  "input" text,
  list_indexed integer not null default 1
) strict;

CREATE INDEX "tasks_active_of_rule" on "tasks" ("strategy_rule_id", "task_type", "backup_type") where status in ('new', 'assigned', 'at_client', 'execution', 'transmission', 'at_server', 'suspended', 'restarting');

CREATE INDEX "tasks_by_archiving" on "tasks" ("archiving") where list_indexed = 1;

CREATE INDEX "tasks_by_attempt" on "tasks" ("attempt") where list_indexed = 1;

CREATE INDEX "tasks_by_backup_type" on "tasks" ("backup_type") where list_indexed = 1;

CREATE INDEX "tasks_by_client_text" on "tasks" ("client_text") where list_indexed = 1;

CREATE INDEX "tasks_by_created_by" on "tasks" ("created_by") where list_indexed = 1;

CREATE INDEX "tasks_by_crypto" on "tasks" ("crypto") where list_indexed = 1;

CREATE INDEX "tasks_by_error_message" on "tasks" ("error_message") where list_indexed = 1;

CREATE INDEX "tasks_by_id" on "tasks" ("id");

CREATE INDEX "tasks_by_media_server_name" on "tasks" ("media_server_name") where list_indexed = 1;

CREATE INDEX "tasks_by_pool_name" on "tasks" ("pool_name") where list_indexed = 1;

CREATE INDEX "tasks_by_priority" on "tasks" ("priority") where list_indexed = 1;

CREATE INDEX "tasks_by_progress" on "tasks" ("progress") where list_indexed = 1;

CREATE INDEX "tasks_by_resource" on "tasks" ("resource") where list_indexed = 1;

CREATE INDEX "tasks_by_resource_type" on "tasks" ("resource_type") where list_indexed = 1;

CREATE INDEX "tasks_by_rule_id" on "tasks" ("rule_id") where list_indexed = 1;

CREATE INDEX "tasks_by_skipped_items" on "tasks" ("skipped_items") where list_indexed = 1;

CREATE INDEX "tasks_by_source_pool_name" on "tasks" ("source_pool_name") where list_indexed = 1;

CREATE INDEX "tasks_by_speed" on "tasks" ("speed") where list_indexed = 1;

CREATE INDEX "tasks_by_started_ms" on "tasks" ("started_ms") where list_indexed = 1;

CREATE INDEX "tasks_by_status" on "tasks" ("status");

CREATE INDEX "tasks_by_storage_duration" on "tasks" ("storage_duration") where list_indexed = 1;

CREATE INDEX "tasks_by_strategy_rule_id" on "tasks" ("strategy_rule_id") where list_indexed = 1;

CREATE INDEX "tasks_by_suspend_reason" on "tasks" ("suspend_reason") where list_indexed = 1;

CREATE INDEX "tasks_by_task_type" on "tasks" ("task_type") where list_indexed = 1;

CREATE INDEX "tasks_by_transferred" on "tasks" ("transferred") where list_indexed = 1;

CREATE INDEX "tasks_client_id_index" on "tasks" ("client_id");

CREATE INDEX "tasks_copy_id_index" on "tasks" ("copy_id") where list_indexed = 1 or "copy_id" is not null;

CREATE INDEX "tasks_created_ms_index" on "tasks" ("created_ms");

CREATE INDEX "tasks_ended" on "tasks" ("finished_ms", "id", "status", "transferred", "started_ms", "client_id") where list_indexed = 1 or "finished_ms" is not null;

CREATE INDEX "tasks_in_turn" on "tasks" ("status", "priority" desc, "id");

CREATE INDEX "tasks_on_pool" on "tasks" ("pool_id", "status");

CREATE INDEX "tasks_with_input" on "tasks" ("id") where input is not null;

CREATE VIRTUAL TABLE "tasks_search" using fts5(
    text, content='', contentless_delete=1, tokenize='trigram');

CREATE TABLE "tasks_search_reach" (
  "task_id" integer not null
) strict;

CREATE TABLE "user_client_groups" (
  "user_id" integer not null references "users" ("id") on delete cascade,
  "client_group_id" integer not null references "client_groups" ("id") on delete cascade,
  primary key ("user_id", "client_group_id")
) strict;

CREATE TABLE "user_roles" (
  "user_id" integer not null references "users" ("id") on delete cascade,
  "role" text not null,
  primary key ("user_id", "role")
) strict;

CREATE TABLE "users" (
  "id" integer primary key autoincrement,
  "user_name" text not null,
  "user_name_key" text not null unique,
  "password_hash" text not null,
  "enabled" integer not null default 1,
  "last_success_login_ms" integer,
  "last_fail_login_ms" integer,
  "created_ms" integer not null
) strict;

CREATE TABLE "virtual_libraries" (
  "id" integer primary key autoincrement,
  "media_server_id" integer not null references "media_servers" ("id") on delete cascade,
  "name" text not null unique,
  "created_ms" integer not null
) strict;
