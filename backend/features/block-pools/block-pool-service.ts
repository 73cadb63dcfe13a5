import type { Db } from '../../db/index.ts';
import {
  type CleanResult,
  DeviceError,
  type EngineJob,
  listBlockCopies,
  readStoreId,
  type StoreThread,
  startCleaning,
} from '../../engine/index.ts';
import { messageOf } from '../../platform/errors.ts';
import { createInTurn } from '../../platform/in-turn.ts';
import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import { createBlockPoolStore, type PoolDevice } from './block-pool-store.ts';
import { chooseDevice } from './device-rules.ts';
import { createOpenStores, type HeldStore } from './open-stores.ts';

/** What keeps work from a pool's blocks; `waits` when that may pass by itself. */
export interface BlocksRefused {
  readonly kind: 'refused';
  readonly message: string;
  readonly waits: boolean;
}

/** The blocks of an existing copy, open for reading. */
export interface BlocksOfCopy {
  readonly kind: 'open';
  /** Null for a copy whose data lie in its own archive. */
  readonly store: StoreThread | null;
  readonly release: () => Promise<void>;
}

/** A device that takes the blocks of a new copy; what it was told is there stays until `end`. */
export interface BlocksForCopy {
  readonly kind: 'open';
  readonly store: StoreThread;
  readonly device: string;
  readonly parallelWorkers: number;
  /** All blocks are stored: the device's figures are read. Answers how many damaged blocks are whole again by it. */
  readonly noteStored: () => Promise<number>;
  /** The copy is in the catalogue. */
  readonly end: () => Promise<void>;
  /** There will be no copy. Answers whether the device was full. */
  readonly giveUp: (error: unknown) => Promise<boolean>;
}

export type BlockPoolService = ReturnType<typeof createBlockPoolService>;

/** Tasks whose full devices are remembered; it saves a vain attempt, so it may be forgotten. */
const mostShortages = 1_000;

