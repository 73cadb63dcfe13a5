import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRandom } from '../../../../bench/support/random.ts';
import { loginAt } from '../../../support/backend.ts';
import { type Queue, queueOf } from '../../../support/queue.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';
import { dayMs } from '../support.ts';
import { slowTaskMs, type YearNote, type YearTask } from './protocol.ts';
import { faultsOf, type RuleYear, type Tally, tallyOf } from './year-check.ts';
import { type Look, yearLife } from './year-life.ts';
import {
  type Due,
  dueOf,
  readCalendars,
  strategyBody,
  type YearStrategy,
  yearStrategies,
} from './year-plan.ts';
import { buildYearServer, startYearServer, type YearServer } from './year-server.ts';

const seed = Number(process.env.STRONGROOM_YEAR_SEED ?? 20_300_101);
const password = 'correct horse battery';
const strategyCount = 40;
const ruleCount = 200;
const startMs = Date.UTC(2030, 0, 1);
const endMs = startMs + 365 * dayMs;

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let server: YearServer | null = null;

beforeEach(async () => {
  folder = await makeTempDir('year');
  await buildYearServer();
});
afterEach(async () => {
  await server?.end();
  await folder.remove();
});

interface WatchedRule {
  readonly id: number;
  readonly zone: string;
  readonly due: readonly Due[];
}

/** No task runs here: the only pool that takes them is switched off, and the year says when each of them ends. */
async function holdTasks(queue: Queue): Promise<void> {
  const { id } = await queue.good<{ id: number }>('POST', '/dynamic_pool_groups', {
    data: { name: 'Elsewhere' },
  });
  const member = { dynamic_pool_group: id, pool: 'Default', enabled: false };
  await queue.good('POST', '/dynamic_pool_groups_records', { data: member });
  // All tasks stay, so that they can be counted.
  await queue.good('PATCH', '/global_configuration', { data: { done_tasks_remove_period: 0 } });
}

async function addRules(
  queue: Queue,
  strategies: readonly YearStrategy[],
  dueOfStrategy: (strategy: YearStrategy) => readonly Due[],
): Promise<readonly WatchedRule[]> {
  const client_id = await queue.localClient();
  const watched: WatchedRule[] = [];
  for (const [index, strategy] of strategies.entries()) {
    const name = `S${index}`;
    await queue.good('POST', '/strategies', { data: { name, pool: 'Default', ...strategyBody(strategy) } });
    const due = dueOfStrategy(strategy);
    const left = ruleCount - watched.length;
    const rules = strategy.isBusy ? 1 : Math.ceil(left / (strategies.length - index));
    for (let rule = 0; rule < rules; rule += 1) {
      const resource = `/srv/${index}/${rule}`;
      const strategy_rule = { client_id, strategy_id: name, resource_type: 'File system', resource };
      const { id } = await queue.good<{ id: number }>('POST', '/strategy_rules', { data: { strategy_rule } });
      watched.push({ id, zone: strategy.zone, due });
    }
  }
  return watched;
}

/** All that the server noted and made, whatever became of it itself. */
function createRecord() {
  const notes: YearNote[] = [];
  const tasks: YearTask[] = [];
  return {
    notes,
    tasks,
    collect: async (from: YearServer): Promise<void> => {
      from.order({ kind: 'tell', afterRun: notes.at(-1)?.id ?? 0, afterTask: tasks.at(-1)?.id ?? 0 });
      const told = await from.answer('told');
      notes.push(...told.notes);
      tasks.push(...told.tasks);
    },
  };
}

/** Lets the server live its year, look by look. */
async function live(
  looks: readonly Look[],
  firstServer: { readonly server: YearServer; readonly url: string },
  record: ReturnType<typeof createRecord>,
): Promise<void> {
  let { server: now, url } = firstServer;
  let isServiceMode = false;
  const slowAt = (atMs: number): readonly number[] =>
    looks
      .filter((look) => look.isSlow && look.atMs <= atMs && look.atMs > atMs - slowTaskMs)
      .map((look) => look.atMs);
  const flush = async (waiting: Look[]): Promise<void> => {
    if (waiting.length === 0) return;
    const orders = waiting.map(({ atMs, fatalStep }) => ({ atMs, slowMs: slowAt(atMs), fatalStep }));
    now.order({ kind: 'looks', looks: orders });
    const isFatal = waiting.splice(0).at(-1)?.fatalStep != null;
    if (isFatal) await now.dies();
    else await now.answer('looked');
  };
  const waiting: Look[] = [];
  for (const look of looks) {
    const { atMs, fatalStep } = look;
    if (look.isStart) {
      await flush(waiting);
      now = startYearServer(
        { dataDir: join(folder.path, 'data'), startMs: atMs, slowMs: slowAt(atMs), fatalStep },
        {},
      );
      server = now;
      if (fatalStep !== null) {
        await now.dies();
        continue;
      }
      ({ url } = await now.answer('ready'));
      await record.collect(now);
      continue;
    }
    if (look.isServiceMode !== isServiceMode) {
      await flush(waiting);
      isServiceMode = look.isServiceMode;
      const call = await loginAt(url, 'admin', password);
      const reply = await call('PATCH', '/global_configuration/service_mode', {
        service_mode: isServiceMode,
      });
      expect(reply.status).toBe(200);
    }
    waiting.push(look);
    if (fatalStep !== null || look.after !== null) await flush(waiting);
    if (look.after === 'kill') await now.kill();
    if (look.after === 'stop') await now.stop();
  }
  await flush(waiting);
  await record.collect(now);
  await now.stop();
}

