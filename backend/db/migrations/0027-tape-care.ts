import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Labels that are about to be written, write protection as drives have told it, and when each drive was cleaned. */
export const tapeCare: Migration = {
  version: 27,
  name: 'tape care',
  async up({ db, dialect }) {
    const integer = sql.raw(dialect.types.integer);
    const text = sql.raw(dialect.types.text);
    await sql`alter table cartridges add column next_label_uuid ${text}`.execute(db);
    await sql`alter table cartridges add column is_write_protected ${integer}`.execute(db);
    await sql`alter table tape_devices add column cleaned_ms ${integer}`.execute(db);
    await sql`alter table tape_devices add column cleaning_from_ms ${integer}`.execute(db);
  },
};
