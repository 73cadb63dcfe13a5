import { DeviceError, planSnapshot, removeSnapshot, type Snapshot } from '../../engine/index.ts';
import { type RunningWork, type WorkContext, WorkStopped } from '../../jobs/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import type { TracedSnapshot } from './left-over-store.ts';
import { missingSnapshotKinds } from './snapshot-rules.ts';
import type { ModuleParameterValues } from './task-parameters.ts';
import type { TaskScripts } from './task-scripts.ts';

export interface BackupSnapshotsDeps {
  readonly clock: Clock;
  readonly scripts: Pick<TaskScripts, 'ofSnapshot'>;
}

export interface SnapshotWish {
  readonly context: WorkContext;
  readonly module: Partial<ModuleParameterValues>;
  /** Name of the copy, which that of the snapshot is made of. */
  readonly copyUuid: string;
  /** Keeps with the task what is to be removed after a crash. */
  readonly keep: (snapshot: TracedSnapshot) => Promise<void>;
}

export type BackupSnapshots = ReturnType<typeof createBackupSnapshots>;

const usualRoomPercent = 10;
/** A stop of the server does not wait much longer. */
const stoppedAfterMs = 5_000;

/** Snapshots from which backups read, with the scripts around them. */
export function createBackupSnapshots({ clock, scripts }: BackupSnapshotsDeps) {
  const remove = async (context: WorkContext, path: string): Promise<void> => {
    try {
      if (await removeSnapshot(path)) context.log('client', 'info', `The snapshot ${path} was removed.`);
    } catch (error) {
      // The trace that the task keeps has it tried again every minute.
      const message = `The snapshot ${path} could not be removed yet: ${messageOf(error)}`;
      context.log('client', 'warning', message);
    }
  };

  /** What was stopped for the snapshot is to run again, also when the task is over: then it has a few seconds for that. */
  const lastly = async (
    context: WorkContext,
    asked: Parameters<TaskScripts['ofSnapshot']>[1],
  ): Promise<void> => {
    let late: NodeJS.Timeout | undefined;
    await scripts.ofSnapshot(context, asked, (script) =>
      context.attach({
        pause: script.pause,
        resume: script.resume,
        stop: () => {
          late ??= setTimeout(script.stop, stoppedAfterMs);
        },
      }),
    );
    clearTimeout(late);
  };

  /** Throws DeviceError when there is none; nothing of it is left then. */
  const make = async (wish: SnapshotWish): Promise<{ readonly path: string; readonly facts: Snapshot }> => {
    const { context, module, copyUuid, keep } = wish;
    const missing = missingSnapshotKinds[module.snapshot_type ?? 'auto'];
    if (missing !== undefined) throw new DeviceError('permanent', `No snapshot can be made: ${missing}.`);
    const attach = stoppable(context);
    const plan = await planSnapshot({
      source: context.task.resource ?? '',
      id: copyUuid,
      roomPercent: module.snapshot_size ?? usualRoomPercent,
    });
    attach.check();
    const before = module.script_before_snapshot ?? '';
    if (before !== '') {
      const asked = { kind: 'snapshot_before', path: before, error: null } as const;
      const failure = await scripts.ofSnapshot(context, asked, attach.to);
      attach.check();
      if (failure !== null) throw new DeviceError('permanent', `No snapshot was made. ${failure}`);
    }
    await keep({ path: plan.path, begunMs: clock.now() });
    const cancelling = new AbortController();
    attach.to({ stop: () => cancelling.abort(), pause: () => undefined, resume: () => undefined });
    try {
      const facts = await plan.make(cancelling.signal);
      attach.check();
      return { path: plan.path, facts };
    } catch (error) {
      await remove(context, plan.path);
      throw error;
    }
  };

  /** Null: there is none, and that may be. */
  const open = async (
    wish: SnapshotWish,
  ): Promise<{ readonly path: string; readonly facts: Snapshot } | null> => {
    const { context, module } = wish;
    try {
      const made = await make(wish);
      context.log('client', 'info', `The files are read from the snapshot ${made.path}.`);
      for (const mount of made.facts.mountsBelow) {
        const reason =
          'another file system is mounted there, of which the snapshot has nothing; back it up as a resource of its own';
        context.log('client', 'warning', `${mount} is not in the copy: ${reason}.`);
      }
      return made;
    } catch (error) {
      const isOver =
        error instanceof WorkStopped || (error instanceof DeviceError && error.kind === 'cancelled');
      const path = module.script_error_snapshot ?? '';
      if (path !== '') {
        const reason = isOver ? 'The task was stopped.' : messageOf(error);
        await lastly(context, { kind: 'snapshot_error', path, error: reason });
      }
      if (isOver) throw new WorkStopped();
      if (!(error instanceof DeviceError) || module.ignore_errors_snapshot !== true) throw error;
      const message = `${messageOf(error)} The files are read as they are, as ignore_errors_snapshot allows.`;
      context.log('client', 'warning', message);
      return null;
    }
  };

  return {
    /**
     * Does the reading from a snapshot, if one is asked for, and removes it whatever comes of it. Rejects with a
     * DeviceError where none can be made and that may not be; with null for the files as they are.
     */
    reading: async <R>(wish: SnapshotWish, read: (snapshot: Snapshot | null) => Promise<R>): Promise<R> => {
      const { context, module } = wish;
      const made = module.use_snapshot === true ? await open(wish) : null;
      if (made === null) return read(null);
      try {
        const path = module.script_after_snapshot ?? '';
        // The snapshot is there, so what it fails at costs no copy.
        if (path !== '') await lastly(context, { kind: 'snapshot_after', path, error: null });
        return await read(made.facts);
      } finally {
        await remove(context, made.path);
      }
    },
  };
}

/** What runs one after the other, for a person to act on; `check` throws once the task is over. */
function stoppable(context: WorkContext): { to(work: RunningWork): void; check(): void } {
  let isStopped = false;
  return {
    to: (work) =>
      context.attach({
        pause: () => work.pause(),
        resume: () => work.resume(),
        stop: () => {
          isStopped = true;
          work.stop();
        },
      }),
    check: () => {
      if (isStopped) throw new WorkStopped();
    },
  };
}
