import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Of tasks, what only lists are in the order of, or filtered by. */
export const lateColumns = [
  'archiving',
  'attempt',
  'backup_type',
  'client_text',
  'created_by',
  'crypto',
  'error_message',
  'media_server_name',
  'pool_name',
  'priority',
  'progress',
  'resource',
  'resource_type',
  'rule_id',
  'skipped_items',
  'source_pool_name',
  'speed',
  'started_ms',
  'storage_duration',
  'suspend_reason',
  'task_type',
  'transferred',
];

/**
 * Entries in the indexes of lists take three quarters of what a new task costs SQLite. They come with its trigrams, by
 * regular work (`fillSearched`): `list_indexed` says of which tasks they are there. Those of today are, up to the reach
 * of the trigrams; the default spares their rows. PostgreSQL keeps its indexes, and nothing there asks for the column.
 *
 * What cut-off work left is looked for among the few tasks with an input, in an index alone.
 */
export const lateListIndexes: Migration = {
  version: 29,
  name: 'list indexes of tasks by regular work',
  async up({ db, dialect }) {
    const integer = sql.raw(dialect.types.integer);
    await sql`alter table tasks add column list_indexed ${integer} not null default 1`.execute(db);
    await db.schema
      .createIndex('tasks_with_input')
      .on('tasks')
      .column('id')
      .where(sql<boolean>`input is not null`)
      .execute();
    if (dialect.kind !== 'sqlite') return;
    await sql`update tasks set list_indexed = 0
      where id > (select task_id from tasks_search_reach)`.execute(db);
    for (const column of lateColumns) {
      const name = `tasks_by_${column}`;
      await db.schema.dropIndex(name).execute();
      await db.schema
        .createIndex(name)
        .on('tasks')
        .column(column)
        .where(sql<boolean>`list_indexed = 1`)
        .execute();
    }
  },
};
