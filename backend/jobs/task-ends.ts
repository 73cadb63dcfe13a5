import type { Db, Tx } from '../db/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { ProgressView } from './progress-meter.ts';
import { createQueueStore, type QueuedTask } from './queue-store.ts';
import type { LogLevel, LogSide, WorkEnd } from './work.ts';

type Done = Extract<WorkEnd, { readonly kind: 'done' }>;

/**
 * What the end of a task's work leaves: its row, its log, and with a task that went well all that it made. Of a task
 * that was restarted, killed or removed meanwhile nothing is written over.
 */
export function createTaskEnds(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly writeLog: (taskId: number, side: LogSide, level: LogLevel, message: string) => Promise<void>;
}) {
  const { db, clock } = deps;
  const store = createQueueStore(db);
  const note = (task: QueuedTask, level: LogLevel, message: string): Promise<void> =>
    deps.writeLog(task.id, 'server', level, message);

  /** The task ends in the transaction in which what it made is committed; otherwise all of that is undone. */
  async function done(task: QueuedTask, end: Done): Promise<void> {
    const commit = async (tx: Tx): Promise<boolean> => {
      const inside = createQueueStore(tx);
      const { transferredBytes: transferred, skippedItems: skipped_items } = end;
      const figures = { progress: 100, speed: 0, transferred, skipped_items, finished_ms: clock.now() };
      // First the guard: a task that is no longer ours must leave no trace.
      if (!(await inside.end(task, 'done', figures))) return false;
      const more = await end.commit?.(tx);
      if (more?.copyId !== undefined) await inside.update(task, { copy_id: more.copyId });
      return true;
    };
    let isEnded = false;
    try {
      isEnded = await db.transaction().execute(commit);
    } catch (error) {
      await end.undo?.();
      throw error;
    }
    if (isEnded) await end.after?.();
    else await end.undo?.();
  }

  return {
    finish: async (task: QueuedTask, view: ProgressView, end: WorkEnd): Promise<void> => {
      switch (end.kind) {
        case 'done':
          return await done(task, end);
        case 'error': {
          await note(task, 'error', end.message);
          const figures = { progress: view.percent, speed: 0, transferred: view.transferredBytes };
          await store.end(task, 'error', {
            ...figures,
            error_message: end.message,
            finished_ms: clock.now(),
          });
          return;
        }
        case 'killed': {
          await note(task, 'warning', end.message);
          const change = { error_message: end.message, speed: 0, finished_ms: clock.now() };
          await store.end(task, 'killed', change);
          return;
        }
        case 'waiting': {
          await note(task, 'warning', `${end.message} The task waits and is tried again.`);
          const since = { suspend_reason: 'resource', suspended_ms: clock.now(), paused_status: 'new' };
          await store.end(task, 'suspended', { ...since, error_message: end.message, speed: 0 });
          return;
        }
      }
    },

    /** The server stops: the task waits for the next start, unless a person has paused it. */
    putBack: async (task: QueuedTask): Promise<void> => {
      const isWaiting = await store.end(task, 'new', { progress: 0, speed: 0, started_ms: null });
      if (isWaiting)
        await note(task, 'info', 'The server stops; the task begins again after its next start.');
    },

    /** The row says so already. A task that ended may have been removed at once, and its log with it. */
    killed: async (task: QueuedTask): Promise<void> => {
      const isThere = (await store.statusOf(task)) !== null;
      if (isThere) await note(task, 'warning', 'The task was killed.');
    },
  };
}
