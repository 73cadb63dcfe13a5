import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type OpenDatabase, openDatabase } from '../../../backend/db/index.ts';
import { seed } from '../../../backend/features/first-start.ts';
import { createRunStore } from '../../../backend/features/scheduler/run-store.ts';
import { createPoolPlacementStore } from '../../../backend/features/tasks/pool-placement-store.ts';
import { createQueueStore } from '../../../backend/jobs/queue-store.ts';
import { watchPlans } from '../../support/query-plans.ts';

let database: OpenDatabase;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strongroom-queue-order-'));
  database = await openDatabase({ kind: 'sqlite', path: ':memory:' });
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

/** How SQLite goes about what the call asks of the table. */
async function planOf(table: string, call: () => Promise<unknown>): Promise<string> {
  const plans = watchPlans(database);
  const from = plans.count();
  await call();
  const found = (await plans.since(from, table)).join('\n');
  vi.restoreAllMocks();
  return found;
}

it('the next task in turn is found without sorting the others, also beside held ones', async () => {
  const held = [{ taskTypes: ['copy'], poolIds: [1, 2] }];
  for (const more of [[], held]) {
    const plan = await planOf('tasks', () => createQueueStore(database.db).nextWaiting([5, 6], more));
    expect(plan).toContain('USING INDEX tasks_in_turn (status=?)');
    expect(plan).not.toContain('TEMP B-TREE');
  }
});

it('the active tasks of rules are found without a look at their old ones', async () => {
  const ids = Array.from({ length: 500 }, (_, index) => index + 1);
  const plan = await planOf('strategy_rules', () => createRunStore(database.db).activeTasks(ids));
  expect(plan).toMatch(/INDEX tasks_active_of_rule \(strategy_rule_id=\? AND task_type=\?\)/);
});

it('the tasks that a pool of a dynamic group works on are counted without a look at its old ones', async () => {
  const { db } = database;
  await seed({ db, clock: { now: () => 0, monotonic: () => 0 }, dataDir: folder, version: '0.0.0' });
  const { id: poolId } = await db.selectFrom('pools').select('id').executeTakeFirstOrThrow();
  const { id: group_id } = await db
    .insertInto('dynamic_pool_groups')
    .values({
      name: 'Fast',
      name_key: 'fast',
      max_pool_tasks: 1,
      max_media_server_tasks: 1,
      max_cpu_usage: 0,
      max_in_block_operations: 0,
      max_out_block_operations: 0,
      calculation_period: 60,
      description: null,
      created_ms: 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('dynamic_pool_members')
    .values({ group_id, pool_id: poolId, enabled: 1, created_ms: 0 })
    .execute();
  const plan = await planOf('dynamic_pool_members', () => createPoolPlacementStore(db).groupOf(poolId));
  expect(plan).toMatch(/INDEX tasks_on_pool \(pool_id=\? AND status=\?\)/);
  expect(plan).not.toMatch(/INDEX tasks_on_pool \(pool_id=\?\)/);
});
