import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../platform/native.ts';

/** Folders of what is on its way to a tape or from one, below the data directory. */
export interface TapeSpools {
  /** A folder of its own; `remove` it after. `taskId`: that of the task, with what an earlier attempt of it has left there. */
  make(taskId?: number): Promise<{ readonly path: string; remove(): Promise<void> }>;
  /** Removes the folders of tasks, unless `mayGoOn` names them and, where it is not null, the folder of a copy that is in them. */
  sweep(mayGoOn: (taskIds: readonly number[]) => Promise<ReadonlyMap<number, string | null>>): Promise<void>;
  /** Removes what belongs to no task: a process that ended has left it. */
  cleanUp(): Promise<void>;
}

export function createTapeSpools(folder: string): TapeSpools {
  const spooled = async (inside = ''): Promise<readonly string[]> => {
    try {
      return await readdir(join(folder, inside));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  };
  const removeSpooled = (name: string): Promise<void> =>
    rm(join(folder, name), { recursive: true, force: true });

  return {
    make: async (taskId) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, taskId === undefined ? randomUUID() : `${TASK_PREFIX}${taskId}`);
      await mkdir(path, { mode: 0o700, recursive: taskId !== undefined });
      return { path, remove: () => rm(path, { recursive: true, force: true }) };
    },

    sweep: async (mayGoOn) => {
      const ids = (await spooled()).flatMap((name) => taskIdOf(name) ?? []);
      const kept = ids.length === 0 ? new Map<number, string | null>() : await mayGoOn(ids);
      for (const id of ids) {
        const name = `${TASK_PREFIX}${id}`;
        const copy = kept.get(id);
        // A copy that was moved since has another name.
        const isOfUse = copy === null || (copy !== undefined && (await spooled(name)).includes(copy));
        if (!isOfUse) await removeSpooled(name);
      }
    },

    cleanUp: async () => {
      for (const name of await spooled()) {
        if (taskIdOf(name) === null) await removeSpooled(name);
      }
    },
  };
}

/** Of a folder whose contents are of use to the next attempt of a task. */
const TASK_PREFIX = 'task-';

function taskIdOf(name: string): number | null {
  const id = /^task-(\d+)$/.exec(name)?.[1];
  return id === undefined ? null : Number(id);
}
