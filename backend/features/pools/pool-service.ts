import type {
  Pool,
  PoolDestination,
  PoolDraft,
  PoolPatch,
  PoolsRemoved,
  PoolType,
} from '../../../contract/pools/pool.ts';
import { Pool as PoolRecord, poolTypes } from '../../../contract/pools/pool.ts';
import type { FieldErrors } from '../../../contract/problem.ts';
import { type Db, type ListRequest, listRecords, type Page } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { type DiskSpace, readDiskSpace } from '../../platform/disk-space.ts';
import { notFound, Refusal } from '../../platform/errors.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import type { Announce } from '../announce.ts';
import { distinctIds, requireAllFound } from '../bulk.ts';
import { normaliseDuration } from '../duration.ts';
import { requireFreeName } from '../free-name.ts';
import { knownSetName } from '../media-set-names-store.ts';
import { namedNotFound, unknownReference } from '../references.ts';
import {
  blockParametersOf,
  compressionOf,
  destinationsFor,
  type FittingValues,
  fitParameters,
  isDefaultPool,
  readPoolType,
  whyNoMetadataPool,
  whyPoolStays,
} from './pool-rules.ts';
import { type BlockSpace, createPoolStore, type PoolStore, type StoredPool } from './pool-store.ts';

export interface PoolService {
  list(list: ListRequest): Promise<Page<Pool>>;
  get(id: number): Promise<Pool>;
  create(draft: PoolDraft): Promise<{ readonly id: number }>;
  update(id: number, patch: PoolPatch): Promise<Pool>;
  /** 404 for an unknown id and nothing removed; otherwise each pool goes or stays on its own. */
  remove(ids: readonly number[]): Promise<PoolsRemoved>;
  destinations(poolName: string, action: 'copy' | 'move'): Promise<PoolDestination[]>;
}

const fields = Object.keys(PoolRecord.shape) as (keyof Pool)[];

export function createPoolService(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly announce: Announce;
}): PoolService {
  const store = createPoolStore(deps.db);

  const withSpace = async (pools: readonly StoredPool[]): Promise<readonly Pool[]> => {
    const [paths, devices, withLibrary] = await Promise.all([
      store.storagePaths(),
      store.blockDevices(),
      store.withLibrary(),
    ]);
    return Promise.all(
      pools.map(async (pool) =>
        toRecord(pool, {
          folders: await Promise.all((paths.get(pool.id) ?? []).map(readDiskSpace)),
          devices: devices.get(pool.id) ?? [],
          hasLibrary: withLibrary.has(pool.id),
        }),
      ),
    );
  };
  const load = async (id: number): Promise<StoredPool> => {
    const pool = await store.get(id);
    if (!pool) throw notFound('Pool', id);
    return pool;
  };
  const get = async (id: number): Promise<Pool> => {
    const [record] = await withSpace([await load(id)]);
    if (!record) throw notFound('Pool', id);
    return record;
  };
  const requireFree = (inside: PoolStore, name: string, own: number | null): Promise<void> =>
    requireFreeName(inside, { what: 'pool', field: 'pool_name', name, own });

  /** The pool that keeps the metadata of a block device pool; it cannot do without one. */
  const metadataPool = async (name: unknown, mediaServerId: number): Promise<number> => {
    if (typeof name !== 'string') {
      throw refusedFields({ meta_data_pool: 'is required for a pool of type `Block device`' });
    }
    const found = await store.byName(name);
    if (!found) throw unknownReference('meta_data_pool', `pool named \`${name}\``);
    const reason = whyNoMetadataPool(found, mediaServerId);
    if (reason !== null) throw refusedFields({ meta_data_pool: reason });
    return found.id;
  };

  return {
    list: async (list) => listRecords(await withSpace(await store.all()), list, fields),
    get,

    create: async (draft) => {
      const type = requireType(draft.pool_type);
      const values = requireFitting(type, draft);
      const mediaServerId = await store.mediaServerIdByName(draft.media_server);
      if (mediaServerId === null) {
        throw unknownReference('media_server', `media server named \`${draft.media_server}\``);
      }
      const block = blockParametersOf(type, values);
      if (!block.ok) throw refusedFields(block.errors);
      const metaDataPoolId =
        type === 'Block device' ? await metadataPool(values.meta_data_pool, mediaServerId) : null;
      const pool = {
        name: draft.pool_name,
        type,
        mediaServerId,
        compression: compressionOf(type, values),
        description: draft.description ?? null,
        retentionPeriod: draft.retention_period ? normaliseDuration(draft.retention_period) : null,
        ignoresFreeSpace: draft.ignore_free_space_check ?? false,
        metaDataPoolId,
        block: block.block,
        mediaSet: (await setNameOf(deps.db, values)) ?? null,
        takesScratch: scratchOf(values) ?? false,
        createdMs: deps.clock.now(),
      };
      // Name and row in one step: of two callers with the same name one is told that it is taken.
      const id = await deps.db.transaction().execute(async (tx) => {
        const inside = createPoolStore(tx);
        await requireFree(inside, pool.name, null);
        return inside.insert(pool);
      });
      deps.announce({ kind: 'pool', action: 'created', id });
      return { id };
    },

    update: async (id, patch) => {
      const pool = await load(id);
      const type = poolTypes.find((known) => known === pool.type) ?? 'File system';
      const values = requireFitting(type, patch);
      if (patch.pool_name !== undefined && patch.pool_name !== pool.name) {
        if (isDefaultPool(pool)) {
          throw new Refusal('object.protected', {
            message: `The pool ${pool.name} always exists under this name.`,
            errors: { pool_name: 'cannot be changed: storages come into this pool unless told otherwise' },
          });
        }
      }
      const { retention_period: retention, ignore_free_space_check: ignores } = patch;
      const metaDataPoolId =
        values.meta_data_pool === undefined
          ? undefined
          : await metadataPool(values.meta_data_pool, pool.mediaServerId);
      const change = {
        metaDataPoolId,
        name: patch.pool_name,
        compression: 'compression_type' in values ? compressionOf(type, values) : undefined,
        description: patch.description,
        retentionPeriod: retention ? normaliseDuration(retention) : retention,
        ignoresFreeSpace: ignores === null ? false : ignores,
        mediaSet: await setNameOf(deps.db, values),
        takesScratch: scratchOf(values),
      };
      await deps.db.transaction().execute(async (tx) => {
        const inside = createPoolStore(tx);
        if (patch.pool_name !== undefined) await requireFree(inside, patch.pool_name, id);
        await inside.update(id, change);
        const isMoveAsked = type === 'Block device' && values.move_old_metadata === true;
        if (isMoveAsked || metaDataPoolId !== undefined) {
          await inside.wishMetadataMove(id, isMoveAsked ? deps.clock.now() : null);
        }
      });
      deps.announce({ kind: 'pool', action: 'changed', id });
      return get(id);
    },

    remove: async (given) => {
      const ids = distinctIds(given);
      const outcome = await deps.db.transaction().execute(async (tx) => {
        const inside = createPoolStore(tx);
        const found = await inside.uses(ids);
        requireAllFound(
          'Pool',
          ids,
          found.map(({ id }) => id),
        );
        const removed: number[] = [];
        const failed: { id: number; reason: string }[] = [];
        for (const id of ids) {
          // Looked up again for each: the removal of one pool may free another.
          const [use] = await inside.uses([id]);
          const reason = use ? whyPoolStays(use) : null;
          if (reason === null) {
            await inside.remove(id);
            removed.push(id);
          } else failed.push({ id, reason });
        }
        return { removed, failed };
      });
      for (const id of outcome.removed) deps.announce({ kind: 'pool', action: 'removed', id });
      return outcome;
    },

    destinations: async (poolName, action) => {
      const source = await store.byName(poolName);
      if (!source) {
        throw namedNotFound('pool_name', `pool named ${poolName}`);
      }
      const pools = await withSpace(await store.all());
      return destinationsFor(source, pools, action).map(
        ({ id, pool_name, pool_type, media_server, free_space }) => ({
          id,
          pool_name,
          pool_type,
          media_server,
          free_space,
        }),
      );
    },
  };
}

