import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRandom } from '../../../bench/support/random.ts';
import type { RuleRun } from '../../../contract/strategy-rules/rule-run.ts';
import { type BackendProcess, spawnBackend } from '../../support/backend.ts';
import { clockEnv, queueThroughTime, setClock } from '../../support/moved-clock.ts';
import { makeSmallFolder, type Queue } from '../../support/queue.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import {
  type Due,
  dueOf,
  readCalendars,
  strategyBody,
  type YearStrategy,
  yearStrategies,
} from '../scheduler/year-plan.ts';

const password = 'correct horse battery';
const dayMs = 86_400_000;
/** Minutes to the next moment at which anything falls due. */
const startMs = Date.UTC(2030, 0, 1, 0, 37, 10);
const endMs = startMs + 365 * dayMs;
const jumps = 8;
const random = createRandom(20_300_101);

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let backend: BackendProcess;

const setTime = (timeMs: number): Promise<void> => setClock(folder.path, timeMs - Date.now());

async function start(): Promise<Queue> {
  backend = spawnBackend({
    dataDir: join(folder.path, 'data'),
    env: { STRONGROOM_ADMIN_PASSWORD: password, ...clockEnv(folder.path) },
  });
  return queueThroughTime((await backend.ready).url, password);
}

beforeEach(async () => {
  folder = await makeTempDir('year-kill');
  await setTime(startMs);
});
afterEach(async () => {
  await backend.kill();
  await folder.remove();
});

interface WatchedRule {
  readonly id: number;
  readonly due: readonly Due[];
  readonly noted: Map<number, RuleRun>;
}

async function addRule(
  queue: Queue,
  strategy: YearStrategy,
  index: number,
  resource: string,
): Promise<number> {
  const name = `S${index}`;
  const client_id = await queue.localClient();
  await queue.good('POST', '/strategies', { data: { name, pool: 'Default', ...strategyBody(strategy) } });
  const rule = { client_id, strategy_id: name, resource_type: 'File system', resource };
  return (await queue.good<{ id: number }>('POST', '/strategy_rules', { data: { strategy_rule: rule } })).id;
}

/** Waits until all that fell due is noted. */
async function collect(queue: Queue, rule: WatchedRule, nowMs: number): Promise<void> {
  const last = rule.due.findLast(({ timeMs }) => timeMs <= nowMs)?.timeMs;
  for (;;) {
    const path = `/strategy_rules/${rule.id}/runs?sort=due&order=desc&limit=500`;
    for (const run of await queue.good<RuleRun[]>('GET', path)) {
      // The end of a run's task may still change; that there is one may not.
      const before = rule.noted.get(Date.parse(run.utc));
      expect({ id: run.id, outcome: run.outcome }).toEqual({
        id: before?.id ?? run.id,
        outcome: before?.outcome ?? run.outcome,
      });
      rule.noted.set(Date.parse(run.utc), run);
    }
    if (last === undefined || rule.noted.has(last)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it(`${jumps} jumps through a year, kill -9 at each: all that fell due in three zones is made, made up for or reported, nothing twice (cases 54, 57, 58, 63)`, {
  timeout: 900_000,
}, async () => {
  let queue = await start();
  // All tasks stay, so that they can be counted.
  await queue.good('PATCH', '/global_configuration', {
    data: { done_tasks_remove_period: 0, error_tasks_remove_period: 0, broken_tasks_remove_period: 0 },
  });
  const source = join(folder.path, 'source');
  await makeSmallFolder(source);
  const calendars = readCalendars(startMs - (startMs % dayMs), endMs - (endMs % dayMs) + dayMs);
  const rules: WatchedRule[] = [];
  for (const [index, strategy] of yearStrategies(12, random).entries()) {
    const calendar = calendars.get(strategy.zone);
    if (strategy.isBusy || calendar === undefined) continue;
    const fromMs = startMs - (startMs % 60_000);
    const due = dueOf(strategy, calendar, fromMs, endMs - (endMs % 60_000));
    rules.push({ id: await addRule(queue, strategy, index, source), due, noted: new Map() });
  }
  expect(rules.length).toBeGreaterThan(9);
  let nowMs = startMs;
  for (let jump = 1; jump <= jumps; jump += 1) {
    const left = (endMs - nowMs) / (jumps - jump + 1);
    const days =
      jump === jumps ? (endMs - nowMs) / dayMs : Math.floor(((0.4 + random.below(100) / 100) * left) / dayMs);
    nowMs += days * dayMs;
    await setTime(nowMs);
    // Some kills come before, some in and some after the look that finds it all due.
    await new Promise((resolve) => setTimeout(resolve, random.below(1_500)));
    await backend.kill();
    await setTime(nowMs);
    queue = await start();
    for (const rule of rules) await collect(queue, rule, nowMs);
  }
  const counts = { due: 0, made: 0, missed: 0, skipped: 0 };
  const tasks: number[] = [];
  for (const rule of rules) {
    const noted = [...rule.noted.values()].sort((one, other) => Date.parse(one.utc) - Date.parse(other.utc));
    expect(noted.map((run) => `${run.utc} ${run.backup_type}`)).toEqual(
      rule.due.map(({ timeMs, kind }) => `${new Date(timeMs).toISOString().slice(0, 19)}Z ${kind}`),
    );
    counts.due += rule.due.length;
    for (const run of noted) {
      if (run.outcome === 'planned') {
        counts.made += 1;
        tasks.push(run.task_id ?? -1);
        continue;
      }
      expect(run.reason, run.utc).not.toBeNull();
      if (run.outcome === 'missed') counts.missed += 1;
      else counts.skipped += 1;
    }
  }
  expect(new Set(tasks).size).toBe(tasks.length);
  const made = await queue.good<{ id: number }[]>('GET', '/tasks?task_type=backup_strategy&limit=500');
  expect(made.map(({ id }) => id).sort((one, other) => one - other)).toEqual(
    tasks.sort((one, other) => one - other),
  );
  expect(counts.made).toBeGreaterThan(rules.length * 3);
  process.stdout.write(`a year in ${jumps} jumps with kill -9: ${JSON.stringify(counts)}\n`);
});
