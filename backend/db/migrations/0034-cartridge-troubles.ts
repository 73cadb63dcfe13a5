import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Why the robot could not bring a cartridge to a drive the last time; and copies whose parts on tape are of no use. */
export const cartridgeTroubles: Migration = {
  version: 34,
  name: 'cartridge troubles',
  async up({ db, dialect }) {
    const integer = sql.raw(dialect.types.integer);
    const text = sql.raw(dialect.types.text);
    await sql`alter table cartridges add column move_failure ${text}`.execute(db);
    await sql`create table given_up_copies (
      uuid ${text} primary key,
      given_up_ms ${integer} not null
    )`.execute(db);
  },
};