it(`a year of ${ruleCount} rules in three zones in a server that outages stop and kill -9 ends at any step: each due run is made once, made up for, or reported (cases 52-58, 63)`, {
  timeout: 900_000,
}, async () => {
  const random = createRandom(seed);
  const strategies = yearStrategies(strategyCount, random);
  const calendars = readCalendars(startMs, endMs);
  const dueOfStrategy = (strategy: YearStrategy): readonly Due[] => {
    const calendar = calendars.get(strategy.zone);
    if (calendar === undefined) throw new Error(`no calendar of ${strategy.zone}`);
    return dueOf(strategy, calendar, startMs, endMs);
  };
  const dataDir = join(folder.path, 'data');
  const first = startYearServer(
    { dataDir, startMs, slowMs: [], fatalStep: null },
    { STRONGROOM_ADMIN_PASSWORD: password },
  );
  server = first;
  const { url } = await first.answer('ready');
  const queue = queueOf(await loginAt(url, 'admin', password));
  await holdTasks(queue);
  const rules = await addRules(queue, strategies, dueOfStrategy);
  expect(rules).toHaveLength(ruleCount);
  const moments = [...new Set(rules.flatMap(({ due }) => due.map(({ timeMs }) => timeMs)))].sort(
    (a, b) => a - b,
  );
  const { looks, counts } = yearLife(moments, { startMs, endMs }, random);
  const record = createRecord();
  await live(looks.slice(1), { server: first, url }, record);

  const notes = byRule(record.notes);
  const tasks = byRule(record.tasks);
  const years = rules.map(({ id, due }): RuleYear => {
    const ofRule = (notes.get(id) ?? []).toSorted((one, other) => one.dueMs - other.dueMs);
    return { ruleId: id, due, notes: ofRule, tasks: tasks.get(id) ?? [] };
  });
  const tallies = years.map(tallyOf);
  const lines = tallies.map(
    (tally, index) => `rule ${rules[index]?.id} ${rules[index]?.zone}: ${inWords(tally)}`,
  );
  const total = tallies.reduce(sum);
  process.stdout.write(
    `${lines.join('\n')}\na year of ${ruleCount} rules, seed ${seed}, ${looks.length} looks, ${JSON.stringify(counts)}: ${inWords(total)}\n`,
  );
  expect(years.flatMap((year) => faultsOf(year, looks))).toEqual([]);
  expect(record.tasks).toHaveLength(total.done + total.caughtUp);
  expect(total.due).toBe(total.done + total.caughtUp + total.missed + total.skipped);
  // The year was as hard as it is meant to be: some looks were cut off before their commit and some after it.
  expect(counts.killsInLooks + counts.killsBetween).toBeGreaterThanOrEqual(20);
  const cutOff = looks.filter((look) => look.fatalStep !== null && !look.isServiceMode);
  const written = new Set(record.notes.map(({ notedMs }) => notedMs));
  expect(new Set(cutOff.map(({ atMs }) => written.has(atMs)))).toEqual(new Set([true, false]));
  expect(Math.min(total.caughtUp, total.missed)).toBeGreaterThan(100);
  expect(total.skipped).toBeGreaterThan(0);
});

function byRule<T extends { readonly ruleId: number }>(all: readonly T[]): ReadonlyMap<number, readonly T[]> {
  const rules = new Map<number, T[]>();
  for (const one of all) {
    const known = rules.get(one.ruleId);
    if (known === undefined) rules.set(one.ruleId, [one]);
    else known.push(one);
  }
  return rules;
}

function inWords({ due, done, caughtUp, missed, skipped, double }: Tally): string {
  return `${due} due, ${done} done, ${caughtUp} caught up, ${missed} missed, ${skipped} skipped, ${double} double`;
}

function sum(one: Tally, other: Tally): Tally {
  return {
    due: one.due + other.due,
    done: one.done + other.done,
    caughtUp: one.caughtUp + other.caughtUp,
    missed: one.missed + other.missed,
    skipped: one.skipped + other.skipped,
    double: one.double + other.double,
  };
}
