import { type Db, diskFull, isDiskFull } from '../db/index.ts';
import type { Clock } from '../platform/clock.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { createProgressMeter, type ProgressReport, type ProgressView } from './progress-meter.ts';
import { createQueueStore, type HeldTasks, type QueuedTask, type TaskPlace } from './queue-store.ts';
import { createStallWatch, type StallLine } from './stall-watch.ts';
import { createTaskEnds } from './task-ends.ts';
import {
  CommitRefused,
  type LogLevel,
  type LogSide,
  type RunningWork,
  type Work,
  type WorkEnd,
  WorkStopped,
} from './work.ts';

/** Whether a waiting task may start. One that may not stays `new` and is asked about again at the next look. */
export type Admission =
  | {
      readonly kind: 'start';
      /** Null: where it was addressed to. */
      readonly place: TaskPlace | null;
      /** A line of its log. */
      readonly reason: string | null;
    }
  /** `andLike`: it and every waiting task of this kind; null: this one alone. */
  | { readonly kind: 'wait'; readonly andLike: HeldTasks | null };

export type Admit = (task: QueuedTask) => Promise<Admission>;

const startAsItIs: Admission = { kind: 'start', place: null, reason: null };

export interface RunnerDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** By task type; a task of a type without work ends with an error that says so. */
  readonly work: Readonly<Record<string, Work>>;
  /** Asked before a waiting task is started; missing: every task may start. */
  readonly admit?: Admit;
  readonly settings: () => Promise<{
    readonly serviceMode: boolean;
    readonly restartSuspendedAfterMs: number;
  }>;
  readonly writeLog: (taskId: number, side: LogSide, level: LogLevel, message: string) => Promise<void>;
  /** A task changed; told after the change is committed. */
  readonly changed: (task: QueuedTask) => void;
  /** The work on a task is over: its row, which may have ended or wait again. */
  readonly ended?: (task: QueuedTask) => void;
  readonly live: { set(taskId: number, view: () => ProgressView): void; clear(taskId: number): void };
  /** Tasks that run at the same time; paused ones do not count. */
  readonly mostAtOnce?: number | undefined;
}

interface Live {
  readonly task: QueuedTask;
  work: RunningWork | null;
  state: 'running' | 'paused' | 'killed' | 'stopping';
  readonly waiting: (() => void)[];
  readonly meter: ReturnType<typeof createProgressMeter>;
  readonly stalls: ReturnType<typeof createStallWatch>;
  logs: Promise<void>;
  ended: Promise<void>;
  /** Of `clock.monotonic()`; null: it was not killed. */
  killedMs: number | null;
}

export type Runner = ReturnType<typeof createRunner>;

const passEveryMs = 1000;
const mostAtOnceByDefault = 2;
const tellEveryMs = 500;
const stopWithinMs = 8000;
/** Work ends within a moment of its kill, or hangs. */
const killedHoldsMs = 20_000;
/** Only those of a moment ago matter. */
const mostKilledKept = 1000;
export const cutOffMessage =
  'The server ended while this task was running. Restart the task to run it again.';

/**
 * Runs tasks from the queue, a few at a time, and lets people act on them while they run. Continuing a paused task
 * takes effect at once, so for a while there may be more than `mostAtOnce`.
 */
