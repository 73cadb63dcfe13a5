import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { keepSearched, type OpenDatabase, openDatabase } from '../../backend/db/index.ts';
import { createConfigurationService } from '../../backend/features/configuration/configuration-service.ts';
import { seed } from '../../backend/features/first-start.ts';
import { createSchedulerService } from '../../backend/features/scheduler/scheduler-service.ts';
import { createOverdueWatch } from '../../backend/features/strategy-rules/overdue-watch.ts';
import { createStrategyRuleService } from '../../backend/features/strategy-rules/strategy-rule-service.ts';
import { insertRuleTasks } from '../../backend/features/tasks/rule-task-store.ts';
import { createTaskStore } from '../../backend/features/tasks/task-store.ts';
import { createQueueStore } from '../../backend/jobs/queue-store.ts';
import { createLog } from '../../backend/platform/log.ts';
import { makeManyRules } from '../support/many-rules.ts';
import { makeManyTasks } from '../support/many-tasks.ts';
import { median } from '../support/measure.ts';
import { measureYear } from './year.ts';

/**
 * The scheduler and the queue on SQLite with very many rules and tasks, by the product's own code on a clock that the
 * benchmark sets: all tasks of a day made at one look, tasks taken from a long queue one by one, looks at an idle
 * calendar, the watch for overdue rules, and the memory of a simulated year.
 */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rules: { type: 'string', default: '100000' },
    tasks: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '3' },
    claims: { type: 'string', default: '2000' },
    looks: { type: 'string', default: '300' },
    'year-rules': { type: 'string', default: '200' },
  },
});
const counts = {
  rules: Number(values.rules),
  tasks: Number(values.tasks),
  days: Number(values.days),
  claims: Number(values.claims),
  looks: Number(values.looks),
  yearRules: Number(values['year-rules']),
};
const dayMs = 86_400_000;
/** Nothing falls due in the quarter of an hour from here. */
const startMs = Date.UTC(2030, 0, 1, 23, 42, 30);
const mebibyte = 1_048_576;
const targets = { planDayMs: 2_000, claimP99Ms: 5, idleLookMs: 50, yearGrownBytes: 4 * mebibyte };

