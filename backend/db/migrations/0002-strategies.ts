import { type Column, createIndex, createTable, type Migration } from './migration.ts';

const identity: Column = { type: 'identity' };
const text: Column = { type: 'text' };
const integer: Column = { type: 'integer' };
const textOrNull: Column = { type: 'text', null: true };
const integerOrNull: Column = { type: 'integer', null: true };

/** Strategies, and the rules that bind resources of clients to them. */
export const strategies: Migration = {
  version: 2,
  name: 'strategies',
  async up(tools) {
    await createTable(tools, 'strategies', {
      id: identity,
      name: text,
      name_key: { type: 'text', unique: true },
      pool_id: { type: 'integer', references: 'pools.id' },
      priority: integer,
      full_schedule: textOrNull,
      incremental_schedule: textOrNull,
      differential_schedule: textOrNull,
      time_zone: text,
      storage_duration: textOrNull,
      crypto: text,
      capacity: integer,
      enabled: integer,
      valid_from_ms: integerOrNull,
      valid_until_ms: integerOrNull,
      verify_period: integerOrNull,
      created_ms: integer,
      changed_ms: integer,
    });
    await createIndex(tools, 'strategies', ['pool_id']);
    await createTable(tools, 'strategy_rules', {
      id: identity,
      client_id: { type: 'integer', null: true, references: 'clients.id', onDelete: 'cascade' },
      strategy_id: { type: 'integer', null: true, references: 'strategies.id' },
      resource_type: text,
      resource: text,
      priority: integer,
      status: text,
      normal_execution_script: text,
      exception_execution_script: text,
      restore_script: text,
      module_extensions: text,
      common_modules_extensions: text,
      created_ms: integer,
      changed_ms: integer,
    });
    await createIndex(tools, 'strategy_rules', ['client_id']);
    await createIndex(tools, 'strategy_rules', ['strategy_id']);
  },
};
