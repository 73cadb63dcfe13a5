import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type OpenDatabase, openDatabase } from '../../../backend/db/index.ts';
import { createRunStore } from '../../../backend/features/scheduler/run-store.ts';
import { createQueueStore } from '../../../backend/jobs/queue-store.ts';
import { watchPlans } from '../../support/query-plans.ts';

let database: OpenDatabase;
beforeAll(async () => {
  database = await openDatabase({ kind: 'sqlite', path: ':memory:' });
});
afterAll(() => database.close());

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
