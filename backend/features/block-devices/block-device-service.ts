import { realpath } from 'node:fs/promises';
import { isAbsolute, posix } from 'node:path';
import type {
  BlockDevice,
  BlockDeviceDraft,
  BlockDevicePatch,
} from '../../../contract/block-devices/block-device.ts';
import {
  BlockDevice as BlockDeviceRecord,
  defaultParallelWorkers,
} from '../../../contract/block-devices/block-device.ts';
import { type Db, type ListRequest, listRecords, type Page } from '../../db/index.ts';
import {
  type BlockInspection,
  blockDeviceSize,
  DeviceError,
  inspectBlockDevice,
  shareBytes,
  wipeSignatures,
} from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField, notFound, Refusal } from '../../platform/errors.ts';
import { createInTurn } from '../../platform/in-turn.ts';
import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import type { BlockPoolService } from '../block-pools/block-pool-service.ts';
import { distinctIds, refuseIfAny, requireAllFound } from '../bulk.ts';
import { unknownReference } from '../references.ts';
import { whyBlockDeviceStays, whyDeviceIsRefused, whyFileIsRefused } from './block-device-rules.ts';
import { createBlockDeviceStore, type StoredBlockDevice, type TargetPool } from './block-device-store.ts';

export interface BlockDeviceService {
  list(list: ListRequest): Promise<Page<BlockDevice>>;
  get(id: number): Promise<BlockDevice>;
  /** Writes nothing to the device but what `overwrite_file_system` removes from it. */
  create(draft: BlockDeviceDraft): Promise<{ readonly id: number }>;
  update(id: number, patch: BlockDevicePatch): Promise<BlockDevice>;
  /** All or nothing; what lies on the devices stays. */
  remove(ids: readonly number[]): Promise<{ readonly ids: number[] }>;
}

const fields = Object.keys(BlockDeviceRecord.shape) as (keyof BlockDevice)[];

