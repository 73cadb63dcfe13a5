import { type Column, createIndex, createTable, type Migration, type MigrationTools } from './migration.ts';

const identity: Column = { type: 'identity' };
const text: Column = { type: 'text' };
const integer: Column = { type: 'integer' };
const real: Column = { type: 'real' };
const textOrNull: Column = { type: 'text', null: true };
const integerOrNull: Column = { type: 'integer', null: true };
const uniqueText: Column = { type: 'text', unique: true };
const no: Column = { type: 'integer', default: 0 };
const yes: Column = { type: 'integer', default: 1 };

export const first: Migration = {
  version: 1,
  name: 'first',
  async up(tools) {
    await createInstallation(tools);
    await createTopology(tools);
    await createUsers(tools);
    await createRepository(tools);
    await createTaskQueue(tools);
    await createJournals(tools);
  },
};

async function createInstallation(tools: MigrationTools): Promise<void> {
  await createTable(tools, 'installation', { name: text, value: text }, { key: ['name'] });
  await createTable(tools, 'configuration', { name: text, value: text }, { key: ['name'] });
}

async function createTopology(tools: MigrationTools): Promise<void> {
  await createTable(tools, 'client_groups', {
    id: identity,
    name: text,
    name_key: uniqueText,
    shared: no,
    created_ms: integer,
  });
  await createTable(tools, 'media_servers', {
    id: identity,
    name: text,
    name_key: uniqueText,
    ip: textOrNull,
    role: text,
    version: textOrNull,
    is_local: no,
    last_activity_ms: integerOrNull,
    description: textOrNull,
    created_ms: integer,
  });
  await createTable(tools, 'pools', {
    id: identity,
    name: text,
    name_key: uniqueText,
    pool_type: text,
    media_server_id: { type: 'integer', references: 'media_servers.id' },
    compression_type: textOrNull,
    description: textOrNull,
    retention_period: textOrNull,
    ignore_free_space_check: no,
    meta_data_pool_id: { type: 'integer', null: true, references: 'pools.id' },
    algorithm: textOrNull,
    block_size: integerOrNull,
    hash_length: integerOrNull,
    created_ms: integer,
  });
  await createIndex(tools, 'pools', ['media_server_id']);
  await createTable(
    tools,
    'storages',
    {
      id: identity,
      path: text,
      pool_id: { type: 'integer', references: 'pools.id' },
      media_server_id: { type: 'integer', references: 'media_servers.id' },
      description: textOrNull,
      created_ms: integer,
    },
    { unique: [['media_server_id', 'path']] },
  );
  await createIndex(tools, 'storages', ['pool_id']);
  await createTable(tools, 'clients', {
    id: identity,
    hwid: uniqueText,
    hostname: text,
    ipv4: textOrNull,
    ipv6: textOrNull,
    mac: textOrNull,
    os_type: text,
    os_distribution: textOrNull,
    version: textOrNull,
    client_group_id: { type: 'integer', references: 'client_groups.id' },
    authorized: no,
    is_local: no,
    last_activity_ms: integerOrNull,
    modules: text,
    lsf_flag: no,
    ls_pool_id: { type: 'integer', null: true, references: 'pools.id' },
    lrl_flag: no,
    storage_capacity: no,
    description: textOrNull,
    client_side_backup: no,
    client_side_restore: no,
    created_ms: integer,
  });
  await createIndex(tools, 'clients', ['client_group_id']);
}

async function createUsers(tools: MigrationTools): Promise<void> {
  await createTable(tools, 'users', {
    id: identity,
    user_name: text,
    user_name_key: uniqueText,
    password_hash: text,
    enabled: yes,
    last_success_login_ms: integerOrNull,
    last_fail_login_ms: integerOrNull,
    created_ms: integer,
  });
  const user: Column = { type: 'integer', references: 'users.id', onDelete: 'cascade' };
  await createTable(tools, 'user_roles', { user_id: user, role: text }, { key: ['user_id', 'role'] });
  await createTable(
    tools,
    'user_client_groups',
    {
      user_id: user,
      client_group_id: { type: 'integer', references: 'client_groups.id', onDelete: 'cascade' },
    },
    { key: ['user_id', 'client_group_id'] },
  );
  await createTable(
    tools,
    'sessions',
    {
      id: text,
      user_id: user,
      refresh_hash: text,
      previous_success_ms: integerOrNull,
      previous_fail_ms: integerOrNull,
      created_ms: integer,
      expires_ms: integer,
    },
    { key: ['id'] },
  );
  await createIndex(tools, 'sessions', ['user_id']);
  await createTable(
    tools,
    'login_attempts',
    { account_key: text, failures: integer, last_ms: integer, blocked_until_ms: integerOrNull },
    { key: ['account_key'] },
  );
  await createIndex(tools, 'login_attempts', ['last_ms']);
}

