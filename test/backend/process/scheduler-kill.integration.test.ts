import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RuleRun } from '../../../contract/strategy-rules/rule-run.ts';
import { type BackendProcess, spawnBackend } from '../../support/backend.ts';
import { effort } from '../../support/effort.ts';
import { clockEnv, queueThroughTime, setClock } from '../../support/moved-clock.ts';
import { makeBigFolder, makeSmallFolder, type Queue, workingStatuses } from '../../support/queue.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const password = 'correct horse battery';
const rounds = effort(5, 12);
const hourMs = 3_600_000;

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let backend: BackendProcess;
/** How far the clock of the backend is ahead of this one. */
let aheadMs = 0;

async function start(): Promise<Queue> {
  backend = spawnBackend({
    dataDir: join(folder.path, 'data'),
    env: { STRONGROOM_ADMIN_PASSWORD: password, ...clockEnv(folder.path) },
  });
  return queueThroughTime((await backend.ready).url, password);
}

async function advance(ms: number): Promise<void> {
  aheadMs += ms;
  await setClock(folder.path, aheadMs);
}

const lastHour = (): number => Math.floor((Date.now() + aheadMs) / hourMs) * hourMs;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function addRule(queue: Queue, name: string, resource: string): Promise<number> {
  const client_id = await queue.localClient();
  const strategy = { name, pool: 'Default', time_zone: 'UTC', full_schedule: '0 * * * *' };
  await queue.good('POST', '/strategies', { data: strategy });
  const rule = { client_id, strategy_id: name, resource_type: 'File system', resource };
  return (await queue.good<{ id: number }>('POST', '/strategy_rules', { data: { strategy_rule: rule } })).id;
}

const runsOf = (queue: Queue, ruleId: number) =>
  queue.good<RuleRun[]>('GET', `/strategy_rules/${ruleId}/runs?sort=due&limit=500`);

/** Waits until the run of this moment is noted. */
async function noted(queue: Queue, ruleId: number, dueMs: number): Promise<readonly RuleRun[]> {
  for (;;) {
    const runs = await runsOf(queue, ruleId);
    if (runs.some(({ utc }) => Date.parse(utc) === dueMs)) return runs;
    await pause(50);
  }
}

beforeEach(async () => {
  folder = await makeTempDir('scheduler-kill');
  // Shortly after an hour, so that none passes by itself.
  aheadMs = hourMs - (Date.now() % hourMs);
  await advance(60_000);
});
afterEach(async () => {
  await backend.kill();
  await folder.remove();
});

it(`${rounds} times kill -9 while runs are planned: none is lost, none is made twice (cases 58, 63)`, {
  timeout: 600_000,
}, async () => {
  let queue = await start();
  const source = join(folder.path, 'source');
  await makeSmallFolder(source);
  const rules: number[] = [];
  for (const name of ['A', 'B', 'C']) rules.push(await addRule(queue, name, source));
  const due: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await advance(hourMs);
    due.push(lastHour());
    // The scheduler looks once a second: some kills come before, some in and some after it.
    await pause(Math.random() * 1_500);
    await backend.kill();
    queue = await start();
    for (const ruleId of rules) await noted(queue, ruleId, lastHour());
  }
  const tasks = await queue.good<{ id: number; strategy_rule_id: number }[]>(
    'GET',
    '/tasks?sort=id&limit=500',
  );
  for (const ruleId of rules) {
    const runs = await runsOf(queue, ruleId);
    expect(runs.map(({ utc }) => Date.parse(utc))).toEqual(due);
    const planned = runs.flatMap(({ task_id: id }) => (id === null ? [] : [id]));
    const made = tasks.filter((task) => task.strategy_rule_id === ruleId).map(({ id }) => id);
    expect(made).toEqual(planned);
    for (const { outcome, reason } of runs) if (outcome !== 'planned') expect(reason).not.toBeNull();
  }
});

it('a job that a power loss cut off is broken, and the next run is as usual (case 63)', {
  timeout: 300_000,
}, async () => {
  let queue = await start();
  const source = join(folder.path, 'source');
  await makeBigFolder(source, 256);
  const ruleId = await addRule(queue, 'Big', source);
  await advance(hourMs);
  const [first] = await noted(queue, ruleId, lastHour());
  const cutOff = first?.task_id ?? -1;
  await queue.until(cutOff, ({ status }) => workingStatuses.includes(status));
  await backend.kill();
  queue = await start();
  expect((await queue.task(cutOff)).status).toBe('broken');
  const { overdue } = await queue.good<{ overdue: object[] }>('GET', '/statistics?days=1');
  expect(overdue).toMatchObject([{ rule_id: ruleId, task_id: cutOff }]);
  await advance(hourMs);
  const runs = await noted(queue, ruleId, lastHour());
  expect(runs.map(({ outcome }) => outcome)).toEqual(['planned', 'planned']);
  expect((await queue.ended(runs.at(-1)?.task_id ?? -1)).status).toBe('done');
});
