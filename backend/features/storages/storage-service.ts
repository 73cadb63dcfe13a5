import { defaultPoolName } from '../../../contract/pools/pool.ts';
import type { Storage, StorageDraft, StoragePatch } from '../../../contract/storages/storage.ts';
import { Storage as StorageRecord } from '../../../contract/storages/storage.ts';
import { type Db, type ListRequest, listRecords, type Page } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { readDiskSpace } from '../../platform/disk-space.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import type { Announce } from '../announce.ts';
import { distinctIds, refuseIfAny, requireAllFound } from '../bulk.ts';
import { unknownReference } from '../references.ts';
import { prepareFolder, resolveExisting } from './storage-folder.ts';
import { normalisePath, whyPathIsRefused, whyStorageStays } from './storage-rules.ts';
import { createStorageStore, type StoredStorage } from './storage-store.ts';

export interface StorageService {
  list(list: ListRequest): Promise<Page<Storage>>;
  get(id: number): Promise<Storage>;
  /** Creates the folder when it is not there. */
  create(draft: StorageDraft): Promise<{ readonly id: number }>;
  update(id: number, patch: StoragePatch): Promise<Storage>;
  /** All or nothing; folders stay on the disk. */
  remove(ids: readonly number[]): Promise<{ readonly ids: number[] }>;
}

const fields = Object.keys(StorageRecord.shape) as (keyof Storage)[];

export function createStorageService(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly announce: Announce;
}): StorageService {
  const store = createStorageStore(deps.db);

  const get = async (id: number): Promise<Storage> => {
    const storage = await store.get(id);
    if (!storage) throw notFound('Storage', id);
    return toRecord(storage);
  };
  const requireFreePath = async (path: string, mediaServerId: number): Promise<void> => {
    const storages = await store.pathsOn(mediaServerId);
    const real = {
      storages: await Promise.all(storages.map(resolveExisting)),
      dataDir: await resolveExisting(deps.dataDir),
    };
    const refused =
      whyPathIsRefused(path, { storages, dataDir: deps.dataDir }) ??
      whyPathIsRefused(await resolveExisting(path), real);
    if (refused !== null) throw invalidField('path', refused);
  };
  const poolsChanged = () => deps.announce({ kind: 'pool', action: 'changed', id: null });

  return {
    list: async (list) => listRecords(await Promise.all((await store.all()).map(toRecord)), list, fields),
    get,

    create: async (draft) => {
      const poolName = draft.pool ?? defaultPoolName;
      const pool = await store.poolByName(poolName);
      if (!pool) throw unknownReference('pool', `pool named \`${poolName}\``);
      if (pool.type !== 'File system') {
        throw invalidField(
          'pool',
          `\`${poolName}\` is of type ${pool.type}; choose a pool of type File system`,
        );
      }
      const path = normalisePath(draft.path);
      await requireFreePath(path, pool.mediaServerId);
      const unusable = await prepareFolder(path);
      if (unusable !== null) throw invalidField('path', unusable);
      const storage = {
        path,
        poolId: pool.id,
        mediaServerId: pool.mediaServerId,
        description: draft.description ?? null,
        createdMs: deps.clock.now(),
      };
      const id = await deps.db.transaction().execute(async (tx) => {
        const inside = createStorageStore(tx);
        // The folder was looked at outside of the transaction: meanwhile another caller may have taken it.
        const paths = await inside.pathsOn(pool.mediaServerId);
        const refused = whyPathIsRefused(path, { storages: paths, dataDir: deps.dataDir });
        if (refused !== null) throw invalidField('path', refused);
        return inside.insert(storage);
      });
      poolsChanged();
      return { id };
    },

    update: async (id, patch) => {
      await get(id);
      if (patch.description !== undefined) await store.describe(id, patch.description);
      poolsChanged();
      return get(id);
    },

    remove: async (given) => {
      const ids = distinctIds(given);
      await deps.db.transaction().execute(async (tx) => {
        const inside = createStorageStore(tx);
        const uses = await inside.uses(ids);
        requireAllFound(
          'Storage',
          ids,
          uses.map(({ id }) => id),
        );
        refuseIfAny(uses.map(whyStorageStays), 'object.inUse');
        await inside.remove(ids);
      });
      poolsChanged();
      return { ids: [...ids] };
    },
  };
}

async function toRecord(storage: StoredStorage): Promise<Storage> {
  const space = await readDiskSpace(storage.path);
  return {
    id: storage.id,
    path: storage.path,
    pool: storage.pool,
    media_server: storage.mediaServer,
    description: storage.description,
    total_space: space?.totalBytes ?? 0,
    used_space: space?.usedBytes ?? 0,
    free_space: space?.freeBytes ?? 0,
    status: space ? 'Online' : 'Offline',
  };
}
