import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** What drives say of themselves, and how often cleaning cartridges have served. */
export const tapeAlerts: Migration = {
  version: 24,
  name: 'tape alerts',
  async up({ db, dialect }) {
    const integer = sql.raw(dialect.types.integer);
    const text = sql.raw(dialect.types.text);
    await sql`alter table tape_devices add column alerts ${text}`.execute(db);
    await sql`alter table tape_devices add column alerts_ms ${integer}`.execute(db);
    await sql`alter table tape_devices add column needs_cleaning ${integer} not null default 0`.execute(db);
    await sql`alter table cartridges add column cleanings ${integer} not null default 0`.execute(db);
    await sql`alter table cartridges add column is_used_up ${integer} not null default 0`.execute(db);
  },
};
