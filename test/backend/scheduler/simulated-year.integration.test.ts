import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { seed } from '../../../backend/features/first-start.ts';
import { createSchedulerService } from '../../../backend/features/scheduler/scheduler-service.ts';
import { insertRuleTasks } from '../../../backend/features/tasks/rule-task-store.ts';
import { createTaskStore } from '../../../backend/features/tasks/task-store.ts';
import { silentLog } from '../../../backend/platform/log.ts';
import { createRandom } from '../../../bench/support/random.ts';
import { handClock, startTestApp } from '../../support/backend.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { dayMs, hourMs, minuteMs } from './support.ts';
import { type Due, dueOf, kinds, readCalendars, strategyBody, yearStrategies } from './year-plan.ts';

const seedOfYear = Number(process.env.STRONGROOM_YEAR_SEED ?? 20_300_101);
const strategyCount = 40;
const ruleCount = 200;
const hours = 8_760;
const startMs = Date.UTC(2030, 0, 1);
const endMs = startMs + hours * hourMs;
/** A run that is noted later than this was made up for. */
const lateMs = minuteMs;

interface Note {
  readonly ruleId: number;
  readonly dueMs: number;
  readonly kind: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly taskId: number | null;
  readonly notedMs: number;
}

/** Thrown in the middle of a look: what was not committed by then is lost with the scheduler. */
class AbruptEnd extends Error {}

type Moment = 'before the commit' | 'after the commit';

async function openYear() {
  const random = createRandom(seedOfYear);
  const clock = handClock(startMs);
  const app = await startTestApp({ clock, place: { kind: 'sqlite', path: ':memory:' } });
  const { features, configuration } = app.built;
  const { db } = features;
  await seed(features);
  const { send } = await app.loginAs('superuser');
  await db.deleteFrom('strategies').execute();
  const good = async <T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> => {
    const answer = await send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.data<T>();
  };
  const strategies = yearStrategies(strategyCount, random);
  const calendars = readCalendars(startMs, endMs);
  const [client] = await good<{ hostname: string; hwid: string }[]>('GET', '/clients');
  const due = new Map<number, readonly Due[]>();
  const zones = new Map<number, string>();
  for (const [index, strategy] of strategies.entries()) {
    const name = `S${index}`;
    await good('POST', '/strategies', { data: { name, pool: 'Default', ...strategyBody(strategy) } });
    const calendar = calendars.get(strategy.zone);
    if (calendar === undefined) throw new Error(`no calendar of ${strategy.zone}`);
    const expected = dueOf(strategy, calendar, startMs, endMs);
    const left = ruleCount - due.size;
    const rules = strategy.isBusy ? 1 : Math.ceil(left / (strategies.length - index));
    for (let rule = 0; rule < rules; rule += 1) {
      const strategy_rule = {
        client_id: `${client?.hostname} (${client?.hwid})`,
        strategy_id: name,
        resource_type: 'File system',
        resource: `/srv/${index}/${rule}`,
      };
      const { id } = await good<{ id: number }>('POST', '/strategy_rules', { data: { strategy_rule } });
      due.set(id, expected);
      zones.set(id, strategy.zone);
    }
  }
  return { app, clock, db, features, configuration, random, due, zones };
}

/** From when to when no scheduler looked. */
interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
}

