import type { Db } from '../../db/index.ts';
import { removeCopy, removePartials, removeSnapshot } from '../../engine/index.ts';
import { usualAnswerMs, whileAnswering } from '../../platform/answering.ts';
import type { Clock } from '../../platform/clock.ts';
import { readDiskSpace } from '../../platform/disk-space.ts';
import type { Log } from '../../platform/log.ts';
import { keptArrival, mayGoOn } from './arriving-rules.ts';
import { type BackupFolder, createLeftOverStore, type TracedSnapshot } from './left-over-store.ts';
import type { createPlacementStore } from './placement-store.ts';

export interface LeftOversDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly places: ReturnType<typeof createPlacementStore>;
  /** Ids of the tasks that are being worked on: what they write is in use. */
  readonly running: () => readonly number[];
}

export type LeftOvers = ReturnType<typeof createLeftOvers>;

/** A program that makes a snapshot outlives a killed server, so one that is not there yet is looked for this long. */
const mostMakingMs = 15 * 60_000;

/**
 * Removes what cut-off work left on the storages: folders that carry no copy, and whole copies that nobody knows
 * of because the server ended before their row was written. A storage that cannot be reached is looked at again later.
 */
export function createLeftOvers(deps: LeftOversDeps) {
  const { log, places } = deps;
  const store = createLeftOverStore(deps.db);

  const removeFolder = async (taskId: number, folder: BackupFolder): Promise<void> => {
    const { copyUuid, storageId, zeroing = false } = folder;
    if (await store.isCopy(copyUuid)) return;
    const storagePath = await places.storagePath(storageId);
    if (storagePath === null) return;
    const wasThere = await whileAnswering(
      storagePath,
      () => removeCopy({ storagePath, copyId: copyUuid, zeroing }),
      // A start waits for this; a storage that is only slow comes at the next look.
      { beginWithinMs: usualAnswerMs },
    );
    if (wasThere) log.info('what a cut-off task left behind was removed', { task: taskId, copyUuid });
  };

  /** False: it may still appear. */
  const removeTraced = async (taskId: number, { path, begunMs }: TracedSnapshot): Promise<boolean> => {
    const wasThere = await removeSnapshot(path);
    if (wasThere) log.info('the snapshot of a cut-off task was removed', { task: taskId, path });
    return wasThere || deps.clock.now() - begunMs > mostMakingMs;
  };

  return {
    /** What tasks have begun and nobody works on any more. */
    ofTasks: async (): Promise<void> => {
      for (const leftOver of await store.all()) {
        if (deps.running().includes(leftOver.taskId)) continue;
        const arriving = keptArrival(leftOver, deps.clock.now());
        try {
          for (const folder of leftOver.folders) {
            if (folder.copyUuid !== arriving?.copyUuid) await removeFolder(leftOver.taskId, folder);
          }
          let isOver = arriving === null;
          for (const snapshot of leftOver.snapshots) {
            if (!(await removeTraced(leftOver.taskId, snapshot))) isOver = false;
          }
          if (isOver) await store.forget(leftOver);
        } catch (error) {
          log.warn('what a cut-off task left behind cannot be removed yet', {
            task: leftOver.taskId,
            error,
          });
        }
      }
    },

    /** Of these tasks those whose next attempt can use what there is of its copy, whose folder has that name; null: it is in use. */
    mayGoOn: async (taskIds: readonly number[]): Promise<ReadonlyMap<number, string | null>> => {
      const found = (await store.transfers(taskIds)).filter((task) => mayGoOn(task, deps.clock.now()));
      const waiting = found.map(({ id, source }) => [id, source] as const);
      return new Map<number, string | null>([...waiting, ...deps.running().map((id) => [id, null] as const)]);
    },

    /** Half-made folders on every storage, but those that a task goes on with; only while nothing runs. */
    onStorages: async (): Promise<void> => {
      const arrivals = (await store.all()).map((leftOver) => keptArrival(leftOver, deps.clock.now()));
      const kept = new Set(arrivals.flatMap((arriving) => arriving?.copyUuid ?? []));
      for (const storagePath of await places.allStoragePaths()) {
        if ((await readDiskSpace(storagePath)) === null) {
          log.warn('a storage cannot be reached', { storagePath });
          continue;
        }
        // The queue waits for this: once it goes on, nothing more may go here.
        let isWanted = true;
        try {
          const cleaned = await whileAnswering(storagePath, () =>
            removePartials(storagePath, kept, () => isWanted),
          );
          if (cleaned.length > 0) log.info('half-made copies were removed', { storagePath, cleaned });
        } catch (error) {
          log.warn('a storage cannot be reached', { storagePath, error });
        } finally {
          isWanted = false;
        }
      }
    },
  };
}
