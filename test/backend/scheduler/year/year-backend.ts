import { sql } from 'kysely';
import { optionsFromArguments } from '../../../../backend/options.ts';
import { startServer } from '../../../../backend/server.ts';
import { dieNow, watchFatalSteps } from './fatal-step.ts';
import {
  type LookOrder,
  slowRules,
  slowTaskMs,
  type YearAnswer,
  type YearInput,
  type YearOrder,
} from './protocol.ts';

/**
 * The backend, whole, on a clock that stands still until it is told the time. Started, killed and started again by
 * year.integration.test.ts, which talks to it by messages.
 */
const input = JSON.parse(process.argv[2] ?? '') as YearInput;
const fatal = watchFatalSteps();
let nowMs = input.startMs;
const clock = { now: () => nowMs, monotonic: () => performance.now() };

fatal.arm(input.fatalStep);
const server = await startServer({
  options: optionsFromArguments(['--data-dir', input.dataDir, '--port', '0']),
  launchSecret: null,
  environment: process.env,
  logSink: (line) => process.stderr.write(`${line}\n`),
  clock,
});
const { built } = server;
const { db } = built.features;

const say = (answer: YearAnswer): void => {
  process.send?.(answer);
};

/** What works elsewhere ends: no task of the year runs here. */
async function endTasks(slowMs: readonly number[]): Promise<void> {
  const longAgoMs = clock.now() - slowTaskMs;
  const isSlow = sql<boolean>`(strategy_rule_id % ${slowRules} = 0 and created_ms in (${sql.join([-1, ...slowMs])}) and created_ms > ${longAgoMs})`;
  await db
    .updateTable('tasks')
    .set({ status: 'done', finished_ms: clock.now() })
    .where('status', '=', 'new')
    .where(sql<boolean>`not ${isSlow}`)
    .execute();
}

async function look({ atMs, slowMs, fatalStep }: LookOrder): Promise<void> {
  // One that goes on still has the earlier time.
  await built.lookAtCalendar();
  nowMs = atMs;
  fatal.arm(fatalStep);
  await built.lookAtCalendar();
  // A look may have fewer steps than this.
  if (fatalStep !== null) dieNow();
  await endTasks(slowMs);
}

async function tell(afterRun: number, afterTask: number): Promise<void> {
  const notes = await db
    .selectFrom('strategy_rule_runs')
    .select(['id', 'rule_id', 'due_ms', 'backup_type', 'outcome', 'reason', 'task_id', 'noted_ms'])
    .where('id', '>', afterRun)
    .orderBy('id')
    .execute();
  const tasks = await db
    .selectFrom('tasks')
    .select(['id', 'strategy_rule_id', 'backup_type', 'created_ms'])
    .where('id', '>', afterTask)
    .orderBy('id')
    .execute();
  say({
    kind: 'told',
    notes: notes.map((row) => ({
      id: row.id,
      ruleId: row.rule_id,
      dueMs: row.due_ms,
      kind: row.backup_type,
      outcome: row.outcome,
      reason: row.reason,
      taskId: row.task_id,
      notedMs: row.noted_ms,
    })),
    tasks: tasks.map((row) => ({
      id: row.id,
      ruleId: row.strategy_rule_id ?? -1,
      kind: row.backup_type ?? '',
      createdMs: row.created_ms,
    })),
  });
}

async function obey(order: YearOrder): Promise<void> {
  if (order.kind === 'tell') return tell(order.afterRun, order.afterTask);
  for (const one of order.looks) await look(one);
  say({ kind: 'looked' });
}

process.on('message', (order: YearOrder) => void obey(order));
process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)));
// Its parent is gone.
process.on('disconnect', () => process.exit(1));

await built.lookAtCalendar();
if (input.fatalStep !== null) dieNow();
await endTasks(input.slowMs);
say({ kind: 'ready', url: server.url });
