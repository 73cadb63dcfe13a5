import type { Db } from '../../db/index.ts';

/** A task that has named a folder on a storage which became no copy. */
export interface LeftOver {
  readonly taskId: number;
  /** As it stands with the task. */
  readonly input: string;
  readonly copyUuid: string;
  readonly storageId: number;
}

/** What backups left behind that were cut off. */
export function createLeftOverStore(db: Db) {
  const find = async (taskId: number | null): Promise<readonly LeftOver[]> => {
    const rows = await db
      .selectFrom('tasks')
      .select(['id', 'input'])
      .where('task_type', 'like', 'backup%')
      .where('input', 'is not', null)
      .where('status', 'not in', ['done', 'obsoleted'])
      .$if(taskId !== null, (query) => query.where('id', '=', taskId ?? 0))
      .orderBy('id')
      .execute();
    return rows.flatMap(({ id, input }) => {
      const { copyUuid, storageId } = JSON.parse(input ?? '{}') as Partial<LeftOver>;
      if (input === null || copyUuid === undefined || storageId === undefined) return [];
      return [{ taskId: id, input, copyUuid, storageId }];
    });
  };

  return {
    all: () => find(null),
    ofTask: (taskId: number) => find(taskId),

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
