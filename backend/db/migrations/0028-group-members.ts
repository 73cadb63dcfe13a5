import type { Migration } from './migration.ts';

/**
 * The authorized clients of a group are counted, and paged by host name, in an index alone: the rows of clients are
 * wide, and looking into each of 100,000 to count them takes five times as long and more. It serves the group alone as
 * well, so the older index of that goes.
 */
export const groupMembers: Migration = {
  version: 28,
  name: 'members of client groups',
  async up({ db, dialect }) {
    const columns = ['client_group_id', 'authorized', 'hostname'];
    await db.schema
      .createIndex('clients_of_group')
      .on('clients')
      // In SQLite the id is the end of every index entry anyway.
      .columns(dialect.kind === 'sqlite' ? columns : [...columns, 'id'])
      .execute();
    await db.schema.dropIndex('clients_client_group_id_index').execute();
  },
};