export function createBlockDeviceService(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataDir: string;
  readonly announce: Announce;
  readonly blockPools: Pick<BlockPoolService, 'dropDevice'>;
}): BlockDeviceService {
  const store = createBlockDeviceStore(deps.db);
  const inTurn = createInTurn();

  const get = async (id: number): Promise<BlockDevice> => {
    const device = await store.get(id);
    if (!device) throw notFound('Block device', id);
    return toRecord(device);
  };
  const poolsChanged = () => deps.announce({ kind: 'pool', action: 'changed', id: null });

  const requirePool = async (name: string): Promise<TargetPool> => {
    const pool = await store.poolByName(name);
    if (!pool) throw unknownReference('pool', `pool named \`${name}\``);
    if (pool.type !== 'Block device') {
      throw invalidField('pool', `\`${name}\` is of type ${pool.type}; choose a pool of type Block device`);
    }
    if (pool.isLocal) return pool;
    throw invalidField(
      'pool',
      `\`${name}\` is on ${pool.mediaServer}, whose devices this server cannot reach`,
    );
  };

  /** The device as it is, when it may be used for `pool`. */
  const requireUsable = async (
    path: string,
    pool: TargetPool,
    overwrites: boolean,
  ): Promise<BlockInspection> => {
    for (const other of await store.pathsOn(pool.mediaServerId)) {
      if (await shareBytes(path, other)) {
        throw invalidField(
          'device',
          `is, or shares its bytes with, the block device ${other}; choose another one`,
        );
      }
    }
    const found = await inspect(path);
    const refused = whyDeviceIsRefused(found, overwrites);
    if (refused !== null) throw invalidField('device', refused);
    if (found.kind === 'file') {
      const storages = await Promise.all((await store.storagePathsOn(pool.mediaServerId)).map(withoutLinks));
      const misplaced = whyFileIsRefused(found.realPath, {
        storages,
        dataDir: await withoutLinks(deps.dataDir),
      });
      if (misplaced !== null) throw invalidField('device', misplaced);
    }
    return found;
  };

  const wipe = async (id: number, path: string, found: BlockInspection): Promise<void> => {
    const { signatures } = found;
    deps.log.warn('what lay on a block device is removed, as asked', { device: path, signatures });
    try {
      await wipeSignatures(path, found.sizeBytes);
    } catch (error) {
      await store.remove([id]);
      deps.log.error('a block device could not be prepared', { device: path, error });
      throw invalidField(
        'device',
        `could not be cleared of ${signatures.join(', ')}; is it in use meanwhile?`,
      );
    }
  };

  return {
    list: async (list) => listRecords(await Promise.all((await store.all()).map(toRecord)), list, fields),
    get,

    create: async (draft) => {
      const pool = await requirePool(draft.pool);
      if (!isAbsolute(draft.device))
        throw invalidField('device', 'must be an absolute path, like `/dev/sdb`');
      const path = posix.normalize(draft.device);
      // In turn: two calls that name one device differently must not both find it free.
      const id = await inTurn(String(pool.mediaServerId), async () => {
        const found = await requireUsable(path, pool, draft.overwrite_file_system);
        const added = await store.insert({
          device: path,
          isFile: found.kind === 'file',
          poolId: pool.id,
          mediaServerId: pool.mediaServerId,
          description: draft.description ?? null,
          parallelWorkers: defaultParallelWorkers,
          sizeBytes: found.sizeBytes,
          createdMs: deps.clock.now(),
        });
        if (found.signatures.length > 0) await wipe(added, path, found);
        if (found.kind === 'file') {
          deps.log.warn('a plain file serves as block device: slower, and only as safe as its file system', {
            device: path,
          });
        }
        return added;
      });
      poolsChanged();
      return { id };
    },

    update: async (id, patch) => {
      await get(id);
      const { description, parallel_workers: workers } = patch;
      await store.update(id, {
        description,
        parallelWorkers: workers === null ? defaultParallelWorkers : workers,
      });
      poolsChanged();
      return get(id);
    },

    remove: async (given) => {
      const ids = distinctIds(given);
      const closeStores = async (): Promise<void> => {
        for (const id of ids) {
          if (await deps.blockPools.dropDevice(id)) continue;
          throw new Refusal('object.inUse', {
            message: 'Nothing was removed: a block device is being cleaned or read; wait for the end.',
            errors: { ids: `block device ${id} is in use` },
          });
        }
      };
      refuseIfAny((await store.uses(ids)).map(whyBlockDeviceStays), 'object.inUse');
      await closeStores();
      await deps.db.transaction().execute(async (tx) => {
        const inside = createBlockDeviceStore(tx);
        const uses = await inside.uses(ids);
        requireAllFound(
          'Block device',
          ids,
          uses.map(({ id }) => id),
        );
        refuseIfAny(uses.map(whyBlockDeviceStays), 'object.inUse');
        await inside.remove(ids);
      });
      // What was opened again between the two looks is of no use any more.
      await closeStores();
      poolsChanged();
      return { ids: [...ids] };
    },
  };
}

async function inspect(path: string): Promise<BlockInspection> {
  try {
    return await inspectBlockDevice(path);
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    switch (error.kind) {
      case 'notFound':
        throw invalidField('device', 'does not exist on the media server; check the path');
      case 'permission':
        throw invalidField(
          'device',
          'cannot be opened by the backup server; give it the right to read and write',
        );
      default:
        throw invalidField('device', `cannot be used: ${error.message}`);
    }
  }
}

/** A folder that is not there holds no file. */
const withoutLinks = (folder: string): Promise<string> => realpath(folder).catch(() => folder);

async function toRecord(device: StoredBlockDevice): Promise<BlockDevice> {
  const size = device.isLocal ? await blockDeviceSize(device.device, device.isFile ? 'file' : 'block') : null;
  return {
    id: device.id,
    device: device.device,
    pool: device.pool,
    media_server: device.mediaServer,
    description: device.description,
    parallel_workers: device.parallelWorkers,
    size: size ?? device.sizeBytes,
    used: device.usedBytes,
    hash_table_size: device.hashTableBytes,
    status: size === null ? 'Offline' : 'Online',
  };
}