async function createRepository(tools: MigrationTools): Promise<void> {
  await createTable(tools, 'copies', {
    id: identity,
    uuid: uniqueText,
    reference_id: { type: 'integer', null: true, references: 'copies.id' },
    chain_id: integerOrNull,
    copy_of: integerOrNull,
    resource_type: text,
    resource: text,
    client_id: { type: 'integer', null: true, references: 'clients.id', onDelete: 'set null' },
    client_text: text,
    client_hwid: text,
    backup_type: text,
    status: text,
    crypto: text,
    signed: no,
    pool_id: { type: 'integer', null: true, references: 'pools.id' },
    storage_id: { type: 'integer', null: true, references: 'storages.id' },
    size: integer,
    real_size: integer,
    created_ms: integer,
    store_until_ms: integerOrNull,
    store_until_text: textOrNull,
    archiving: no,
    rule_id: integerOrNull,
    strategy_rule_id: integerOrNull,
    task_id: integerOrNull,
    file_list_available: no,
    description: textOrNull,
    skipped_items: integerOrNull,
    files_count: integerOrNull,
    damage: textOrNull,
    deleting: no,
  });
  for (const column of ['reference_id', 'client_id', 'pool_id', 'storage_id', 'task_id', 'store_until_ms']) {
    await createIndex(tools, 'copies', [column]);
  }
}

async function createTaskQueue(tools: MigrationTools): Promise<void> {
  await createTable(tools, 'tasks', {
    id: identity,
    task_type: text,
    resource_type: textOrNull,
    resource: textOrNull,
    client_id: { type: 'integer', null: true, references: 'clients.id', onDelete: 'set null' },
    client_text: textOrNull,
    backup_type: textOrNull,
    status: text,
    suspend_reason: textOrNull,
    paused_status: textOrNull,
    suspended_ms: integerOrNull,
    progress: no,
    priority: integer,
    pool_id: { type: 'integer', null: true, references: 'pools.id', onDelete: 'set null' },
    pool_name: textOrNull,
    source_pool_id: { type: 'integer', null: true, references: 'pools.id', onDelete: 'set null' },
    source_pool_name: textOrNull,
    media_server_id: { type: 'integer', null: true, references: 'media_servers.id', onDelete: 'set null' },
    media_server_name: textOrNull,
    crypto: textOrNull,
    archiving: no,
    storage_duration: textOrNull,
    rule_id: integerOrNull,
    strategy_rule_id: integerOrNull,
    copy_id: { type: 'integer', null: true, references: 'copies.id', onDelete: 'set null' },
    created_ms: integer,
    started_ms: integerOrNull,
    finished_ms: integerOrNull,
    attempt: yes,
    claim: no,
    transferred: no,
    speed: { ...real, default: 0 },
    error_message: textOrNull,
    created_by: textOrNull,
    module_extensions: textOrNull,
    common_modules_extensions: textOrNull,
    skipped_items: integerOrNull,
    progress_details: textOrNull,
    input: textOrNull,
  });
  await createIndex(tools, 'tasks', ['status', 'priority']);
  for (const column of ['client_id', 'pool_id', 'copy_id', 'created_ms']) {
    await createIndex(tools, 'tasks', [column]);
  }
  await createTable(tools, 'task_logs', {
    id: identity,
    task_id: { type: 'integer', references: 'tasks.id', onDelete: 'cascade' },
    side: text,
    time_ms: integer,
    level: text,
    source: text,
    message: text,
  });
  await createIndex(tools, 'task_logs', ['task_id', 'side']);
}

async function createJournals(tools: MigrationTools): Promise<void> {
  await createTable(tools, 'events', {
    id: identity,
    time_ms: integer,
    kind: text,
    action: text,
    object_id: integerOrNull,
    record: textOrNull,
    client_group_id: integerOrNull,
  });
  await createTable(tools, 'audit', {
    id: identity,
    time_ms: integer,
    user_id: integerOrNull,
    user_name: textOrNull,
    address: textOrNull,
    action: text,
    object_id: integerOrNull,
    status: integer,
    details: textOrNull,
  });
  await createIndex(tools, 'audit', ['time_ms']);
}
