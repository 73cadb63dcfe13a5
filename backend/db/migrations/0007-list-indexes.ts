import { type RawBuilder, sql } from 'kysely';
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
  'reference_id',
  'chain_id',
  'copy_of',
  'resource_type',
  'resource',
  'client_id',
  'client_text',
  'client_hwid',
  'backup_type',
  'status',
  'crypto',
  'signed',
  'pool_id',
  'storage_id',
  'size',
  'real_size',
  'created_ms',
  'store_until_ms',
  'archiving',
  'rule_id',
  'strategy_rule_id',
  'task_id',
  'file_list_available',
  'description',
  'skipped_items',
  'files_count',
  'damage',
] as const;

/** Of the lines of one side of one task. Their texts are too long and too many to be kept in order. */
const logColumns = ['time_ms', 'level', 'source'] as const;

const auditColumns = ['user_name', 'address', 'action', 'object_id', 'status'] as const;

/** Texts that a search looks into; the order is part of the indexed text. */
const searched = {
  tasks: [
    'task_type',
    'resource_type',
    'resource',
    'client_text',
    'status',
    'pool_name',
    'error_message',
    'created_by',
  ],
  copies: [
    'resource_type',
    'resource',
    'client_text',
    'client_hwid',
    'backup_type',
    'status',
    'crypto',
    'description',
    'uuid',
  ],
} as const;

/** Copies whose deletion has begun are in no list. */
const listed = sql<boolean>`deleting = 0`;

/**
 * With a million tasks any page of a list is found by walking an index: in the order of any field, and, for a text of
 * three characters and more, by the trigrams of the searched texts.
 */
export const listIndexes: Migration = {
  version: 7,
  name: 'list indexes',
  async up(tools) {
    for (const column of taskColumns) await indexInOrder(tools, 'tasks', column);
    for (const column of copyColumns) await indexInOrder(tools, 'copies', column, { only: listed });
    await tools.db.schema
      .createIndex('copies_deleting')
      .on('copies')
      .column('id')
      .where(sql<boolean>`deleting = 1`)
      .execute();
    for (const column of logColumns)
      await indexInOrder(tools, 'task_logs', column, { within: ['task_id', 'side'] });
    for (const column of auditColumns) await indexInOrder(tools, 'audit', column);
    if (tools.dialect.kind === 'sqlite') {
      // The table is in the order of ids too, but its rows are wide: ten times as many pages to walk over.
      for (const table of ['tasks', 'audit']) await indexInOrder(tools, table, 'id');
      await indexInOrder(tools, 'copies', 'id', { only: listed });
    }
    for (const table of ['tasks', 'copies'] as const) {
      if (tools.dialect.kind === 'sqlite') await trigramTable(tools, table);
      else await trigramIndex(tools, table);
    }
  },
};

async function indexInOrder(
  tools: MigrationTools,
  table: string,
  column: string,
  how: { readonly within?: readonly string[]; readonly only?: RawBuilder<boolean> } = {},
): Promise<void> {
  const { db, dialect } = tools;
  const { within = [], only } = how;
  const name = `${table}_by_${column}`;
  // In SQLite the id is the end of every index entry anyway; equal values have to be in its order for pages.
  const columns = [...within, column, ...(dialect.kind === 'sqlite' ? [] : ['id'])];
  const index = db.schema.createIndex(name).on(table).columns(columns);
  await (only ? index.where(only) : index).execute();
}

const textOf = (table: keyof typeof searched, row: string, lineEnd: string) =>
  sql.raw(searched[table].map((column) => `coalesce(${row}.${column}, '')`).join(` || ${lineEnd} || `));

/** SQLite keeps the trigrams in a table of its own, which triggers keep in step. */
async function trigramTable({ db }: MigrationTools, of: keyof typeof searched): Promise<void> {
  const [table, search] = [sql.table(of), sql.table(`${of}_search`)];
  const trigger = (event: string) => sql.table(`${of}_search_${event}`);
  const text = (row: string) => textOf(of, row, 'char(10)');
  await sql`create virtual table ${search} using fts5(
    text, content='', contentless_delete=1, tokenize='trigram')`.execute(db);
  await sql`insert into ${search} (rowid, text) select id, ${text(of)} from ${table}`.execute(db);
  await sql`create trigger ${trigger('insert')} after insert on ${table} begin
    insert into ${search} (rowid, text) values (new.id, ${text('new')}); end`.execute(db);
  await sql`create trigger ${trigger('delete')} after delete on ${table} begin
    delete from ${search} where rowid = old.id; end`.execute(db);
  await sql`create trigger ${trigger('update')} after update of ${sql.raw(searched[of].join(', '))} on ${table} begin
    insert or replace into ${search} (rowid, text) values (new.id, ${text('new')}); end`.execute(db);
}

/** Without the extension a search reads all rows; everything else is the same. */
async function trigramIndex({ db }: MigrationTools, of: keyof typeof searched): Promise<void> {
  await sql`savepoint trigrams`.execute(db);
  try {
    await sql`create extension if not exists pg_trgm`.execute(db);
    const index = sql.table(`${of}_search`);
    const text = textOf(of, of, 'chr(10)');
    await sql`create index ${index} on ${sql.table(of)} using gin ((${text}) gin_trgm_ops)`.execute(db);
    await sql`release savepoint trigrams`.execute(db);
  } catch {
    // Not installed, or this user may not add it to the database.
    await sql`rollback to savepoint trigrams`.execute(db);
  }
}
