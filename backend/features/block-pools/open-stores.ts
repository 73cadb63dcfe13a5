import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DeviceError, type NewBlockStore, type StoreThread, startStoreThread } from '../../engine/index.ts';
import { createInTurn } from '../../platform/in-turn.ts';
import type { Log } from '../../platform/log.ts';
import type { createBlockPoolStore, PoolDevice } from './block-pool-store.ts';

/** A store in use: it stays open at least until `release` is called. */
export interface HeldStore {
  readonly device: PoolDevice;
  readonly store: StoreThread;
  /** `failed`: the work ended with an error of the store, which is opened anew for the next one. */
  readonly release: (failed?: boolean) => Promise<void>;
}

interface Open {
  readonly store: StoreThread;
  users: number;
  isFailed: boolean;
}

export interface OpenStoresDeps {
  readonly records: ReturnType<typeof createBlockPoolStore>;
  readonly log: Log;
  readonly dataDir: string;
}

export type OpenStores = ReturnType<typeof createOpenStores>;

/** The stores of this process: one thread for each device, opened when it is needed first and kept until the end. */
export function createOpenStores(deps: OpenStoresDeps) {
  const { records, log } = deps;
  const folder = join(deps.dataDir, 'block-index');
  const stores = new Map<number, Open>();
  const inTurn = createInTurn();
  let isClosed = false;

  const indexFile = (id: number): string => join(folder, `device-${id}.index`);

  const open = async (device: PoolDevice): Promise<Open> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const wanted = {
      blockBytes: device.blockBytes,
      algorithm: device.algorithm as NewBlockStore['algorithm'],
      hashBits: device.hashBits,
    };
    const store = await startStoreThread(device.device, {
      indexFile: indexFile(device.id),
      // Never on a device that had a store: what is gone from there is a loss to be told, not to be covered up.
      ...(device.hasStore ? {} : { create: wanted }),
    });
    const { facts } = store;
    const isOther =
      facts.blockBytes !== wanted.blockBytes ||
      facts.algorithm !== wanted.algorithm ||
      facts.hashBytes * 8 !== wanted.hashBits;
    if (isOther) {
      await store.close();
      throw new DeviceError(
        'permanent',
        `The block device ${device.device} holds a block store with other parameters than the pool ${device.poolName}. Remove the device and add it again with overwrite_file_system; what is on it is lost then.`,
      );
    }
    if (!device.hasStore) {
      await noteFigures(device.id, store);
      log.info('a block store was made on a block device', { device: device.device, store: facts.storeId });
    }
    return { store, users: 0, isFailed: false };
  };

  const noteFigures = async (id: number, store: StoreThread, isEmpty = false): Promise<void> => {
    const stats = await store.call('stats', null);
    await records.setFigures(id, {
      usedBytes: isEmpty ? 0 : stats.usedBytes,
      hashTableBytes: Math.max(1, stats.indexMemoryBytes + stats.indexFileBytes),
    });
  };

  /** What a store could not make durable while it is closed was told to whoever put it there. */
  const closeOne = async (id: number, kept: Open): Promise<void> => {
    stores.delete(id);
    try {
      await kept.store.close();
    } catch (error) {
      log.warn('a block store was not closed in order; its next opening takes longer', {
        device: kept.store.path,
        error,
      });
    }
  };

  const hold = (device: PoolDevice): Promise<HeldStore> =>
    inTurn(String(device.id), async () => {
      if (isClosed) throw new DeviceError('transient', 'The server is stopping.');
      const kept = stores.get(device.id) ?? (await open(device));
      stores.set(device.id, kept);
      kept.users += 1;
      let isHeld = true;
      return {
        device,
        store: kept.store,
        release: async (failed = false) => {
          if (!isHeld) return;
          isHeld = false;
          await inTurn(String(device.id), async () => {
            kept.users -= 1;
            kept.isFailed ||= failed;
            if (kept.isFailed && kept.users === 0 && stores.get(device.id) === kept) {
              await closeOne(device.id, kept);
            }
          });
        },
      };
    });

  return {
    /** Rejects with a DeviceError: `notFound` or `busy` for a device that cannot be had now, `corrupt` when no store is on it. */
    hold,
    noteFigures,

    /** The device is about to be removed; false when work goes on with it. */
    drop: (id: number): Promise<boolean> =>
      inTurn(String(id), async () => {
        const kept = stores.get(id);
        if (kept !== undefined && kept.users > 0) return false;
        if (kept !== undefined) await closeOne(id, kept);
        for (const end of ['', '.work', '.damaged']) await rm(`${indexFile(id)}${end}`, { force: true });
        return true;
      }),

    /** Saves and closes all; nothing can be held afterwards. */
    closeAll: async (): Promise<void> => {
      isClosed = true;
      await Promise.all(
        [...stores.keys()].map((id) =>
          inTurn(String(id), async () => {
            const kept = stores.get(id);
            if (kept !== undefined) await closeOne(id, kept);
          }),
        ),
      );
    },
  };
}
