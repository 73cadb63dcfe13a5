import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Why the robot could not bring a cartridge to a drive the last time. */
export const cartridgeTroubles: Migration = {
  version: 34,
  name: 'cartridge troubles',
  async up({ db, dialect }) {
    const text = sql.raw(dialect.types.text);
    await sql`alter table cartridges add column move_failure ${text}`.execute(db);
  },
};
