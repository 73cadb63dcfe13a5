import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepSearched, type OpenDatabase, openDatabase } from '../../../backend/db/index.ts';
import { createTaskStore, type NewTask } from '../../../backend/features/tasks/task-store.ts';

let database: OpenDatabase;
beforeEach(async () => {
  database = await openDatabase({ kind: 'sqlite', path: ':memory:' });
});
afterEach(() => database.close());

const newTask = (resource: string): NewTask => ({
  taskType: 'verify',
  resourceType: 'File system',
  resource,
  client: null,
  createdBy: null,
});
const add = (count: number, resource = '/srv') =>
  createTaskStore(database.db).insertMany(
    Array.from({ length: count }, (_, index) => newTask(`${resource}/${index}`)),
    0,
  );
const keep = () => keepSearched(database.db, database.dialect);

/** The ids of all tasks that a search finds: by trigrams alone, and beside a filter. */
async function found(search: string): Promise<readonly number[]> {
  const list = async (filters: Record<string, string>): Promise<number[]> => {
    const ids: number[] = [];
    for (let page = 1; ; page += 1) {
      const { rows, total } = await createTaskStore(database.db).list(
        { search, filters, page, limit: 7 },
        null,
        database.dialect,
      );
      ids.push(...rows.map(({ id }) => id));
      if (rows.length < 7) {
        expect(ids).toHaveLength(total);
        return ids;
      }
    }
  };
  const plain = await list({});
  expect(await list({ task_type: 'verify' })).toEqual(plain);
  return plain;
}

const trigramsOf = async (text: string): Promise<number> =>
  (
    await sql<{
      found: number;
    }>`select count(*) as found from tasks_search where tasks_search match ${text}`.execute(database.db)
  ).rows[0]?.found ?? 0;

it('parts of the searched texts are put together by regular calls, and all is found before and after', async () => {
  const { db } = database;
  const parts = async (): Promise<number> =>
    (await sql<{ parts: number }>`select count(distinct segid) as parts from tasks_search_idx`.execute(db))
      .rows[0]?.parts ?? 0;
  for (let made = 0; made < 50; made += 1) {
    await add(1);
    await keep();
  }
  const ids = async (status: string) =>
    (await db.selectFrom('tasks').select('id').where('status', '=', status).execute()).map(({ id }) => id);
  for (const id of await ids('new')) {
    const status = id > 20 ? 'error' : 'killed';
    await db.updateTable('tasks').set({ status }).where('id', '=', id).execute();
  }
  // A change does not merge: that would be the work of whoever makes it.
  expect(await parts()).toBeGreaterThan(50);
  expect([await trigramsOf('"error"'), await trigramsOf('"killed"')]).toEqual([30, 20]);
  await keep();
  expect(await parts()).toBeLessThan(20);
  expect([await trigramsOf('"error"'), await trigramsOf('"killed"')]).toEqual([30, 20]);
});

it('a task is found at once, and by trigrams after the next regular call', async () => {
  await add(10);
  await keep();
  const all = await add(20, '/later');
  expect(await trigramsOf('"/later"')).toBe(0);
  expect(await found('/LATER')).toEqual(all);
  expect(await found('file system')).toHaveLength(30);
  const [changed = 0, gone = 0] = all;
  await database.db.updateTable('tasks').set({ resource: '/moved' }).where('id', '=', changed).execute();
  await database.db.deleteFrom('tasks').where('id', '=', gone).execute();
  const left = all.slice(2);
  for (const kept of [0, 18]) {
    expect([await found('/moved'), await found('/later')]).toEqual([[changed], left]);
    expect(await trigramsOf('"/later"')).toBe(kept);
    await keep();
  }
  await database.db.updateTable('tasks').set({ resource: '/back/again' }).where('id', '=', changed).execute();
  await database.db
    .deleteFrom('tasks')
    .where('id', '=', left[0] ?? 0)
    .execute();
  expect([await found('/moved'), await found('/later'), await found('/back/again')]).toEqual([
    [],
    left.slice(1),
    [changed],
  ]);
});

it('more new tasks than one call adds are added by the next ones, without a gap', async () => {
  await add(25_000);
  const steps: number[] = [];
  do {
    await keep();
    steps.push(await trigramsOf('"srv"'));
  } while ((steps.at(-1) ?? 0) < 25_000);
  expect(steps).toEqual([10_000, 20_000, 25_000]);
  await keep();
  expect(await trigramsOf('"srv"')).toBe(25_000);
});
