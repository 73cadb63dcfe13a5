import { createIndex, createTable, type Migration } from './migration.ts';

/** How fast clients may be backed up and restored, and when. */
export const clientBandwidth: Migration = {
  version: 3,
  name: 'client bandwidth',
  async up(tools) {
    await createTable(tools, 'client_bandwidth', {
      id: { type: 'identity' },
      client_id: { type: 'integer', references: 'clients.id', onDelete: 'cascade' },
      backup_bandwidth: { type: 'integer', default: 0 },
      restore_bandwidth: { type: 'integer', default: 0 },
      window_start: { type: 'text', null: true },
      window_end: { type: 'text', null: true },
      created_ms: { type: 'integer' },
    });
    await createIndex(tools, 'client_bandwidth', ['client_id']);
  },
};
