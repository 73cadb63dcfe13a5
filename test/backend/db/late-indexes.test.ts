import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepSearched, type OpenDatabase, openDatabase } from '../../../backend/db/index.ts';
import { createTaskStore, type StoredTask } from '../../../backend/features/tasks/task-store.ts';

let database: OpenDatabase;
beforeEach(async () => {
  database = await openDatabase({ kind: 'sqlite', path: ':memory:' });
});
afterEach(() => database.close());

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
} as const;
const filters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  none: {},
  pool: { pool: 'Pool 1' },
  'pool and type': { pool: 'Pool 1', task_type: 'verify' },
  status: { status: 'new' },
  'status and pool': { status: 'new', pool: 'Pool 1' },
  'an error': { error_message: 'none' },
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
    const change = { pool_name: `Pool ${id % 2}` };
    await database.db.updateTable('tasks').set(change).where('id', '=', id).execute();
  }
  for (const id of made.filter((one) => one % 4 === 0)) {
    const change = { status: 'error', started_ms: 90 - id, error_message: id % 8 === 0 ? 'none' : null };
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
          Object.entries(only).every(([key, text]) => row[sorted[key as keyof typeof sorted]] === text),
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
