import type { Db } from '../../db/index.ts';
import {
  DeviceError,
  type EngineJob,
  listBlockCopies,
  removeCopy,
  startListTransfer,
} from '../../engine/index.ts';
import { isAnswering } from '../../platform/answering.ts';
import { isFolderThere, readDiskSpace } from '../../platform/disk-space.ts';
import type { Log } from '../../platform/log.ts';
import { counted } from '../bulk.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import { createMetadataMoveStore, type ListedList, type MetadataMove } from './metadata-move-store.ts';

export interface MetadataMovesDeps {
  readonly db: Db;
  readonly log: Log;
  readonly configuration: Pick<ConfigurationService, 'read'>;
  /** Runs work while no cleaning of blocks reads file lists: one that is on its way would be taken for deleted. */
  readonly withoutCleaning: <T>(work: () => Promise<T>) => Promise<T>;
  /** The copy lies elsewhere now. */
  readonly relocated: (copyId: number) => Promise<void>;
}

interface Place {
  readonly storagePath: string;
  readonly copyId: string;
}

export type MetadataMoves = ReturnType<typeof createMetadataMoves>;

/**
 * Brings the file lists of a pool of block devices to its present metadata pool, one copy after the other, when that was asked
 * for (`move_old_metadata`). What is cut off goes on after the next start; a copy in use is moved later.
 */
export function createMetadataMoves(deps: MetadataMovesDeps) {
  const { db, log } = deps;
  const store = createMetadataMoveStore(db);
  let job: EngineJob<unknown> | null = null;
  let running: Promise<void> | null = null;
  let isStopping = false;

  const roomiest = async (move: MetadataMove) => {
    const measured = await Promise.all(
      (await store.storagesOf(move.metadataPoolId)).map(async (storage) => {
        const space = await readDiskSpace(storage.path);
        return space === null ? [] : [{ ...storage, freeBytes: space.freeBytes }];
      }),
    );
    return measured.flat().toSorted((one, other) => other.freeBytes - one.freeBytes)[0] ?? null;
  };

  const remove = async (place: Place): Promise<void> => {
    const { delete_archives_with_zeroing: zeroing } = await deps.configuration.read();
    await removeCopy({ ...place, zeroing });
  };

  const bring = async (from: Place, to: Place): Promise<void> => {
    if (!(await isFolderThere(pathOf(from)))) {
      throw new DeviceError('notFound', `The file list in ${pathOf(from)} is not there.`);
    }
    // What an earlier attempt left there that was cut off.
    await remove(to);
    const transfer = startListTransfer({ from, to });
    job = transfer;
    try {
      await transfer.result;
    } finally {
      job = null;
    }
  };

  /** False when it is to be tried again later. */
  const moveOne = async (move: MetadataMove, list: ListedList): Promise<boolean> => {
    const storage = await roomiest(move);
    // Each list is another path: of a mount that hangs none may be asked about.
    if (storage === null || !(await isAnswering(list.storagePath)) || (await store.isUsed(list.id)))
      return false;
    const from = { storagePath: list.storagePath, copyId: list.uuid };
    const to = { storagePath: storage.path, copyId: list.uuid };
    // After the catalogue was put back to an earlier state it may be there already, and nowhere else.
    const isThere = !(await isFolderThere(pathOf(from))) && (await isFolderThere(pathOf(to)));
    if (!isThere) await bring(from, to);
    const isMoved = await db.transaction().execute(async (tx) => {
      const inside = createMetadataMoveStore(tx);
      return !(await inside.isUsed(list.id)) && (await inside.relocate(list, storage.id));
    });
    if (isMoved) await deps.relocated(list.id);
    if (isMoved || !isThere) await remove(isMoved ? from : to);
    return isMoved;
  };

  /** Lists that were moved and whose former folder is still there, since the server ended in between. */
  const sweep = async (lists: readonly ListedList[]): Promise<void> => {
    const placeOf = new Map(lists.map(({ uuid, storagePath }) => [uuid, storagePath]));
    for (const storagePath of await store.storagePaths()) {
      for (const copyId of await listBlockCopies(storagePath)) {
        const place = placeOf.get(copyId);
        if (place === undefined || place === storagePath) continue;
        if (await isFolderThere(pathOf({ storagePath: place, copyId })))
          await remove({ storagePath, copyId });
      }
    }
  };

  const moveAll = async (move: MetadataMove): Promise<void> => {
    let moved = 0;
    let left = 0;
    for (const list of await store.listsOf(move.poolId)) {
      if (isStopping) return;
      if (list.storagePoolId === move.metadataPoolId) continue;
      const isMoved = await deps
        .withoutCleaning(() => moveOne(move, list))
        .catch((error: unknown) => {
          if (!(error instanceof DeviceError)) throw error;
          if (error.kind !== 'cancelled') {
            log.warn('the metadata of a copy cannot be moved yet', {
              copy: list.id,
              pool: move.poolName,
              error,
            });
          }
          return false;
        });
      if (isMoved) moved += 1;
      else left += 1;
    }
    if (moved > 0) log.info('metadata were moved', { pool: move.poolName, copies: moved, left });
    const lists = await store.listsOf(move.poolId);
    if (isStopping || lists.some(({ storagePoolId }) => storagePoolId !== move.metadataPoolId)) return;
    await sweep(lists);
    await store.forget(move.poolId);
    log.info(`the metadata of ${counted(lists.length, 'copy', 'copies')} lie in their new pool`, {
      pool: move.poolName,
    });
  };

  const run = async (): Promise<void> => {
    if (isStopping || (await deps.configuration.read()).service_mode) return;
    for (const move of await store.asked()) await moveAll(move);
  };

  return {
    /** Begins what was asked for, beside other work. */
    run: async (): Promise<void> => {
      if (running !== null) return;
      running = run()
        // Such as a storage that is away: it is tried again in a minute.
        .catch((error: unknown) => log.warn('metadata cannot be moved yet', { error }))
        .finally(() => {
          running = null;
        });
    },

    /** Ends at a safe point. */
    stop: async (): Promise<void> => {
      isStopping = true;
      job?.stop();
      await running;
    },
  };
}

const pathOf = ({ storagePath, copyId }: Place): string => `${storagePath}/${copyId}`;
