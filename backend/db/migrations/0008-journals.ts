import { createIndex, createTable, type Migration } from './migration.ts';

/** One-time tokens of agents, and what the statistics are made from. */
export const journals: Migration = {
  version: 8,
  name: 'journals',
  async up(tools) {
    await createTable(tools, 'join_tokens', {
      id: { type: 'identity' },
      token_hash: { type: 'text', unique: true },
      created_by: { type: 'text' },
      created_ms: { type: 'integer' },
      expires_ms: { type: 'integer' },
    });
    await createTable(tools, 'pool_samples', {
      id: { type: 'identity' },
      pool_id: { type: 'integer', references: 'pools.id', onDelete: 'cascade' },
      media_server_id: { type: 'integer', references: 'media_servers.id', onDelete: 'cascade' },
      time_ms: { type: 'integer' },
      stored_bytes: { type: 'integer' },
    });
    await createIndex(tools, 'pool_samples', ['pool_id', 'time_ms']);
    await createIndex(tools, 'pool_samples', ['media_server_id']);
    // All that a day's figures need, so that no row of a long queue is looked up for them.
    await createIndex(tools, 'tasks', ['finished_ms', 'status', 'transferred', 'started_ms', 'client_id']);
  },
};
