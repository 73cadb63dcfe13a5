import { afterEach } from 'vitest';
import type { DatabasePlace } from '../../../backend/db/index.ts';
import { seed } from '../../../backend/features/first-start.ts';
import { createSchedulerService } from '../../../backend/features/scheduler/scheduler-service.ts';
import { insertRuleTasks } from '../../../backend/features/tasks/rule-task-store.ts';
import { createTaskStore } from '../../../backend/features/tasks/task-store.ts';
import { type Log, silentLog } from '../../../backend/platform/log.ts';
import { handClock, startTestApp } from '../../support/backend.ts';

export const at = (iso: string): number => Date.parse(iso);
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

export interface NotedRun {
  /** UTC to the minute. */
  readonly due: string;
  readonly type: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly taskId: number | null;
}

export type Calendar = Awaited<ReturnType<typeof openCalendar>>;

/** For the tests of one file: opens a calendar that has been looked at once; it is closed for the next one, or after its test. */
export function calendarOfTest(): (...how: Parameters<typeof openCalendar>) => Promise<Calendar> {
  let open: Calendar | null = null;
  const close = async (): Promise<void> => {
    const last = open;
    open = null;
    await last?.close();
  };
  afterEach(close);
  return async (...how) => {
    await close();
    open = await openCalendar(...how);
    await open.look();
    return open;
  };
}

/** The scheduler on a real database, looked through by hand: tasks are made, but none runs. */
export async function openCalendar(
  startIso: string,
  options: { readonly log?: Log; readonly place?: DatabasePlace } = {},
) {
  const clock = handClock(at(startIso));
  const { place } = options;
  const app = await startTestApp({ clock, ...(place ? { place } : {}) });
  const { features, configuration } = app.built;
  const { db } = features;
  await seed(features);
  let user = await app.loginAs('superuser');
  // Nothing but what a test makes.
  await db.deleteFrom('strategies').execute();
  const start = () =>
    createSchedulerService({
      ...features,
      log: options.log ?? silentLog,
      configuration,
      tasks: {
        insertPlanned: (tx, tasks) => createTaskStore(tx).insertMany(tasks, clock.now()),
        insertOfRules: (tx, rules) => insertRuleTasks(tx, rules, clock.now()),
        tellPlanned: () => undefined,
      },
    });
  let scheduler = start();
  const good = async <T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) => {
    let answer = await user.send(method, path, body);
    // The session ends while the test lets days go by.
    if (answer.status === 401) {
      user = await app.loginAs('superuser');
      answer = await user.send(method, path, body);
    }
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.data<T>();
  };
  let count = 0;

  const calendar = {
    app,
    db,
    clock,
    good,
    look: () => scheduler.look(),
    /** As the server starts it: it looks by itself too. */
    start: () => scheduler.start(),
    /** The server ends and starts again, `downMs` later. */
    restart: async (downMs: number) => {
      await scheduler.stop();
      clock.advance(downMs);
      scheduler = start();
      await scheduler.look();
    },
    /** Every look of that time, one every `stepMs`. Tasks are done at once. */
    pass: async (durationMs: number, stepMs = minuteMs) => {
      for (const endMs = clock.now() + durationMs; clock.now() < endMs; ) {
        clock.advance(Math.min(stepMs, endMs - clock.now()));
        await scheduler.look();
        await calendar.endTasks();
      }
    },
    /** Everything that the scheduler made ends well. */
    endTasks: async (status = 'done') => {
      const ended = { status, finished_ms: clock.now() };
      await db.updateTable('tasks').set(ended).where('status', '=', 'new').execute();
    },
    strategy: async (values: object): Promise<number> => {
      count += 1;
      const draft = { name: `S${count}`, pool: 'Default', time_zone: 'UTC', ...values };
      return (await good<{ id: number }>('POST', '/strategies', { data: draft })).id;
    },
    rule: async (strategyId: number, values: object = {}): Promise<number> => {
      const strategy = await good<{ name: string }>('GET', `/strategies/${strategyId}`);
      const [client] = await good<{ hostname: string; hwid: string }[]>('GET', '/clients');
      const rule = {
        client_id: `${client?.hostname} (${client?.hwid})`,
        strategy_id: strategy.name,
        resource_type: 'File system',
        resource: '/etc',
        ...values,
      };
      return (await good<{ id: number }>('POST', '/strategy_rules', { data: { strategy_rule: rule } })).id;
    },
    runs: async (ruleId: number): Promise<readonly NotedRun[]> => {
      const rows = await db
        .selectFrom('strategy_rule_runs')
        .selectAll()
        .where('rule_id', '=', ruleId)
        .orderBy('due_ms')
        .execute();
      return rows.map((row) => ({
        due: new Date(row.due_ms).toISOString().slice(0, 16),
        type: row.backup_type,
        outcome: row.outcome,
        reason: row.reason,
        taskId: row.task_id,
      }));
    },
    tasks: (ruleId: number) =>
      db.selectFrom('tasks').selectAll().where('strategy_rule_id', '=', ruleId).orderBy('id').execute(),
    close: async () => {
      await scheduler.stop();
      await app.close();
    },
  };
  return calendar;
}

/** `2030-01-01T02:00 planned full` */
export const inWords = (runs: readonly NotedRun[]): readonly string[] =>
  runs.map(({ due, outcome, type }) => `${due} ${outcome} ${type}`);
