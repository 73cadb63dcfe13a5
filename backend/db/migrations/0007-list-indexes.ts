import { sql } from 'kysely';
import type { Migration, MigrationTools } from './migration.ts';

/** Columns that the lists are sorted and filtered by and that had no index of their own. */
const taskColumns = [
  'task_type',
  'resource_type',
  'resource',
  'client_text',
  'backup_type',
  'status',
  'suspend_reason',
  'progress',
  'priority',
  'pool_name',
  'source_pool_name',
  'media_server_name',
  'crypto',
  'archiving',
  'storage_duration',
  'rule_id',
  'strategy_rule_id',
  'started_ms',
  'finished_ms',
  'attempt',
  'transferred',
  'speed',
  'error_message',
  'created_by',
  'skipped_items',
] as const;

const copyColumns = [
  'chain_id',
  'copy_of',
  'resource_type',
  'resource',
  'client_text',
  'client_hwid',
  'backup_type',
  'status',
  'crypto',
  'size',
  'real_size',
  'created_ms',
  'rule_id',
  'strategy_rule_id',
  'description',
  'skipped_items',
  'files_count',
] as const;

/** Of the lines of one side of one task. Their texts are too long and too many to be kept in order. */
const logColumns = ['time_ms', 'level', 'source'] as const;

const auditColumns = ['user_name', 'address', 'action', 'object_id', 'status'] as const;

/** Texts of a task that a search looks into; the order is part of the indexed text. */
const searched = [
  'task_type',
  'resource_type',
  'resource',
  'client_text',
  'status',
  'pool_name',
  'error_message',
  'created_by',
] as const;

/**
 * With a million tasks any page of a list is found by walking an index: in the order of any field, and, for a text of
 * three characters and more, by the trigrams of the searched texts.
 */
export const listIndexes: Migration = {
  version: 7,
  name: 'list indexes',
  async up(tools) {
    for (const column of taskColumns) await indexInOrder(tools, 'tasks', column);
    for (const column of copyColumns) await indexInOrder(tools, 'copies', column);
    for (const column of logColumns) await indexInOrder(tools, 'task_logs', column, ['task_id', 'side']);
    for (const column of auditColumns) await indexInOrder(tools, 'audit', column);
    if (tools.dialect.kind === 'sqlite') {
      // The table is in the order of ids too, but its rows are wide: ten times as many pages to walk over.
      for (const table of ['tasks', 'copies', 'audit']) await indexInOrder(tools, table, 'id');
    }
    if (tools.dialect.kind === 'sqlite') await trigramTable(tools);
    else await trigramIndex(tools);
  },
};

async function indexInOrder(
  tools: MigrationTools,
  table: string,
  column: string,
  within: readonly string[] = [],
): Promise<void> {
  const { db, dialect } = tools;
  const name = `${table}_by_${column}`;
  // In SQLite the id is the end of every index entry anyway; equal values have to be in its order for pages.
  const columns = [...within, column, ...(dialect.kind === 'sqlite' ? [] : ['id'])];
  await db.schema.createIndex(name).on(table).columns(columns).execute();
}

const textOf = (row: string) =>
  sql.raw(searched.map((column) => `coalesce(${row}.${column}, '')`).join(` || char(10) || `));

/** SQLite keeps the trigrams in a table of its own, which triggers keep in step. */
async function trigramTable({ db }: MigrationTools): Promise<void> {
  await sql`create virtual table tasks_search using fts5(
    text, content='', contentless_delete=1, tokenize='trigram')`.execute(db);
  await sql`insert into tasks_search (rowid, text) select id, ${textOf('tasks')} from tasks`.execute(db);
  await sql`create trigger tasks_search_insert after insert on tasks begin
    insert into tasks_search (rowid, text) values (new.id, ${textOf('new')}); end`.execute(db);
  await sql`create trigger tasks_search_delete after delete on tasks begin
    delete from tasks_search where rowid = old.id; end`.execute(db);
  await sql`create trigger tasks_search_update after update of ${sql.raw(searched.join(', '))} on tasks begin
    insert or replace into tasks_search (rowid, text) values (new.id, ${textOf('new')}); end`.execute(db);
}

/** Without the extension a search reads all rows; everything else is the same. */
async function trigramIndex({ db }: MigrationTools): Promise<void> {
  await sql`savepoint trigrams`.execute(db);
  try {
    await sql`create extension if not exists pg_trgm`.execute(db);
    const text = sql.raw(searched.map((column) => `coalesce(${column}, '')`).join(` || chr(10) || `));
    await sql`create index tasks_search on tasks using gin ((${text}) gin_trgm_ops)`.execute(db);
    await sql`release savepoint trigrams`.execute(db);
  } catch {
    // Not installed, or this user may not add it to the database.
    await sql`rollback to savepoint trigrams`.execute(db);
  }
}
