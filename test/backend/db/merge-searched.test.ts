import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { mergeSearched, openDatabase } from '../../../backend/db/index.ts';
import { createTaskStore, type NewTask } from '../../../backend/features/tasks/task-store.ts';

it('parts of the searched texts are put together by regular calls, and all is found before and after', async () => {
  const database = await openDatabase({ kind: 'sqlite', path: ':memory:' });
  const { db, dialect } = database;
  const parts = async (): Promise<number> =>
    (await sql<{ parts: number }>`select count(distinct segid) as parts from tasks_search_idx`.execute(db))
      .rows[0]?.parts ?? 0;
  const found = async (text: string): Promise<number> =>
    (
      await sql<{
        found: number;
      }>`select count(*) as found from tasks_search where tasks_search match ${text}`.execute(db)
    ).rows[0]?.found ?? 0;
  const task: NewTask = {
    taskType: 'verify',
    resourceType: 'File system',
    resource: '/srv',
    client: null,
    createdBy: null,
  };
  for (let made = 0; made < 50; made += 1) await createTaskStore(db).insert(task, 0);
  await db.updateTable('tasks').set({ status: 'error' }).where('id', '>', 20).execute();
  await db.updateTable('tasks').set({ status: 'killed' }).where('id', '<=', 20).execute();
  // A change does not merge: that would be the work of whoever makes it.
  expect(await parts()).toBeGreaterThan(50);
  expect([await found('"error"'), await found('"killed"')]).toEqual([30, 20]);
  await mergeSearched(db, dialect);
  expect(await parts()).toBeLessThan(20);
  expect([await found('"error"'), await found('"killed"')]).toEqual([30, 20]);
  await database.close();
});
