import type { Db } from '../../db/index.ts';

/** A folder of a copy that a task makes, or takes away. */
export interface BackupFolder {
  readonly copyUuid: string;
  readonly storageId: number;
  /** Its data are overwritten before they go; missing: they are not. */
  readonly zeroing?: boolean;
}

/** What such a task keeps in its `input`: every folder that it has begun and that is not known to be gone. */
export interface BackupTrace {
  readonly folders: readonly BackupFolder[];
  readonly snapshots?: readonly TracedSnapshot[];
  /** Of a copy or a move; it is one of the folders too. */
  readonly arriving?: ArrivingCopy | null;
}

/** What has arrived of a copy on its way: the next attempt goes on there. */
export interface ArrivingCopy {
  readonly copyUuid: string;
  readonly storageId: number;
  /** Folder of the copy that it is made from. */
  readonly from: string;
}

/** A snapshot that a task reads from, or was about to make. */
export interface TracedSnapshot {
  readonly path: string;
  readonly begunMs: number;
}

/** A task that names folders which may have become no copy. */
export interface LeftOver extends Required<BackupTrace> {
  readonly taskId: number;
  readonly status: string;
  readonly finishedMs: number | null;
  /** Folder of the copy that the task is about; null when it is gone. */
  readonly source: string | null;
  /** As it stands with the task. */
  readonly input: string;
}

export function readTrace(input: string | null): Required<BackupTrace> {
  const { folders = [], snapshots = [], arriving = null } = JSON.parse(input ?? '{}') as Partial<BackupTrace>;
  return { folders, snapshots, arriving };
}

/** Where a copy lies that a task takes away; nothing for one that has no folder. */
export function traceOf(copy: {
  readonly uuid: string;
  readonly storageId: number | null;
  readonly zeroing: boolean;
}): readonly BackupFolder[] {
  const { uuid: copyUuid, storageId, zeroing } = copy;
  return storageId === null ? [] : [{ copyUuid, storageId, zeroing }];
}

/** What backups left behind that were cut off. */
export function createLeftOverStore(db: Db) {
  return {
    all: async (): Promise<readonly LeftOver[]> => {
      const rows = await db
        .selectFrom('tasks')
        .leftJoin('copies', 'copies.id', 'tasks.copy_id')
        .select(['tasks.id', 'input', 'tasks.status', 'finished_ms', 'copies.uuid as source'])
        .where(({ eb, or }) =>
          or([eb('task_type', 'like', 'backup%'), eb('task_type', 'in', ['copy', 'move'])]),
        )
        .where('input', 'is not', null)
        .orderBy('tasks.id')
        .execute();
      return rows.flatMap(({ id, input, status, finished_ms: finishedMs, source }) =>
        input === null ? [] : [{ taskId: id, input, status, finishedMs, source, ...readTrace(input) }],
      );
    },

    /** Copies and moves of these whose copy is there. */
    transfers: async (ids: readonly number[]) =>
      db
        .selectFrom('tasks')
        .innerJoin('copies', 'copies.id', 'tasks.copy_id')
        .select(['tasks.id', 'tasks.status', 'finished_ms as finishedMs', 'copies.uuid as source'])
        .where('tasks.id', 'in', [...ids])
        .where('task_type', 'in', ['copy', 'move'])
        .execute(),

    isCopy: async (uuid: string): Promise<boolean> =>
      (await db.selectFrom('copies').select('id').where('uuid', '=', uuid).executeTakeFirst()) !== undefined,

    /** Unless the task has begun anew meanwhile. */
    forget: async (leftOver: LeftOver): Promise<void> => {
      await db
        .updateTable('tasks')
        .set({ input: null })
        .where('id', '=', leftOver.taskId)
        .where('input', '=', leftOver.input)
        .execute();
    },
  };
}
