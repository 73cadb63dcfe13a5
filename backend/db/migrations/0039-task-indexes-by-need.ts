import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Indexes of tasks that come late. `isNeeded`: other work asks for the first column too, but for no row that lacks it. */
const indexes = [
  { name: 'tasks_copy_id_index', columns: ['copy_id'], isNeeded: true },
  {
    name: 'tasks_ended',
    columns: ['finished_ms', 'id', 'status', 'transferred', 'started_ms', 'client_id'],
    isNeeded: true,
  },
  { name: 'tasks_by_strategy_rule_id', columns: ['strategy_rule_id'], isNeeded: false },
] as const;

/** What their lists are in the order of, or filtered by. */
export const laterColumns = indexes.map(({ columns }) => columns[0]);

/**
 * A new task has no copy and has not ended: entries that say so are of use to lists alone, so they come with those of
 * the other list indexes. The condition has both halves in the words by which SQLite knows that a question asks for
 * no other rows: `list_indexed = 1` of a list, and a comparison with the column, which null never meets. The task of a
 * rule has its rule from the beginning, but only lists ask for more of them than those that have not ended.
 */
export const taskIndexesByNeed: Migration = {
  version: 39,
  name: 'indexes of tasks by need',
  async up({ db, dialect }) {
    if (dialect.kind !== 'sqlite') return;
    for (const { name, columns, isNeeded } of indexes) {
      const needed = sql`${sql.ref(columns[0])} is not null`;
      await db.schema.dropIndex(name).execute();
      await db.schema
        .createIndex(name)
        .on('tasks')
        .columns([...columns])
        .where(isNeeded ? sql<boolean>`list_indexed = 1 or ${needed}` : sql<boolean>`list_indexed = 1`)
        .execute();
    }
  },
};
