import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { OpenDatabase } from '../../backend/db/index.ts';
import { createConfigurationService } from '../../backend/features/configuration/configuration-service.ts';
import { seed } from '../../backend/features/first-start.ts';
import { createSchedulerService } from '../../backend/features/scheduler/scheduler-service.ts';
import { insertRuleTasks } from '../../backend/features/tasks/rule-task-store.ts';
import { createTaskStore } from '../../backend/features/tasks/task-store.ts';
import { silentLog } from '../../backend/platform/log.ts';
import { makeManyRules } from '../support/many-rules.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = Date.UTC(2030, 0, 1);
const days = 365;
/** As a server keeps them that nobody has configured. */
const keptDays = 30;

export interface YearFigures {
  readonly rules: number;
  readonly runs: number;
  readonly looks: number;
  readonly cpuMs: number;
  /** V8's heap and what hangs on it, after a full collection at the end of each month, in bytes. */
  readonly heapBytes: readonly number[];
  /** The least of the last months less the least of the first full ones. */
  readonly grownBytes: number;
}

/** A year of the scheduler, hour by hour: each rule makes a task a day, which ends and goes when it is old. */
export async function measureYear(
  database: OpenDatabase,
  dataDir: string,
  rules: number,
): Promise<YearFigures> {
  const { db } = database;
  let nowMs = startMs;
  const clock = { now: () => nowMs, monotonic: () => nowMs - startMs };
  await seed({ db, clock, dataDir, version: '0.0.0' });
  await makeManyRules(database, rules, startMs);
  const configuration = createConfigurationService({
    db,
    dataDir,
    version: '0.0.0',
    announce: () => undefined,
  });
  let runs = 0;
  const scheduler = createSchedulerService({
    db,
    clock,
    log: silentLog,
    configuration,
    tasks: {
      insertPlanned: (tx, tasks) => createTaskStore(tx).insertMany(tasks, clock.now()),
      insertOfRules: (tx, rules) => {
        runs += rules.ruleIds.length;
        return insertRuleTasks(tx, rules, clock.now());
      },
      tellPlanned: () => undefined,
    },
  });
  const heapBytes: number[] = [];
  const before = process.cpuUsage();
  const looks = days * 24;
  for (let look = 1; look <= looks; look += 1) {
    nowMs = startMs + look * hourMs;
    await scheduler.look();
    await db
      .updateTable('tasks')
      .set({ status: 'done', finished_ms: nowMs })
      .where('status', '=', 'new')
      .execute();
    if (look % 24 === 0) await createTaskStore(db).purge(['done'], nowMs - keptDays * dayMs);
    if (look % (30 * 24) === 0) heapBytes.push(heapInUse());
  }
  const { user, system } = process.cpuUsage(before);
  if (runs !== rules * days) throw new Error(`${runs} runs were made of ${rules} rules in ${days} days`);
  const grownBytes = Math.min(...heapBytes.slice(-4)) - Math.min(...heapBytes.slice(1, 5));
  return { rules, runs, looks, cpuMs: (user + system) / 1000, heapBytes, grownBytes };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
