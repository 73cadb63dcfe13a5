import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from './database.ts';
import type { Dialect } from './dialects.ts';
import type { LateIndexes } from './list-late.ts';
import type { TrigramTable } from './list-search.ts';
import { lateColumns } from './migrations/0029-late-list-indexes.ts';
import { laterColumns } from './migrations/0039-task-indexes-by-need.ts';

/** As the migrations that made the index of them join their texts. */
const columns = [
  'tasks.task_type',
  'tasks.resource_type',
  'tasks.resource',
  'tasks.client_text',
  'tasks.status',
  'tasks.pool_name',
  'tasks.error_message',
  'tasks.created_by',
];

/** What finds tasks by their texts. */
export const taskTrigrams: Pick<TrigramTable, 'table' | 'reach' | 'columns'> = {
  table: 'tasks_search',
  reach: 'tasks_search_reach',
  columns,
};

const late: LateIndexes = {
  columns: new Set([...lateColumns, ...laterColumns].map((column) => `tasks.${column}`)),
  narrow: new Set(['tasks.strategy_rule_id']),
  indexed: sql<boolean>`tasks.list_indexed = 1`,
  later: sql<boolean>`tasks.id > (select task_id from tasks_search_reach) and tasks.list_indexed = 0`,
};

/** Which indexes of tasks new ones are added to later; none where the database is quick with all of them. */
export function lateTaskIndexes(dialect: Dialect): LateIndexes | undefined {
  return dialect.indexesTexts ? undefined : late;
}

/** Tasks that one transaction adds, in some milliseconds: so long nobody else is served. */
const tasksAtOnce = 250;
/** Of one call: a day that was planned takes some calls, and what is regular too does not wait long for it. */
const mostFills = 40;
/** Pages of 4 KB that one merge writes, in some milliseconds too. */
const pagesAtOnce = 16;
/** Of one call beside those that follow a fill: more than a busy queue adds in a second. */
const mostMerges = 16;

/**
 * Adds the trigrams of new tasks and their entries in the indexes of lists, and puts small parts of them together, so that a search has few to look into. To be
 * called again and again; it is done at once when there is nothing to do. What is not added yet a search reads itself.
 */
export async function keepSearched(db: Db, dialect: Dialect): Promise<void> {
  if (dialect.indexesTexts) return;
  for (let fill = 0; fill < mostFills && (await fillSearched(db)); fill += 1) {
    // Others are served in between.
    await nextTurn();
    // Each fill adds a part: merges have to keep up with them.
    await mergeSearched(db);
  }
  for (let merge = 0; merge < mostMerges; merge += 1) await mergeSearched(db);
}

/** Adds the trigrams and list indexes of the next tasks; false: those of all are there. */
async function fillSearched(db: Db): Promise<boolean> {
  const reach = sql<number>`(select task_id from tasks_search_reach)`;
  const next = db.selectFrom('tasks').select('id').where('id', '>', reach).orderBy('id').limit(tasksAtOnce);
  if ((await next.limit(1).execute()).length === 0) return false;
  const text = sql.join(
    columns.map((column) => sql`coalesce(${sql.ref(column)}, '')`),
    sql` || char(10) || `,
  );
  await db.transaction().execute(async (tx) => {
    const last = sql`(select max(id) from (${next}))`;
    await sql`insert into tasks_search (rowid, text)
      select id, ${text} from tasks where id > ${reach} and id <= ${last} order by id`.execute(tx);
    await sql`update tasks set list_indexed = 1 where id > ${reach} and id <= ${last} and list_indexed = 0`.execute(
      tx,
    );
    await sql`update tasks_search_reach set task_id = coalesce(${last}, task_id)`.execute(tx);
  });
  return true;
}

async function mergeSearched(db: Db): Promise<void> {
  await sql`insert into tasks_search (tasks_search, rank) values ('merge', ${sql.lit(pagesAtOnce)})`.execute(
    db,
  );
  await nextTurn();
}
