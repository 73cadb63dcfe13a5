import { type Column, createIndex, createTable, type Migration } from './migration.ts';

const integer: Column = { type: 'integer' };
const text: Column = { type: 'text' };

/** Groups of pools among which tasks are placed, and which pool is in which. */
export const dynamicPoolGroups: Migration = {
  version: 4,
  name: 'dynamic pool groups',
  async up(tools) {
    await createTable(tools, 'dynamic_pool_groups', {
      id: { type: 'identity' },
      name: text,
      name_key: { type: 'text', unique: true },
      max_pool_tasks: integer,
      max_media_server_tasks: integer,
      max_cpu_usage: integer,
      max_in_block_operations: integer,
      max_out_block_operations: integer,
      calculation_period: integer,
      description: { type: 'text', null: true },
      created_ms: integer,
    });
    await createTable(tools, 'dynamic_pool_members', {
      id: { type: 'identity' },
      group_id: { type: 'integer', references: 'dynamic_pool_groups.id', onDelete: 'cascade' },
      pool_id: { type: 'integer', unique: true, references: 'pools.id', onDelete: 'cascade' },
      enabled: { type: 'integer', default: 1 },
      created_ms: integer,
    });
    await createIndex(tools, 'dynamic_pool_members', ['group_id']);
  },
};