interface Spread {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

function spreadOf(all: readonly number[]): Spread {
  const sorted = [...all].sort((left, right) => left - right);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function measure(database: OpenDatabase, dataDir: string) {
  const { db, dialect } = database;
  let nowMs = startMs;
  let ticksMs = 0;
  const clock = { now: () => nowMs, monotonic: () => ticksMs };
  const pass = (ms: number): void => {
    nowMs += ms;
    ticksMs += ms;
  };
  const log = createLog({ sinks: [(line) => say(line.trimEnd())], now: clock.now });
  const announce = (): void => undefined;
  await seed({ db, clock, dataDir, version: '0.0.0' });
  await makeManyRules(database, counts.rules, startMs);
  await makeManyTasks(database, counts.tasks, counts.rules);
  say(`${counts.rules} rules and ${counts.tasks} tasks are there`);
  const configuration = createConfigurationService({ db, dataDir, version: '0.0.0', announce });
  const scheduler = createSchedulerService({
    db,
    clock,
    log,
    configuration,
    tasks: {
      insertPlanned: (tx, tasks) => createTaskStore(tx).insertMany(tasks, clock.now()),
      insertOfRules: (tx, rules) => insertRuleTasks(tx, rules, clock.now()),
      tellPlanned: () => undefined,
    },
  });
  await scheduler.look();

  const planned: number[] = [];
  const cpu: number[] = [];
  let longestHoldMs = 0;
  for (let day = 1; day <= counts.days; day += 1) {
    await db
      .updateTable('tasks')
      .set({ status: 'done', finished_ms: nowMs })
      .where('status', '=', 'new')
      .execute();
    pass(dayMs);
    const held = monitorEventLoopDelay({ resolution: 1 });
    held.enable();
    const before = process.cpuUsage();
    planned.push(await timed(scheduler.look));
    const { user, system } = process.cpuUsage(before);
    held.disable();
    cpu.push((user + system) / 1000);
    longestHoldMs = Math.max(longestHoldMs, held.max / 1e6);
    const { count } = await db
      .selectFrom('tasks')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('status', '=', 'new')
      .executeTakeFirstOrThrow();
    if (Number(count) !== counts.rules) throw new Error(`${count} tasks were made of ${counts.rules} rules`);
    // The upkeep does so each second.
    for (let second = 0; second < 60; second += 1) await keepSearched(db, dialect);
    say(`day ${day} of ${counts.days}: ${planned.at(-1)?.toFixed(0)} ms`);
  }

  const queue = createQueueStore(db);
  const claims: number[] = [];
  const taken: number[] = [];
  for (let claim = 0; claim < Math.min(counts.claims, counts.rules); claim += 1) {
    const from = performance.now();
    // As many at work as a server has at once.
    const next = await queue.nextWaiting(taken.slice(-2), []);
    const task = next === null ? null : await queue.claim(next, nowMs, null);
    claims.push(performance.now() - from);
    if (task === null) throw new Error('there was no task to claim');
    taken.push(task.id);
  }

  const looks: number[] = [];
  for (let look = 0; look < counts.looks; look += 1) {
    pass(1_000);
    looks.push(await timed(scheduler.look));
  }

  // All that the rules made has ended well: nothing is overdue.
  await db.updateTable('tasks').set({ status: 'done' }).where('status', 'in', ['new', 'assigned']).execute();
  const rules = createStrategyRuleService({ db, dialect, clock, announce, secrets: { seal: () => '' } });
  const watch = createOverdueWatch({ db, clock, log, announce, overdue: () => rules.overdue(null) });
  const watched: number[] = [];
  for (let look = 0; look < 10; look += 1) watched.push(await timed(watch));
  return {
    planDay: { medianMs: median(planned), cpuMs: median(cpu), runsMs: planned, longestHoldMs },
    claim: spreadOf(claims),
    idleLook: spreadOf(looks),
    overdueWatch: spreadOf(watched),
  };
}

const work = mkdtempSync(join(tmpdir(), 'strongroom-bench-queue-'));
try {
  const database = await openDatabase({ kind: 'sqlite', path: join(work, 'strongroom.db') });
  const loadBefore = loadavg()[0] ?? 0;
  const figures = await measure(database, work);
  await database.close();
  // On a database of its own: what is measured is how it grows.
  const ofYear = await openDatabase({ kind: 'sqlite', path: join(work, 'year.db') });
  const year = await measureYear(ofYear, work, counts.yearRules);
  await ofYear.close();
  const isMet = {
    planDay: figures.planDay.medianMs < targets.planDayMs,
    claim: figures.claim.p99Ms < targets.claimP99Ms,
    idleLook: figures.idleLook.p99Ms < targets.idleLookMs,
    year: year.grownBytes < targets.yearGrownBytes,
  };
  const load = { before: loadBefore, after: loadavg()[0] ?? 0 };
  if (values.json) {
    const about = { suite: 'queue', ...counts, node: process.version, load, targets, isMet };
    process.stdout.write(`${JSON.stringify({ ...about, ...figures, year }, null, 2)}\n`);
  } else {
    const ms = (value: number): string => `${value.toFixed(1)} ms`;
    const spread = ({ p50Ms, p99Ms, maxMs }: Spread): string =>
      `p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}, longest ${ms(maxMs)}`;
    const word = (isReached: boolean): string => (isReached ? 'met' : 'missed');
    const { planDay } = figures;
    const heap = (months: readonly number[]): string => {
      const shown = months.map((bytes) => bytes / mebibyte);
      return `${Math.min(...shown).toFixed(1)} to ${Math.max(...shown).toFixed(1)} MiB at the ends of months`;
    };
    process.stdout.write(
      [
        `plan a day     ${ms(planDay.medianMs)} (${ms(planDay.cpuMs)} of CPU, others waited ${ms(planDay.longestHoldMs)} at most), target ${word(isMet.planDay)}`,
        `claim a task   ${spread(figures.claim)}, target ${word(isMet.claim)}`,
        `idle look      ${spread(figures.idleLook)}, target ${word(isMet.idleLook)}`,
        `overdue watch  ${spread(figures.overdueWatch)}`,
        `a year         ${year.runs} runs of ${year.rules} rules, ${year.looks} looks, ${(year.cpuMs / 1000).toFixed(0)} s of CPU; heap ${heap(year.heapBytes)}, grown by ${(year.grownBytes / mebibyte).toFixed(1)} MiB, memory flat ${word(isMet.year)}`,
        `load           ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after`,
        '',
      ].join('\n'),
    );
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
