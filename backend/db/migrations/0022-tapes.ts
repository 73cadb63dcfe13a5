import { sql } from 'kysely';
import { createIndex, createTable, type Migration } from './migration.ts';

/** Simulated libraries, and what lies on cartridges. */
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
    // The file of the tape where the next part is written; 0 before there is a label.
    const integer = sql.raw(tools.dialect.types.integer);
    await sql`alter table cartridges add column next_file ${integer} not null default 0`.execute(tools.db);
    await createTable(
      tools,
      'tape_parts',
      {
        id: { type: 'identity' },
        cartridge_id: { type: 'integer', references: 'cartridges.id', onDelete: 'cascade' },
        /** That of the copy, which may be deleted, or not be known yet: then this is what a tape says. */
        copy_uuid: { type: 'text' },
        number: { type: 'integer' },
        file: { type: 'integer' },
        bytes: { type: 'integer' },
        is_last: { type: 'integer' },
        state: { type: 'text' },
        facts: { type: 'text', null: true },
      },
      { unique: [['cartridge_id', 'file']] },
    );
    await createIndex(tools, 'tape_parts', ['copy_uuid']);
  },
};
