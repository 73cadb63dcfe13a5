import { sql } from 'kysely';
import { createTable, type Migration, type MigrationTools } from './migration.ts';

/** As the first trigrams of tasks joined them. */
const searched = [
  'task_type',
  'resource_type',
  'resource',
  'client_text',
  'status',
  'pool_name',
  'error_message',
  'created_by',
];

/**
 * Planning a day is not held up by what only lists and searches need:
 * - SQLite's trigrams of a new task are added by regular work (`fillSearched`), in order of ids; `tasks_search_reach`
 *   says up to which they are there. Whoever searches reads the few tasks after it itself.
 * - The rules of a strategy that are to run are found in an index alone.
 * - One index serves the order by the end of tasks, the figures of a day and the removal of old tasks, which goes by
 *   the end alone: no task that ended is without.
 */
export const searchReach: Migration = {
  version: 25,
  name: 'reach of the searched texts',
  async up(tools) {
    const { db, dialect } = tools;
    await db.schema
      .createIndex('strategy_rules_of_strategy')
      .on('strategy_rules')
      .columns(['strategy_id', 'status', 'id'])
      .execute();
    await db.schema.dropIndex('strategy_rules_strategy_id_index').execute();
    await db.schema
      .createIndex('tasks_ended')
      .on('tasks')
      .columns(['finished_ms', 'id', 'status', 'transferred', 'started_ms', 'client_id'])
      .execute();
    await db.schema.dropIndex('tasks_finished_ms_status_transferred_started_ms_client_id_index').execute();
    await db.schema.dropIndex('tasks_by_finished_ms').execute();
    await sql`update tasks set finished_ms = created_ms
      where finished_ms is null and status in ('done', 'obsoleted', 'error', 'killed', 'broken')`.execute(db);
    if (dialect.kind === 'sqlite') await fillLater(tools);
  },
};

/** Parts of one size that a change puts together itself, however long that takes: regular work comes long before. */
const mostParts = 1_000;

async function fillLater(tools: MigrationTools): Promise<void> {
  const { db } = tools;
  await createTable(tools, 'tasks_search_reach', { task_id: { type: 'integer' } });
  await sql`insert into tasks_search_reach (task_id) select coalesce(max(id), 0) from tasks`.execute(db);
  await sql`insert into tasks_search (tasks_search, rank) values ('crisismerge', ${sql.lit(mostParts)})`.execute(
    db,
  );
  const reach = sql`(select task_id from tasks_search_reach)`;
  const text = sql.raw(searched.map((column) => `coalesce(new.${column}, '')`).join(' || char(10) || '));
  await sql`drop trigger tasks_search_insert`.execute(db);
  await sql`drop trigger tasks_search_update`.execute(db);
  await sql`drop trigger tasks_search_delete`.execute(db);
  await sql`create trigger tasks_search_delete after delete on tasks when old.id <= ${reach} begin
    delete from tasks_search where rowid = old.id; end`.execute(db);
  await sql`create trigger tasks_search_update after update of ${sql.raw(searched.join(', '))} on tasks
    when new.id <= ${reach} begin
    insert or replace into tasks_search (rowid, text) values (new.id, ${text}); end`.execute(db);
}
