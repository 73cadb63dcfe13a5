import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * The rules of one resource, whatever strategy they are of; those of a client are found by its first column, as before.
 * Of the resource only its beginning: a whole one may be longer than an index takes.
 */
export const rulesOfResource: Migration = {
  version: 32,
  name: 'rules of a resource',
  async up({ db }) {
    await sql`create index strategy_rules_of_resource on strategy_rules (client_id, substr(resource, 1, 200))`.execute(
      db,
    );
    await db.schema.dropIndex('strategy_rules_client_id_index').execute();
  },
};
