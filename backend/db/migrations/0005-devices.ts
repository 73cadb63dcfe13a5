import { type Column, createIndex, createTable, type Migration, type MigrationTools } from './migration.ts';

const identity: Column = { type: 'identity' };
const text: Column = { type: 'text' };
const integer: Column = { type: 'integer' };
const textOrNull: Column = { type: 'text', null: true };
const integerOrNull: Column = { type: 'integer', null: true };
const no: Column = { type: 'integer', default: 0 };
const pool: Column = { type: 'integer', references: 'pools.id' };
const mediaServer: Column = { type: 'integer', references: 'media_servers.id' };

export const devices: Migration = {
  version: 5,
  name: 'devices',
  async up(tools) {
    await createBlockDevices(tools);
    await createTapeLibraries(tools);
  },
};

async function createBlockDevices(tools: MigrationTools): Promise<void> {
  await createTable(
    tools,
    'block_devices',
    {
      id: identity,
      device: text,
      is_file: no,
      pool_id: pool,
      media_server_id: mediaServer,
      description: textOrNull,
      parallel_workers: integer,
      size: integer,
      used: no,
      hash_table_size: no,
      created_ms: integer,
    },
    { unique: [['media_server_id', 'device']] },
  );
  await createIndex(tools, 'block_devices', ['pool_id']);
}

async function createTapeLibraries(tools: MigrationTools): Promise<void> {
  await createTable(tools, 'tape_libraries', {
    id: identity,
    pool_id: { ...pool, unique: true },
    media_server_id: mediaServer,
    description: textOrNull,
    slots_count: integer,
    status: text,
    last_sync_ms: integerOrNull,
    created_ms: integer,
  });
  await createTable(
    tools,
    'tape_devices',
    {
      id: identity,
      media_server_id: { ...mediaServer, onDelete: 'cascade' },
      kind: text,
      device_key: text,
      sg_path: text,
      st_path: textOrNull,
      vendor: text,
      model: text,
      serial: text,
      slots_count: integerOrNull,
      drives_count: integerOrNull,
      tape_library_id: {
        type: 'integer',
        null: true,
        references: 'tape_libraries.id',
        onDelete: 'set null',
      },
      element_address: integerOrNull,
      drive_status: textOrNull,
      barcode: textOrNull,
    },
    { unique: [['media_server_id', 'kind', 'device_key']] },
  );
  await createIndex(tools, 'tape_devices', ['tape_library_id']);
  await createTable(
    tools,
    'cartridges',
    {
      id: identity,
      tape_library_id: { type: 'integer', references: 'tape_libraries.id', onDelete: 'cascade' },
      pool_id: pool,
      barcode: text,
      state: text,
      location: text,
      element_address: integerOrNull,
      label_uuid: { ...textOrNull, unique: true },
      written: no,
      capacity: integerOrNull,
      expires_ms: integerOrNull,
      created_ms: integer,
    },
    { unique: [['tape_library_id', 'barcode']] },
  );
  await createIndex(tools, 'cartridges', ['pool_id']);
}
