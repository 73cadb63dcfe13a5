import { createTable, type Migration } from './migration.ts';

/** Simulated libraries. */
export const tapes: Migration = {
  version: 22,
  name: 'tapes',
  async up(tools) {
    await createTable(tools, 'virtual_libraries', {
      id: { type: 'identity' },
      media_server_id: { type: 'integer', references: 'media_servers.id', onDelete: 'cascade' },
      name: { type: 'text', unique: true },
      created_ms: { type: 'integer' },
    });
  },
};
