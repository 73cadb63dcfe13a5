import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** What makes a series of copies one: an incremental copy builds on the newest of it. */
const series = ['client_hwid', 'resource', 'pool_id', 'strategy_rule_id', 'crypto', 'resource_type'];

/** The newest copy of a series, its newest full one, and those of a resource on which nothing is built. */
export const bases: Migration = {
  version: 19,
  name: 'bases of copies',
  async up({ db }) {
    const inOrder = [...series, 'created_ms', 'id'];
    await db.schema
      .createIndex('copies_of_series')
      .on('copies')
      .columns(inOrder)
      .where(sql<boolean>`deleting = 0`)
      .execute();
    await db.schema
      .createIndex('copies_full_of_series')
      .on('copies')
      .columns(inOrder)
      .where(sql<boolean>`deleting = 0 and backup_type = 'full'`)
      .execute();
    await db.schema
      .createIndex('copies_unusable')
      .on('copies')
      .columns(['client_hwid', 'resource'])
      .where(sql<boolean>`deleting = 1 or storage_id is null or status in ('Broken', 'Suspicious')`)
      .execute();
  },
};
