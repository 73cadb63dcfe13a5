import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Libraries whose robot takes cartridges out of the drives by itself. */
export const unloadingRobots: Migration = {
  version: 36,
  name: 'unloading robots',
  async up({ db, dialect }) {
    const integer = sql.raw(dialect.types.integer);
    await sql`alter table tape_libraries add column robot_unloads ${integer} not null default 0`.execute(db);
  },
};
