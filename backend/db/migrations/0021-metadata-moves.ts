import { createTable, type Migration } from './migration.ts';

/** Pools of block devices whose metadata are on their way to another pool. */
export const metadataMoves: Migration = {
  version: 21,
  name: 'metadata moves',
  async up(tools) {
    await createTable(tools, 'metadata_moves', {
      pool_id: { type: 'integer', unique: true, references: 'pools.id', onDelete: 'cascade' },
      asked_ms: { type: 'integer' },
    });
  },
};
