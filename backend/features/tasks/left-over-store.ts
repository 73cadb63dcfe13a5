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
}

/** A snapshot that a task reads from, or was about to make. */
export interface TracedSnapshot {
  readonly path: string;
  readonly begunMs: number;
}

/** A task that names folders which may have become no copy. */
export interface LeftOver extends Required<BackupTrace> {
  readonly taskId: number;
  /** As it stands with the task. */
  readonly input: string;
}

export function readTrace(input: string | null): Required<BackupTrace> {
  const { folders = [], snapshots = [] } = JSON.parse(input ?? '{}') as Partial<BackupTrace>;
  return { folders, snapshots };
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
        .select(['id', 'input'])
        .where(({ eb, or }) =>
          or([eb('task_type', 'like', 'backup%'), eb('task_type', 'in', ['copy', 'move'])]),
        )
        .where('input', 'is not', null)
        .orderBy('id')
        .execute();
      return rows.flatMap(({ id, input }) =>
        input === null ? [] : [{ taskId: id, input, ...readTrace(input) }],
      );
    },

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
