import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RuleRun } from '../../../contract/strategy-rules/rule-run.ts';
import type { Task } from '../../../contract/tasks/task.ts';
import { type HandClock, handClock, startTestApp, type TestApp } from '../../support/backend.ts';
import { makeSmallFolder, type Queue, queueOf } from '../../support/queue.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { rowsOf } from '../features/rows.ts';
import { at } from './support.ts';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let clock: HandClock;
let app: TestApp;
let queue: Queue;
beforeEach(async () => {
  folder = await makeTempDir('scheduler');
  await makeSmallFolder(join(folder.path, 'source'));
  clock = handClock(at('2030-01-01T00:59:00Z'));
  app = await startTestApp({ clock, started: true });
  // Signed in anew for each call: its session ends while hours go by.
  queue = queueOf(async (method, path, body) => (await app.loginAs('superuser')).send(method, path, body));
});
afterEach(async () => {
  await app.close();
  await folder.remove();
});

async function addRule(more: object): Promise<number> {
  const strategy = { name: 'Hourly', pool: 'Default', time_zone: 'UTC', full_schedule: '0 * * * *', ...more };
  await queue.good('POST', '/strategies', { data: strategy });
  const rule = {
    client_id: await queue.localClient(),
    strategy_id: 'Hourly',
    resource_type: 'File system',
    resource: join(folder.path, 'source'),
  };
  return (await queue.good<{ id: number }>('POST', '/strategy_rules', { data: { strategy_rule: rule } })).id;
}

/** Waits for so many runs of the rule, and for the end of the task of the latest. */
async function taskOfRun(ruleId: number, runs: number): Promise<Task> {
  for (;;) {
    const noted = await queue.good<RuleRun[]>('GET', `/strategy_rules/${ruleId}/runs?sort=due&order=desc`);
    const [last] = noted;
    if (noted.length === runs && last !== undefined) {
      if (last.task_id === null) throw new Error(`no task: ${JSON.stringify(last)}`);
      return queue.ended(last.task_id);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('on a running server', { timeout: 120_000 }, () => {
  it('a strategy that falls due makes a copy by itself, again and again', async () => {
    const ruleId = await addRule({ storage_duration: '1 week' });
    for (let run = 1; run <= 2; run += 1) {
      clock.set(at(`2030-01-01T0${run}:00:01Z`));
      expect(await taskOfRun(ruleId, run)).toMatchObject({
        status: 'done',
        task_type: 'backup_strategy',
        strategy_rule_id: ruleId,
        storage_duration: '1 week',
      });
    }
    expect((await queue.copies()).map((copy) => copy.strategy_rule_id)).toEqual([ruleId, ruleId]);
    const { overdue } = await queue.good<{ overdue: unknown[] }>('GET', '/statistics?days=1');
    expect(overdue).toEqual([]);
  });

  it('a strategy that has reached its capacity less the reserve ends in error with the reason', async () => {
    await queue.good('PATCH', '/global_configuration', {
      backup_strategies_capacity_limits: true,
      strategy_storage_capacity_reserve: 50,
    });
    const ruleId = await addRule({ capacity: 2 });
    const rows = rowsOf(app.database.db);
    await rows.copy({ realSize: 1024 ** 3 - 1024 ** 2 }, { strategy_rule_id: ruleId });
    clock.set(at('2030-01-01T01:00:01Z'));
    expect((await taskOfRun(ruleId, 1)).status).toBe('done');
    await rows.copy({ realSize: 1024 ** 2 }, { strategy_rule_id: ruleId });
    clock.set(at('2030-01-01T02:00:01Z'));
    const task = await taskOfRun(ruleId, 2);
    expect(task.status).toBe('error');
    expect(task.error_message).toContain(
      'The copies of the strategy Hourly have reached its capacity of 2 GB',
    );
    const { overdue } = await queue.good<{ overdue: object[] }>('GET', '/statistics?days=1');
    expect(overdue).toMatchObject([{ rule_id: ruleId, task_id: task.id }]);
    await queue.good('PATCH', '/global_configuration', { backup_strategies_capacity_limits: false });
    clock.set(at('2030-01-01T03:00:01Z'));
    expect((await taskOfRun(ruleId, 3)).status).toBe('done');
  });
});
