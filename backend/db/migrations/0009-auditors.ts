import { sql } from 'kysely';
import { createTable, type Migration } from './migration.ts';

/** When and by whom a user was made auditor; who holds the role stands in `user_roles`. */
export const auditors: Migration = {
  version: 9,
  name: 'auditors',
  async up(tools) {
    await createTable(tools, 'auditors', {
      id: { type: 'identity' },
      user_id: { type: 'integer', unique: true, references: 'users.id', onDelete: 'cascade' },
      assigned_by: { type: 'text', null: true },
      created_ms: { type: 'integer' },
    });
    await sql`insert into auditors (user_id, created_ms)
      select users.id, users.created_ms from users
      inner join user_roles on user_roles.user_id = users.id and user_roles.role = 'auditor'
      order by users.id`.execute(tools.db);
  },
};