/** Pools of block devices: which device a copy goes to, which one it is on, and the cleaning of unused blocks. */
export function createBlockPoolService(deps: {
  readonly db: Db;
  readonly log: Log;
  readonly dataDir: string;
  readonly announce: Announce;
}) {
  const { log } = deps;
  const records = createBlockPoolStore(deps.db);
  const stores = createOpenStores({ records, log, dataDir: deps.dataDir });
  const shortages = new Map<number, Set<number>>();
  let cleaning: EngineJob<CleanResult> | null = null;
  let isStopping = false;
  const inTurn = createInTurn();

  /** All devices of a pool that can be had, and why not for the others. */
  const holdAll = async (devices: readonly PoolDevice[]) => {
    const held: HeldStore[] = [];
    const failures: DeviceError[] = [];
    for (const device of devices) {
      try {
        held.push(await stores.hold(device));
      } catch (error) {
        if (!(error instanceof DeviceError)) throw error;
        log.warn('a block device cannot be used', { device: device.device, error });
        failures.push(error);
      }
    }
    return { held, failures };
  };

  const releaseAllBut = async (held: readonly HeldStore[], kept: HeldStore | null): Promise<void> => {
    for (const one of held) if (one !== kept) await one.release();
  };

  const refused = (message: string, failures: readonly DeviceError[]): BlocksRefused => {
    const waits = failures.some(({ kind }) => kind === 'notFound' || kind === 'busy' || kind === 'transient');
    const reasons = failures.map((failure) => failure.message).join(' ');
    return { kind: 'refused', message: `${message} ${reasons}`.trim(), waits };
  };

  const forCopy = (taskId: number, held: HeldStore, session: number): BlocksForCopy => {
    const { store, device } = held;
    let isOver = false;
    const finish = async (failed: boolean): Promise<void> => {
      if (isOver) return;
      isOver = true;
      try {
        await store.call('endSession', session);
      } catch (error) {
        // A store that was closed has ended its sessions itself.
        if (!(error instanceof DeviceError)) throw error;
        log.warn('a session of a block store was not ended', { device: device.device, error });
      } finally {
        await held.release(failed);
      }
    };
    return {
      kind: 'open',
      store,
      device: device.device,
      parallelWorkers: device.parallelWorkers,
      noteStored: async () => {
        await stores.noteFigures(device.id, store);
        const healed = await store.call('takeHealed', null);
        if (healed > 0) tellHealed(device, healed);
        return healed;
      },
      end: async () => {
        shortages.delete(taskId);
        await finish(false);
      },
      giveUp: async (error) => {
        if (isOver) return false;
        const isFull =
          error instanceof DeviceError && error.kind === 'noSpace' && (await isDeviceFull(store));
        if (isFull) noteShortage(taskId, device.id);
        await stores.noteFigures(device.id, store).catch(nullIfUnreadable);
        const isUsual = !(error instanceof DeviceError) || ['cancelled', 'noSpace'].includes(error.kind);
        await finish(!isUsual);
        return isFull;
      },
    };
  };

  const tellHealed = (device: PoolDevice, blocks: number): void => {
    log.info('damaged blocks were stored anew; copies that have them may be whole again: verify them', {
      pool: device.poolName,
      device: device.device,
      blocks,
    });
    deps.announce({ kind: 'pool', action: 'changed', id: device.poolId });
  };

  const isDeviceFull = async (store: StoreThread): Promise<boolean> =>
    (await store.call('stats', null)).freeBytes === 0;

  const noteShortage = (taskId: number, deviceId: number): void => {
    if (shortages.size >= mostShortages) shortages.clear();
    shortages.set(taskId, (shortages.get(taskId) ?? new Set()).add(deviceId));
  };

  /** All copies of the catalogue, and those that it does not know (any more): their blocks are theirs all the same. */
  const copyPaths = async (poolId: number): Promise<readonly string[]> => {
    const paths = new Set(await records.copyPaths(poolId));
    for (const storage of await records.metadataPaths(poolId)) {
      for (const name of await listBlockCopies(storage)) paths.add(`${storage}/${name}`);
    }
    return [...paths];
  };

  const cleanDevice = async (device: PoolDevice): Promise<void> => {
    const held = await stores.hold(device);
    let isFailed = true;
    try {
      cleaning = startCleaning({ store: held.store, copyPaths: () => copyPaths(device.poolId) });
      const result = await cleaning.result;
      isFailed = false;
      await stores.noteFigures(device.id, held.store, result.copies === 0);
      log.info('unused blocks were freed', { device: device.device, ...result });
      if (result.missingBlocks > 0 || result.damagedBlocks > 0) {
        log.warn('copies refer to blocks that are missing or damaged; verify the copies of the pool', {
          pool: device.poolName,
          device: device.device,
        });
      }
    } finally {
      cleaning = null;
      await held.release(isFailed && !isStopping);
    }
  };

  return {
    /**
     * A device for the blocks of a new copy; null for a pool of another type. `copyBefore`: folder of the newest copy of
     * the same resource, if there is one.
     */
    openForBackup: async (
      task: { readonly id: number; readonly poolId: number },
      copyBefore: string | null,
    ): Promise<BlocksForCopy | BlocksRefused | null> => {
      const pool = await records.blockPool(task.poolId);
      if (pool === null) return null;
      const devices = await records.ofPool(task.poolId);
      if (devices.length === 0) {
        return refused(`The pool ${pool.name} has no block device. Add a block device to it.`, []);
      }
      const { held, failures } = await holdAll(devices);
      const before = copyBefore === null ? null : await readStoreId(copyBefore).catch(nullIfUnreadable);
      const candidates = await Promise.all(
        held.map(async ({ device, store }) => ({
          id: device.id,
          freeBytes: (await store.call('stats', null)).freeBytes,
          hasCopyBefore: store.facts.storeId === before,
          wasTooSmall: shortages.get(task.id)?.has(device.id) ?? false,
        })),
      );
      const chosen = chooseDevice(candidates);
      const found = held.find(({ device }) => device.id === chosen?.id) ?? null;
      await releaseAllBut(held, found);
      if (found === null) return refused(`No block device of the pool ${pool.name} can be used.`, failures);
      return forCopy(task.id, found, await found.store.call('openSession', null));
    },

    /** The blocks of a copy in `copyPath`. A file list that cannot be read is no refusal: the work itself tells that. */
    openForCopy: async (copy: {
      readonly poolId: number | null;
      readonly copyPath: string;
    }): Promise<BlocksOfCopy | BlocksRefused> => {
      const none: BlocksOfCopy = { kind: 'open', store: null, release: async () => undefined };
      const pool = copy.poolId === null ? null : await records.blockPool(copy.poolId);
      if (pool === null || copy.poolId === null) return none;
      const storeId = await readStoreId(copy.copyPath).catch(nullIfUnreadable);
      if (storeId === null) return none;
      const { held, failures } = await holdAll(
        (await records.ofPool(copy.poolId)).filter(({ hasStore }) => hasStore),
      );
      const found = held.find(({ store }) => store.facts.storeId === storeId) ?? null;
      await releaseAllBut(held, found);
      if (found !== null) return { kind: 'open', store: found.store, release: () => found.release() };
      const message = `The block device that holds the data of this copy is not among those of the pool ${pool.name} that can be used. Put it back where it was.`;
      return refused(message, failures);
    },

    /** Frees the blocks that no copy needs, on every device. What fails on one device is logged and leaves the others. */
    clean: async (): Promise<void> => {
      for (const device of await records.all()) {
        if (isStopping) return;
        if (!device.hasStore) continue;
        try {
          await inTurn('file lists', () => cleanDevice(device));
        } catch (error) {
          if (isStopping) return;
          // Of a device that is gone for good: without a copy it may go from its pool.
          if ((await records.copyPaths(device.poolId)).length === 0) await records.setUnused(device.id);
          log.error('unused blocks could not be freed', {
            device: device.device,
            reason: messageOf(error),
            error,
          });
        }
      }
    },

    /** Runs work while no cleaning reads the file lists of copies. */
    withoutCleaning: <T>(work: () => Promise<T>): Promise<T> => inTurn('file lists', work),

    /** The device is about to leave its pool; false when work goes on with it. */
    dropDevice: stores.drop,

    /** Ends a cleaning that is under way. */
    stopCleaning: (): void => {
      isStopping = true;
      cleaning?.stop();
    },

    close: stores.closeAll,
  };
}

function nullIfUnreadable(error: unknown): null {
  if (error instanceof DeviceError) return null;
  throw error;
}