export function createRunner(deps: RunnerDeps) {
  const { db, clock, log } = deps;
  const store = createQueueStore(db);
  const ends = createTaskEnds(deps);
  const mostAtOnce = deps.mostAtOnce ?? mostAtOnceByDefault;
  const live = new Map<number, Live>();
  /** The claims of killed tasks whose end was told: around its begin and end the kill and the work both see it. */
  const killed = new Map<number, number>();
  let timer: NodeJS.Timeout | null = null;
  let isStopping = false;
  let passing: Promise<void> | null = null;
  let isAskedAgain = false;
  let isQuiet = false;

  const wake = (): void => {
    if (isStopping || timer === null) return;
    if (passing !== null) {
      isAskedAgain = true;
      return;
    }
    // One look for all that a turn of the event loop asks for.
    passing = new Promise<void>((resolve) => setImmediate(resolve))
      .then(pass)
      .catch((error) => log.error('the queue could not be looked at', { error }))
      .finally(() => {
        passing = null;
        if (!isAskedAgain) return;
        isAskedAgain = false;
        wake();
      });
  };

  async function pass(): Promise<void> {
    const settings = await deps.settings();
    for (const id of await store.release(clock.now() - settings.restartSuspendedAfterMs)) await tell(id);
    if (isQuiet) return;
    await takeUpIdle();
    if (settings.serviceMode) return;
    // Tasks that cannot start now hold up no other.
    const waiting: number[] = [];
    const held: HeldTasks[] = [];
    while (!isStopping && !isQuiet && busy() < mostAtOnce) {
      // The earlier work of a restarted task may still be on its way out.
      const next = await store.nextWaiting([...live.keys(), ...waiting], held);
      if (next === null) return;
      const admission = (await deps.admit?.(next)) ?? startAsItIs;
      if (admission.kind === 'start') {
        // Whoever has switched it on meanwhile was told so, and what has come since is not to begin.
        if ((await deps.settings()).serviceMode) return;
        const task = await store.claim(next, clock.now(), admission.place);
        if (task === null) continue;
        if (admission.reason !== null) await deps.writeLog(task.id, 'server', 'info', admission.reason);
        start(task);
      } else if (admission.andLike === null) waiting.push(next.id);
      else held.push(admission.andLike);
    }
  }

  /**
   * A paused task holds up no other: two forgotten pauses would stop the queue for good. So would work that does not end
   * when it is killed, since the call that it waits for does not come back (a mount or a device that hangs).
   */
  const busy = (): number =>
    [...live.values()].filter(
      ({ state, killedMs }) =>
        state !== 'paused' && (killedMs === null || clock.monotonic() - killedMs < killedHoldsMs),
    ).length;

  /** Continued tasks whose work ended with an earlier process. */
  async function takeUpIdle(): Promise<void> {
    for (const idle of await store.working()) {
      if (isStopping || isQuiet || live.has(idle.id)) continue;
      const task = await store.claimIdle(idle.id, idle.status, idle.claim);
      if (task !== null) start(task);
    }
  }

  async function tell(id: number): Promise<QueuedTask | null> {
    const row = await db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) return null;
    deps.changed(row);
    return row;
  }

  const endIsLost = (task: number, error: unknown): void =>
    log.error('the end of a task could not be written', { task, error });

  /** Unless it was restarted and taken up again meanwhile: then the later work tells of its own end. */
  async function tellEnd(task: QueuedTask): Promise<void> {
    const row = await tell(task.id);
    if (row !== null && row.claim === task.claim) tellOnce(row);
  }

  /** Of a task that was killed while nobody worked on it: paused over a restart, say. One that had not begun has no end. */
  async function tellIdleEnd(id: number): Promise<void> {
    const row = await tell(id);
    if (row !== null && row.status === 'killed' && row.started_ms !== null) tellOnce(row);
  }

  function tellOnce(row: QueuedTask): void {
    if (row.status === 'killed') {
      if (killed.get(row.id) === row.claim) return;
      killed.set(row.id, row.claim);
      for (const id of [...killed.keys()].slice(0, -mostKilledKept)) killed.delete(id);
    }
    deps.ended?.(row);
  }

  function start(task: QueuedTask): void {
    const meter = createProgressMeter();
    const entry: Live = {
      task,
      work: null,
      state: 'running',
      waiting: [],
      meter,
      stalls: createStallWatch(),
      logs: Promise.resolve(),
      ended: Promise.resolve(),
      killedMs: null,
    };
    live.set(task.id, entry);
    deps.live.set(task.id, () => meter.view(clock.monotonic()));
    const ticker = setInterval(() => {
      if (entry.state === 'running') {
        deps.changed(entry.task);
        logStall(entry, entry.stalls.look(clock.monotonic()));
      } else if (entry.state === 'paused') entry.stalls.pause(clock.monotonic());
    }, tellEveryMs);
    entry.ended = run(entry)
      .finally(() => {
        clearInterval(ticker);
        live.delete(task.id);
        deps.live.clear(task.id);
      })
      .then(() => tellEnd(task))
      // Neither may take the server with it: a database that is full or away for a moment, a task removed meanwhile.
      .catch((error) => endIsLost(task.id, error))
      .finally(wake);
  }

  async function run(entry: Live): Promise<void> {
    const { task } = entry;
    try {
      await tell(task.id);
      const work = deps.work[task.task_type];
      const end: WorkEnd =
        work === undefined
          ? { kind: 'error', message: `This server cannot run tasks of type ${task.task_type}.` }
          : await work(contextOf(entry));
      try {
        await untilRunning(entry);
      } catch (over) {
        if (end.kind === 'done') await end.undo?.();
        throw over;
      }
      await finish(entry, end);
    } catch (error) {
      if (error instanceof WorkStopped || entry.state === 'killed' || entry.state === 'stopping') {
        await leave(entry);
        return;
      }
      if (isDiskFull(error)) {
        log.error('a task could not be recorded: the disk is full', { task: task.id, error });
        await finish(entry, { kind: 'waiting', message: diskFull });
        return;
      }
      if (!(error instanceof CommitRefused)) log.error('a task failed', { task: task.id, error });
      await finish(entry, { kind: 'error', message: messageOf(error) });
    }
  }

  /** After all lines before it; one that cannot be written does not end the work. */
  function writeLine(entry: Live, side: LogSide, level: LogLevel, message: string): void {
    const { id: task } = entry.task;
    entry.logs = entry.logs
      .then(() => deps.writeLog(task, side, level, message))
      .catch((error) => log.error('a line of a task log is lost', { task, line: message, error }));
  }

  function logStall(entry: Live, line: StallLine | null): void {
    if (line !== null) writeLine(entry, 'server', line.level, line.text);
  }

  async function finish({ task, meter, logs }: Live, end: WorkEnd): Promise<void> {
    await logs;
    await ends.finish(task, meter.view(clock.monotonic()), end);
  }

  async function leave(entry: Live): Promise<void> {
    await entry.logs;
    await (entry.state === 'stopping' ? ends.putBack(entry.task) : ends.killed(entry.task));
  }

  /** Resolves when the task is not paused; throws when it is over. */
  async function untilRunning(entry: Live): Promise<void> {
    while (entry.state === 'paused') await new Promise<void>((resolve) => entry.waiting.push(resolve));
    if (entry.state !== 'running') throw new WorkStopped();
  }

  /**
   * Pauses work whose task turns out to be paused. The second look is for a person who continues it meanwhile: the
   * row changes first, then the signal follows.
   */
  async function isSuspended(entry: Live): Promise<boolean> {
    const { task } = entry;
    if ((await store.statusOf(task)) !== 'suspended') return false;
    turn(task.id, 'paused', (work) => work.pause());
    if ((await store.statusOf(task)) !== 'suspended') turn(task.id, 'running', (work) => work.resume());
    return true;
  }

  function contextOf(entry: Live) {
    const { task, meter } = entry;
    return {
      task,
      moveTo: async (status: string) => {
        for (;;) {
          await untilRunning(entry);
          if (await store.moveTo(task, status)) break;
          // Paused a moment ago, and its signal is still on the way or came before there was work to pause.
          if (!(await isSuspended(entry))) throw new WorkStopped();
        }
        await tell(task.id);
      },
      log: (side: LogSide, level: LogLevel, message: string) => writeLine(entry, side, level, message),
      attach: (work: RunningWork) => {
        entry.work = work;
        if (entry.state === 'paused') work.pause();
        if (entry.state === 'killed' || entry.state === 'stopping') work.stop();
      },
      progress: (report: ProgressReport) => {
        meter.report(report, clock.monotonic());
        logStall(entry, entry.stalls.report(report, clock.monotonic()));
      },
      isStopping: () => entry.state === 'stopping',
      remember: async (input: object) => {
        await store.update(task, { input: JSON.stringify(input) });
      },
    };
  }

  function turn(id: number, state: Live['state'], act: (work: RunningWork) => void): void {
    const entry = live.get(id);
    if (entry === undefined || entry.state === 'killed' || entry.state === 'stopping') return;
    entry.state = state;
    if (state === 'killed') entry.killedMs = clock.monotonic();
    if (state === 'paused') entry.meter.hold(clock.monotonic());
    else entry.meter.release(clock.monotonic());
    if (entry.work !== null) act(entry.work);
    for (const go of entry.waiting.splice(0)) go();
  }

  return {
    wake,
    pause: (id: number) => {
      turn(id, 'paused', (work) => work.pause());
      wake();
    },
    resume: (id: number) => turn(id, 'running', (work) => work.resume()),
    kill: (id: number) => {
      if (live.has(id)) turn(id, 'killed', (work) => work.stop());
      else tellIdleEnd(id).catch((error) => endIsLost(id, error));
    },

    /** Repairs what an earlier process left, then begins to run. */
    start: async (): Promise<void> => {
      for (const task of await store.breakCutOff(cutOffMessage, clock.now())) {
        await deps.writeLog(task.id, 'server', 'error', cutOffMessage);
        deps.changed(task);
        deps.ended?.(task);
      }
      timer = setInterval(wake, passEveryMs);
      wake();
    },

    /** No new work; running work stops at a safe point and waits for the next start. */
    stop: async (): Promise<void> => {
      isStopping = true;
      if (timer !== null) clearInterval(timer);
      timer = null;
      await passing;
      const running = [...live.values()];
      for (const entry of running) turn(entry.task.id, 'stopping', (work) => work.stop());
      let limit: NodeJS.Timeout | undefined;
      const late = new Promise<'late'>((resolve) => {
        limit = setTimeout(() => resolve('late'), stopWithinMs);
      });
      const outcome = await Promise.race([Promise.all(running.map((entry) => entry.ended)), late]);
      clearTimeout(limit);
      if (outcome === 'late') log.warn('running work did not stop in time', { tasks: [...live.keys()] });
      for (const id of await store.putBack()) await tell(id);
    },

    /** Does `work` while no task runs, and lets none start before it ends; false, and nothing done, when one runs. */
    quietly: async (work: () => Promise<void>): Promise<boolean> => {
      if (live.size > 0 || isQuiet || isStopping) return false;
      isQuiet = true;
      try {
        // A look at the queue that is under way may still start one.
        await passing;
        if (live.size > 0) return false;
        await work();
        return true;
      } finally {
        isQuiet = false;
        wake();
      }
    },

    /** Ids of the tasks that are being worked on. */
    running: (): readonly number[] => [...live.keys()],
  };
}
