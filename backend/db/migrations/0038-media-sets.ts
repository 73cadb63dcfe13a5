import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Cartridges that a person has put into a named set, and pools whose copies go to such a set alone. */
export const mediaSets: Migration = {
  version: 38,
  name: 'media sets',
  async up({ db, dialect }) {
    const integer = sql.raw(dialect.types.integer);
    const text = sql.raw(dialect.types.text);
    await sql`alter table cartridges add column media_set_name ${text}`.execute(db);
    await sql`alter table pools add column media_set_name ${text}`.execute(db);
    await sql`alter table pools add column takes_scratch ${integer} not null default 0`.execute(db);
  },
};
