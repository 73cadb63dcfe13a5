import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Whom a strategy wants told of what goes wrong with its runs. */
export const notificationGroups: Migration = {
  version: 31,
  name: 'notification user groups',
  async up({ db, dialect }) {
    await sql`alter table strategies add column notification_user_groups ${sql.raw(dialect.types.text)}`.execute(
      db,
    );
  },
};