it(`a year of ${ruleCount} rules in three zones with outages: each due run is made once, made up for, or reported with a reason (cases 52-58, 63)`, {
  timeout: 600_000,
}, async () => {
  const year = await openYear();
  const { clock, db, random } = year;
  /** Tasks that take long. */
  const slow = new Set<number>();
  /** When the scheduler is lost within its next look that makes a task. */
  let ending: Moment | null = null;
  let isLost = false;
  const lost = (): AbruptEnd => {
    isLost = true;
    return new AbruptEnd();
  };
  const begin = () =>
    createSchedulerService({
      ...year.features,
      log: silentLog,
      configuration: year.configuration,
      tasks: {
        insertPlanned: (tx, planned) => createTaskStore(tx).insertMany(planned, clock.now()),
        insertOfRules: (tx, rules) => {
          if (ending === 'before the commit') throw lost();
          return insertRuleTasks(tx, rules, clock.now());
        },
        tellPlanned: () => {
          if (ending === 'after the commit') throw lost();
        },
      },
    });

  // In a file: what the test keeps must not look like what the scheduler keeps.
  const folder = await makeTempDir('year');
  const journal = join(folder.path, 'notes');
  let lastNote = 0;
  /** Before the scheduler forgets them. */
  const collect = async (): Promise<void> => {
    const rows = await db
      .selectFrom('strategy_rule_runs')
      .selectAll()
      .where('id', '>', lastNote)
      .orderBy('id')
      .execute();
    lastNote = rows.at(-1)?.id ?? lastNote;
    await appendFile(
      journal,
      rows
        .map(
          (row): Note => ({
            ruleId: row.rule_id,
            dueMs: row.due_ms,
            kind: row.backup_type,
            outcome: row.outcome,
            reason: row.reason,
            taskId: row.task_id,
            notedMs: row.noted_ms,
          }),
        )
        .map((note) => `${JSON.stringify(note)}\n`)
        .join(''),
    );
    // As the server removes old ones, but at once.
    await db
      .deleteFrom('tasks')
      .where('status', '=', 'done')
      .where('finished_ms', '<', clock.now() - 2 * dayMs)
      .execute();
    slow.clear();
  };
  /** Most tasks end at once; some are still at work when the next run falls due. */
  const endTasks = async (): Promise<void> => {
    await db
      .updateTable('tasks')
      .set({ status: 'done', finished_ms: clock.now() })
      .where('status', '=', 'new')
      .where(({ or, eb }) =>
        or([eb('id', 'not in', [...slow, -1]), eb('created_ms', '<', clock.now() - 30 * hourMs)]),
      )
      .execute();
  };

  const moments = [...new Set([...year.due.values()].flatMap((all) => all.map(({ timeMs }) => timeMs)))];
  const looks = [
    ...new Set([...moments, ...Array.from({ length: hours }, (_, hour) => startMs + hour * hourMs)]),
  ]
    .filter((timeMs) => timeMs > startMs)
    .sort((one, other) => one - other);
  const gaps: Gap[] = [];
  const counts = { looks: 0, stops: 0, crashes: 0, inTheMiddle: 0 };
  const heap: number[] = [];
  let scheduler = begin();
  await scheduler.look();
  let downUntilMs = 0;
  let downFromMs = startMs;
  let month = 0;
  for (const lookMs of looks) {
    if (lookMs < downUntilMs) continue;
    // A look comes up to a second after the minute.
    clock.set(lookMs + random.below(1_000));
    if (downUntilMs > 0) {
      gaps.push({ fromMs: downFromMs, toMs: clock.now() });
      downUntilMs = 0;
      scheduler = begin();
    }
    // One in 400 looks is the last one of its scheduler: stopped in order, or lost in its middle.
    const isLast = random.below(400) === 0;
    const isCrash = isLast && random.below(3) > 0;
    if (isCrash) ending = random.below(2) === 0 ? 'before the commit' : 'after the commit';
    await scheduler.look();
    counts.looks += 1;
    ending = null;
    if (isLost) counts.inTheMiddle += 1;
    isLost = false;
    if (isLast) {
      if (isCrash) counts.crashes += 1;
      else {
        counts.stops += 1;
        await scheduler.stop();
      }
      downFromMs = lookMs - 1;
      // From a restart at once to five days away.
      downUntilMs = clock.now() + random.below(random.below(4) === 0 ? 5 * dayMs : 3 * hourMs);
    }
    if (random.below(50) === 0) {
      const newest = await db.selectFrom('tasks').select('id').orderBy('id', 'desc').executeTakeFirst();
      if (newest !== undefined) slow.add(newest.id);
    }
    await endTasks();
    const newMonth = Math.floor((lookMs - startMs) / (30 * dayMs));
    if (newMonth === month) continue;
    month = newMonth;
    await collect();
    heap.push(heapBytes());
  }
  clock.set(endMs + 1_000);
  if (downUntilMs > 0) {
    gaps.push({ fromMs: downFromMs, toMs: clock.now() });
    scheduler = begin();
  }
  await scheduler.look();
  await collect();

  const found = { due: 0, onTime: 0, caughtUp: 0, missed: 0, skipped: 0 };
  const notes = (await readFile(journal, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Note);
  const byRule = groupedBy(notes, ({ ruleId }) => ruleId);
  const listed: string[] = [];
  const printed: string[] = [];
  for (const [ruleId, due] of year.due) {
    const noted = (byRule.get(ruleId) ?? []).toSorted((one, other) => one.dueMs - other.dueMs);
    // What fell due is noted, nothing else is, and nothing twice.
    expect(
      noted.map(({ dueMs, kind }) => inWords(dueMs, kind)),
      `rule ${ruleId}`,
    ).toEqual(due.map(({ timeMs, kind }) => inWords(timeMs, kind)));
    found.due += due.length;
    for (const look of groupedBy(noted, ({ notedMs }) => notedMs).values()) countLook(look, gaps, found);
    const zone = year.zones.get(ruleId) ?? '';
    listed.push(...noted.map((note) => lineOf(note, zone)));
    const outcomes = [...groupedBy(noted, outcomeOf)].map(([outcome, runs]) => `${runs.length} ${outcome}`);
    printed.push(`rule ${ruleId} ${zone}: ${outcomes.join(', ')}`);
  }
  expect(listed).toHaveLength(found.due);
  const made = notes.flatMap(({ taskId }) => taskId ?? []);
  expect(new Set(made).size).toBe(made.length);
  const { total } = await db
    .selectFrom('tasks')
    .select(({ fn }) => fn.max<number>('id').as('total'))
    .executeTakeFirstOrThrow();
  // Ids count up by one, so no task was made that no run knows.
  expect(Number(total)).toBe(made.length);
  expect(found.onTime + found.caughtUp + found.missed + found.skipped).toBe(found.due);
  expect(Math.min(found.caughtUp, found.missed, found.skipped, counts.crashes, counts.stops)).toBeGreaterThan(
    3,
  );
  await year.app.close();
  await folder.remove();
  const listPath = join(tmpdir(), `strongroom-year-${seedOfYear}.txt`);
  await writeFile(listPath, `${listed.join('\n')}\n`);
  // Ten megabytes, which a log of all tests is better without.
  const shown = process.env.STRONGROOM_YEAR_LIST === '1' ? [...listed, ...printed] : printed;
  process.stdout.write(`${shown.join('\n')}\neach run of the year, ${listed.length} lines: ${listPath}\n`);
  const inMebibytes = heap.map((bytes) => (bytes / 1_048_576).toFixed(1)).join(' ');
  process.stdout.write(
    `a year of ${ruleCount} rules (seed ${seedOfYear}): ${JSON.stringify({ ...found, ...counts, gaps: gaps.length })}; heap at the end of the months in MiB: ${inMebibytes}\n`,
  );
  const grownBytes = Math.min(...heap.slice(-4)) - Math.min(...heap.slice(1, 5));
  expect(grownBytes).toBeLessThan(4 * 1_048_576);
});

/** What became of a run, in one word. */
function outcomeOf(note: Note): string {
  if (note.outcome !== 'planned') return note.outcome;
  return note.notedMs - note.dueMs > lateMs ? 'caught up' : 'done';
}

/** Rule, zone, the moment it was due (UTC), kind, outcome and why. */
function lineOf(note: Note, zone: string): string {
  const { ruleId, dueMs, kind, taskId, reason } = note;
  const task = taskId === null ? '' : ` by task ${taskId}`;
  return `rule ${ruleId} ${zone} ${inWords(dueMs, kind)}: ${outcomeOf(note)}${task}${reason === null ? '' : `: ${reason}`}`;
}

const inWords = (timeMs: number, kind: string): string => `${new Date(timeMs).toISOString()} ${kind}`;

function groupedBy<K, T>(all: readonly T[], keyOf: (one: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}

/** Of all that one look notes of a rule the latest of the widest kind is made (or skipped), all else is missed. */
function countLook(
  look: readonly Note[],
  gaps: readonly Gap[],
  found: { onTime: number; caughtUp: number; missed: number; skipped: number },
): void {
  const widest = kinds.find((kind) => look.some((note) => note.kind === kind));
  const wanted = look.findLast(({ kind }) => kind === widest);
  for (const note of look) {
    const where = JSON.stringify(note);
    const isLate = note.notedMs - note.dueMs > lateMs;
    const isInGap = gaps.some(({ fromMs, toMs }) => note.dueMs > fromMs && note.notedMs <= toMs);
    expect(isLate ? isInGap : true, where).toBe(true);
    if (note !== wanted) {
      expect(note, where).toMatchObject({ outcome: 'missed', reason: expect.any(String), taskId: null });
      found.missed += 1;
    } else if (note.outcome === 'skipped') {
      expect(note, where).toMatchObject({
        reason: expect.stringContaining('has not ended yet'),
        taskId: null,
      });
      found.skipped += 1;
    } else {
      expect(note, where).toMatchObject({ outcome: 'planned', taskId: expect.any(Number) });
      expect(note.reason === null, where).toBe(!isLate);
      if (isLate) found.caughtUp += 1;
      else found.onTime += 1;
    }
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
