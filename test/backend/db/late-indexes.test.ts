import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepSearched, type OpenDatabase, openDatabase } from '../../../backend/db/index.ts';
import { seed } from '../../../backend/features/first-start.ts';
import { createTaskStore, type StoredTask } from '../../../backend/features/tasks/task-store.ts';
import { makeManyCopies } from '../../../bench/support/many-copies.ts';
import { watchPlans } from '../../support/query-plans.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

let database: OpenDatabase;
let folder: Awaited<ReturnType<typeof makeTempDir>>;
beforeEach(async () => {
  folder = await makeTempDir('late-indexes');
  database = await openDatabase({ kind: 'sqlite', path: ':memory:' });
  const { db } = database;
  const clock = { now: () => 0, monotonic: () => 0 };
  await seed({ db, clock, dataDir: folder.path, version: '0.0.0' });
  await makeManyCopies(database, 8);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await database.close();
  await folder.remove();
});

const limit = 7;
/** Of each field that a list of tasks is in the order of: the column that has it. */
const sorted = {
  task_type: 'task_type',
  resource: 'resource',
  client: 'client_text',
  backup_type: 'backup_type',
  status: 'status',
  progress: 'progress',
  priority: 'priority',
  pool: 'pool_name',
  source_pool: 'source_pool_name',
  archiving: 'archiving',
  started: 'started_ms',
  finished: 'finished_ms',
  attempt: 'attempt',
  speed: 'speed',
  error_message: 'error_message',
  skipped_items: 'skipped_items',
  strategy_rule_id: 'strategy_rule_id',
  repository_id: 'copy_id',
} as const;
const filters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  none: {},
  pool: { pool: 'Pool 1' },
  'pool and type': { pool: 'Pool 1', task_type: 'verify' },
  status: { status: 'new' },
  'status and pool': { status: 'new', pool: 'Pool 1' },
  'an error': { error_message: 'none' },
  'a rule': { strategy_rule_id: '2' },
  'a rule and status': { strategy_rule_id: '1', status: 'error' },
  'a copy': { repository_id: '3' },
  'a copy and status': { repository_id: '3', status: 'error' },
};

async function addTasks(count: number): Promise<void> {
  const made = await createTaskStore(database.db).insertMany(
    Array.from({ length: count }, (_, index) => ({
      taskType: index % 3 === 0 ? 'verify' : 'backup_urgent',
      resourceType: 'File system',
      resource: `/srv/${(index * 7) % 11}`,
      client: null,
      priority: 100 + (index % 4) * 100,
      createdBy: null,
    })),
    0,
  );
  for (const id of made) {
    const change = { pool_name: `Pool ${id % 2}`, strategy_rule_id: id % 3 === 0 ? null : id % 3 };
    await database.db.updateTable('tasks').set(change).where('id', '=', id).execute();
  }
  for (const id of made.filter((one) => one % 4 === 0)) {
    const times = { started_ms: 90 - id, finished_ms: 200 - (id % 5) };
    const change = {
      status: 'error',
      ...times,
      error_message: id % 8 === 0 ? 'none' : null,
      copy_id: id % 6 || null,
    };
    await database.db.updateTable('tasks').set(change).where('id', '=', id).execute();
  }
}

async function listed(
  field: string,
  order: 'asc' | 'desc',
  only: Readonly<Record<string, string>>,
): Promise<readonly StoredTask[]> {
  const rows: StoredTask[] = [];
  for (let page = 1; ; page += 1) {
    const list = { sort: field, order, filters: only, page, limit };
    const found = await createTaskStore(database.db).list(list, null, database.dialect);
    rows.push(...found.rows);
    if (found.rows.length === limit) continue;
    expect(found.total).toBe(rows.length);
    return rows;
  }
}

type Value = string | number | null;
const compare = (left: Value, right: Value): number => {
  if (left === right) return 0;
  if (left === null || right === null) return left === null ? -1 : 1;
  return left < right ? -1 : 1;
};

async function expectAllOrders(): Promise<void> {
  const all = await database.db.selectFrom('tasks').selectAll().orderBy('id').execute();
  for (const [field, column] of Object.entries(sorted)) {
    for (const order of ['asc', 'desc'] as const) {
      for (const [name, only] of Object.entries(filters)) {
        const matching = all.filter((row) =>
          Object.entries(only).every(
            ([key, text]) => String(row[sorted[key as keyof typeof sorted]]) === text,
          ),
        );
        const right = matching.sort(
          (left, other) => compare(left[column], other[column]) || compare(left.id, other.id),
        );
        const ids = (order === 'asc' ? right : right.reverse()).map(({ id }) => id);
        const found = (await listed(field, order, only)).map(({ id }) => id);
        expect(found, `${field} ${order}, filter ${name}`).toEqual(ids);
      }
    }
  }
}

const indexed = async (): Promise<number> =>
  (await database.db.selectFrom('tasks').select('id').where('list_indexed', '=', 1).execute()).length;

it('lists are whole and in order before, while and after tasks come into their indexes', async () => {
  await addTasks(30);
  expect(await indexed()).toBe(0);
  await expectAllOrders();
  await keepSearched(database.db, database.dialect);
  expect(await indexed()).toBe(30);
  await expectAllOrders();
  await addTasks(20);
  expect(await indexed()).toBe(30);
  await expectAllOrders();
  await keepSearched(database.db, database.dialect);
  expect(await indexed()).toBe(50);
  await expectAllOrders();
});

it('what is asked for beside lists is found by an index, also of tasks that are in no list index yet', async () => {
  await addTasks(30);
  const plans = watchPlans(database);
  const from = plans.count();
  const { db } = database;
  await db.selectFrom('tasks').select('id').where('copy_id', 'in', [1, 2]).execute();
  await db
    .selectFrom('tasks')
    .select('id')
    .where('finished_ms', '>=', 1)
    .where('finished_ms', '<', 9)
    .execute();
  // As the database does when a copy is deleted.
  const { rows } = await sql<{ detail: string }>`explain query plan
    update tasks set copy_id = null where copy_id = ${3}`.execute(db);
  expect(rows.map(({ detail }) => detail).join()).toMatch(/INDEX tasks_copy_id_index/);
  expect(await plans.since(from, 'tasks')).toEqual([
    expect.stringMatching(/using (?:covering )?index tasks_copy_id_index/i),
    expect.stringMatching(/using (?:covering )?index tasks_ended/i),
  ]);
  const lists = plans.count();
  const ofRule: readonly Readonly<Record<string, string>>[] = [
    { strategy_rule_id: '1' },
    { strategy_rule_id: '1', status: 'error' },
  ];
  for (const only of ofRule) {
    await createTaskStore(db).list({ filters: only, page: 1, limit }, null, database.dialect);
  }
  const found = await plans.since(lists, 'tasks');
  // Those that are in no list index yet are read by themselves.
  const ofIndexed = found.filter(
    (plan) => /^(?:SCAN|SEARCH) tasks .*list_indexed = 1/s.test(plan) && !/rowid>/.test(plan),
  );
  expect(ofIndexed).toHaveLength(4);
  expect(ofIndexed.filter((plan) => !/INDEX tasks_by_strategy_rule_id/.test(plan))).toEqual([]);
});