/** Undefined: nothing was said of it. */
async function setNameOf(
  db: Db,
  { media_set_name: name }: FittingValues,
): Promise<string | null | undefined> {
  if (name === undefined) return undefined;
  return typeof name === 'string' ? knownSetName(db, name) : null;
}

const scratchOf = ({ takes_scratch: takes }: FittingValues): boolean | undefined =>
  takes === undefined ? undefined : takes === true;

function requireType(text: string): PoolType {
  const answer = readPoolType(text);
  if (answer.ok) return answer.type;
  throw refusedFields({ pool_type: answer.reason });
}

function requireFitting(type: PoolType, given: FittingValues): FittingValues {
  const fitted = fitParameters(type, given);
  if (fitted.ok) return fitted.values;
  throw refusedFields(fitted.errors);
}

function refusedFields(errors: FieldErrors): Refusal {
  const [field, reason] = Object.entries(errors)[0] ?? ['', ''];
  return new Refusal('request.invalid', { message: `${field} ${reason}.`, errors });
}

/** What a pool consists of. The space of tapes is unknown until they are written, so a library has none. */
interface PoolParts {
  /** Space of the folders; null for one that cannot be reached. */
  readonly folders: readonly (DiskSpace | null)[];
  readonly devices: readonly BlockSpace[];
  readonly hasLibrary: boolean;
}

/** Storages on the same file system share their space, so it counts once. */
function toRecord(pool: StoredPool, parts: PoolParts): Pool {
  const distinct = new Map(parts.folders.flatMap((space) => (space ? [[space.device, space] as const] : [])));
  const devices = parts.devices.map((device) => ({
    ...device,
    freeBytes: Math.max(0, device.totalBytes - device.usedBytes),
  }));
  const sum = (of: (space: Omit<DiskSpace, 'device'>) => number): number =>
    [...distinct.values(), ...devices].reduce((total, space) => total + of(space), 0);
  return {
    id: pool.id,
    pool_name: pool.name,
    pool_type: pool.type,
    media_server: pool.mediaServer,
    compression_type: pool.compression,
    description: pool.description,
    retention_period: pool.retentionPeriod,
    ignore_free_space_check: pool.ignoresFreeSpace,
    meta_data_pool: pool.metaDataPool,
    algorithm: pool.algorithm,
    block_size: pool.blockSizeBytes,
    hash_length: pool.hashLengthBits,
    media_set_name: pool.mediaSet,
    takes_scratch: pool.takesScratch,
    total_space: sum((space) => space.totalBytes),
    used_space: sum((space) => space.usedBytes),
    free_space: sum((space) => space.freeBytes),
    storages_count: parts.folders.length + parts.devices.length + (parts.hasLibrary ? 1 : 0),
    backups_count: pool.copies,
    created: toWireTime(pool.createdMs),
  };
}
