import type { Db } from '../../db/index.ts';
import type { LogLevel, QueuedTask, Work, WorkContext, WorkEnd } from '../../jobs/index.ts';
import type { Log } from '../../platform/log.ts';
import { type RunningScript, runScript } from '../../platform/script-process.ts';
import { counted } from '../bulk.ts';
import type { RestoreInput } from '../repository/copy-service.ts';
import type { createPlacementStore } from './placement-store.ts';
import {
  type ScriptKind,
  type SnapshotScriptKind,
  scriptEnvironment,
  scriptNames,
  scriptOfEnd,
  scriptOutcome,
} from './script-rules.ts';
import { createScriptStore } from './script-store.ts';

export interface TaskScriptsDeps {
  readonly db: Db;
  readonly log: Log;
  readonly places: Pick<ReturnType<typeof createPlacementStore>, 'client'>;
  /** A line of the client's log of a task. */
  readonly writeLog: (taskId: number, level: LogLevel, message: string) => Promise<void>;
  /** How long a script may run: ten minutes unless told. */
  readonly timeoutMs?: number | undefined;
}

export type TaskScripts = ReturnType<typeof createTaskScripts>;

const usualTimeoutMs = 600_000;
const mostAtOnce = 4;

interface Asked {
  readonly kind: ScriptKind;
  readonly path: string;
  /** Null: a task of no rule. */
  readonly ruleId: number | null;
  readonly task: QueuedTask;
}

/**
 * The scripts of strategy rules. That of a restore is the last step of its task. Those of a backup run after the task
 * has ended, beside the queue: one that hangs holds up no task and costs no copy.
 */
export function createTaskScripts(deps: TaskScriptsDeps) {
  const { log, places } = deps;
  const store = createScriptStore(deps.db);
  const timeoutMs = deps.timeoutMs ?? usualTimeoutMs;
  const waiting: Asked[] = [];
  const running = new Set<RunningScript>();
  const working = new Set<Promise<void>>();
  let isStopping = false;

  const write = (taskId: number) => {
    let last = Promise.resolve();
    return {
      line: (level: LogLevel, message: string): void => {
        last = last
          .then(() => deps.writeLog(taskId, level, message))
          // The task may have been removed while its script ran.
          .catch((error) => log.warn('a line of a script is lost', { task: taskId, line: message, error }));
      },
      done: () => last,
    };
  };

  const begin = (
    { kind, path, ruleId, task }: Asked,
    line: (level: LogLevel, message: string) => void,
    restore: RestoreInput | null,
  ): RunningScript => {
    line('info', `The ${scriptNames[kind]} ${path} begins.`);
    return runScript({
      path,
      env: scriptEnvironment(kind, task, {
        ruleId,
        destination: restore?.destination ?? '',
        isDeployed: restore?.deployInto ?? false,
      }),
      timeoutMs,
      onLine: (from, text) => line(from === 'stdout' ? 'info' : 'warning', `${path}: ${text}`),
    });
  };

  const outcomeOf = async (
    { kind, path }: Asked,
    script: RunningScript,
    line: (level: LogLevel, message: string) => void,
  ) => {
    const end = await script.ended;
    if (end.omittedBytes > 0) {
      line('warning', `${path}: ${counted(end.omittedBytes, 'byte')} more of its output were left out.`);
    }
    return scriptOutcome(kind, path, end, timeoutMs);
  };

  const runBeside = async (asked: Asked): Promise<void> => {
    const { line, done } = write(asked.task.id);
    const script = begin(asked, line, null);
    running.add(script);
    if (isStopping) script.stop();
    const { isGood, message } = await outcomeOf(asked, script, line);
    running.delete(script);
    line(isGood ? 'info' : 'error', message);
    await done();
  };

  const track = (work: Promise<void>, task: number): void => {
    const tracked = work
      .catch((error) => log.error('a script of a task could not be run', { task, error }))
      .finally(() => working.delete(tracked));
    working.add(tracked);
  };

  const next = (): void => {
    while (!isStopping && running.size < mostAtOnce) {
      const asked = waiting.shift();
      if (asked === undefined) return;
      track(runBeside(asked).finally(next), asked.task.id);
    }
  };

  const isLocal = async (clientId: number | null): Promise<boolean> =>
    clientId !== null && (await places.client(clientId))?.is_local === 1;

  const askFor = async (task: QueuedTask): Promise<void> => {
    const kind = scriptOfEnd(task.status);
    const { strategy_rule_id: ruleId } = task;
    if (kind === null || ruleId === null || task.task_type !== 'backup_strategy') return;
    const path = (await store.ofRule(ruleId))?.[kind] ?? '';
    if (path === '') return;
    const left = write(task.id);
    if (!(await isLocal(task.client_id))) {
      left.line('warning', `The ${scriptNames[kind]} was not run: the client is offline.`);
    } else if (isStopping) {
      left.line('error', `The ${scriptNames[kind]} was not run: the server stops.`);
    } else {
      waiting.push({ kind, path, ruleId, task });
      next();
    }
    await left.done();
  };

  const restoreEnd = async (context: WorkContext, end: WorkEnd): Promise<WorkEnd> => {
    const { task } = context;
    if (end.kind !== 'done' || task.copy_id === null) return end;
    const ruleId = await store.ruleOfCopy(task.copy_id);
    const path = ruleId === null ? '' : ((await store.ofRule(ruleId))?.restore ?? '');
    if (ruleId === null || path === '') return end;
    const line = (level: LogLevel, message: string): void => context.log('client', level, message);
    const asked: Asked = { kind: 'restore', path, ruleId, task: { ...task, status: 'at_server' } };
    const script = begin(asked, line, JSON.parse(task.input ?? '{}') as RestoreInput);
    context.attach(script);
    const { isGood, message } = await outcomeOf(asked, script, line);
    if (isGood) {
      line('info', message);
      return end;
    }
    return { kind: 'error', message: `The files were restored, but what follows was not done. ${message}` };
  };

  return {
    /**
     * A script around the snapshot of a backup, as a step of its task. Answers why it failed, null when it did not.
     * `attach` is given what runs, so that a kill of the task ends it.
     */
    ofSnapshot: async (
      context: WorkContext,
      asked: {
        readonly kind: SnapshotScriptKind;
        readonly path: string;
        /** Why there is no snapshot. */
        readonly error: string | null;
      },
      attach: (script: RunningScript) => void,
    ): Promise<string | null> => {
      const { task } = context;
      const line = (level: LogLevel, message: string): void => context.log('client', level, message);
      const told = { ...task, status: 'at_client', error_message: asked.error };
      const whole: Asked = { ...asked, ruleId: task.strategy_rule_id, task: told };
      const script = begin(whole, line, null);
      attach(script);
      const { isGood, message } = await outcomeOf(whole, script, line);
      line(isGood ? 'info' : 'error', message);
      return isGood ? null : message;
    },

    /** A task of the queue has come to its end: its script runs beside the queue. */
    ended: (task: QueuedTask): void => track(askFor(task), task.id),

    /** A restore with the script of the rule that its copy was made for. */
    afterRestore:
      (work: Work): Work =>
      async (context) =>
        restoreEnd(context, await work(context)),

    /** Ends what runs and starts nothing more. */
    stop: async (): Promise<void> => {
      isStopping = true;
      for (const { kind, task } of waiting.splice(0)) {
        const left = write(task.id);
        left.line('error', `The ${scriptNames[kind]} was not run: the server stops.`);
        track(left.done(), task.id);
      }
      for (const script of running) script.stop();
      await Promise.all(working);
    },
  };
}
