import type { Selectable } from 'kysely';
import type { Db, TasksTable, Tx } from '../db/index.ts';

export type QueuedTask = Selectable<TasksTable>;

/** Statuses in which work is going on; a task in one of them belongs to exactly one runner. */
export const workingStatuses = ['assigned', 'at_client', 'execution', 'transmission', 'at_server'] as const;

/** Where a task is to work. */
export type TaskPlace = Pick<QueuedTask, 'pool_id' | 'pool_name' | 'media_server_id' | 'media_server_name'>;

/** Waiting tasks of these types for these pools. */
export interface HeldTasks {
  readonly taskTypes: readonly string[];
  readonly poolIds: readonly number[];
}

export type QueueStore = ReturnType<typeof createQueueStore>;

/**
 * The queue's own writes. Each names the claim that the writer holds: a runner whose task was killed, restarted
 * or taken over meanwhile changes nothing.
 */
export function createQueueStore(db: Db | Tx) {
  const ofClaim = (task: { readonly id: number; readonly claim: number }) =>
    db.updateTable('tasks').where('id', '=', task.id).where('claim', '=', task.claim);

  return {
    /** The waiting task that is next in turn, but none of `except` and none like those that are held. */
    nextWaiting: async (
      except: readonly number[],
      held: readonly HeldTasks[],
    ): Promise<QueuedTask | null> => {
      let query = db
        .selectFrom('tasks')
        .selectAll()
        .where('status', '=', 'new')
        .where('id', 'not in', [...except, -1]);
      for (const { taskTypes, poolIds } of held) {
        query = query.where(({ and, eb, not, or }) =>
          or([
            eb('pool_id', 'is', null),
            not(and([eb('task_type', 'in', [...taskTypes]), eb('pool_id', 'in', [...poolIds])])),
          ]),
        );
      }
      return (await query.orderBy('priority', 'desc').orderBy('id').limit(1).executeTakeFirst()) ?? null;
    },

    /** The waiting task becomes ours, by one guarded write; null when somebody was faster. */
    claim: async (next: QueuedTask, nowMs: number, change: TaskPlace | null): Promise<QueuedTask | null> => {
      const claimed = await ofClaim(next)
        .set({
          ...change,
          status: 'assigned',
          claim: next.claim + 1,
          started_ms: nowMs,
          finished_ms: null,
          error_message: null,
        })
        .where('status', '=', 'new')
        .returningAll()
        .executeTakeFirst();
      return claimed ?? null;
    },

    /** Takes up a task that is in a working status, but that nobody works on (continued after a restart). */
    claimIdle: async (id: number, status: string, claim: number): Promise<QueuedTask | null> =>
      (await ofClaim({ id, claim })
        .set({ claim: claim + 1 })
        .where('status', '=', status)
        .returningAll()
        .executeTakeFirst()) ?? null,

    working: async (): Promise<readonly QueuedTask[]> =>
      db
        .selectFrom('tasks')
        .selectAll()
        .where('status', 'in', [...workingStatuses])
        .orderBy('id')
        .execute(),

    /** False: the task is paused, ended or no longer ours. */
    moveTo: async (task: QueuedTask, status: string): Promise<boolean> => {
      const result = await ofClaim(task)
        .set({ status })
        .where('status', 'in', [...workingStatuses])
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    statusOf: async (task: { readonly id: number; readonly claim: number }): Promise<string | null> => {
      const row = await db
        .selectFrom('tasks')
        .select('status')
        .where('id', '=', task.id)
        .where('claim', '=', task.claim)
        .executeTakeFirst();
      return row?.status ?? null;
    },

    /** A change by the holder of the claim while it works. */
    update: async (
      task: QueuedTask,
      change: Partial<Omit<QueuedTask, 'id' | 'claim' | 'status'>>,
    ): Promise<boolean> => {
      const result = await ofClaim(task).set(change).executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    /** The end of the work, from a working status only. */
    end: async (
      task: QueuedTask,
      status: string,
      change: Partial<Omit<QueuedTask, 'id' | 'claim' | 'status'>>,
    ): Promise<boolean> => {
      const result = await ofClaim(task)
        .set({ ...change, status })
        .where('status', 'in', [...workingStatuses])
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    /** Restarted tasks wait again; so do those whose resource may be there by now. Answers what changed. */
    release: async (suspendedBeforeMs: number): Promise<readonly number[]> => {
      const restarted = await db
        .updateTable('tasks')
        .set({ status: 'new' })
        .where('status', '=', 'restarting')
        .returning('id')
        .execute();
      const waited = await db
        .updateTable('tasks')
        .set({ status: 'new', suspend_reason: null, paused_status: null, suspended_ms: null })
        .where('status', '=', 'suspended')
        .where('suspend_reason', '=', 'resource')
        .where('suspended_ms', '<=', suspendedBeforeMs)
        .returning('id')
        .execute();
      return [...restarted, ...waited].map((row) => row.id);
    },

    /** Whatever still counts as being worked on waits again; who worked on it has lost the claim. */
    putBack: async (): Promise<readonly number[]> => {
      const rows = await db
        .updateTable('tasks')
        .set((expression) => ({
          status: 'new',
          claim: expression('claim', '+', 1),
          progress: 0,
          speed: 0,
          started_ms: null,
        }))
        .where('status', 'in', [...workingStatuses])
        .returning('id')
        .execute();
      return rows.map((row) => row.id);
    },

    /** Work that was cut off by the end of the process. */
    breakCutOff: async (message: string, nowMs: number): Promise<readonly QueuedTask[]> =>
      db
        .updateTable('tasks')
        .set({ status: 'broken', error_message: message, finished_ms: nowMs })
        .where('status', 'in', [...workingStatuses])
        .returningAll()
        .execute(),
  };
}
