import type { BlockDevice } from '../../../contract/block-devices/block-device.ts';
import type { MediaServer } from '../../../contract/media-servers/media-server.ts';
import type { Pool } from '../../../contract/pools/pool.ts';
import type { Storage } from '../../../contract/storages/storage.ts';
import type { TapeLibrary } from '../../../contract/tape-libraries/tape-library.ts';

/** What copies lie on: a folder, a device with blocks, or a library. */
export type Place =
  | { readonly kind: 'folder'; readonly record: Storage }
  | { readonly kind: 'device'; readonly record: BlockDevice }
  | { readonly kind: 'library'; readonly record: TapeLibrary };

export interface PoolBranch {
  readonly id: string;
  readonly name: string;
  /** Null: only its storages tell of it. */
  readonly pool: Pool | null;
  readonly places: readonly Place[];
}

export interface ServerBranch {
  readonly id: string;
  readonly name: string;
  /** Null: only its pools tell of it. */
  readonly server: MediaServer | null;
  readonly pools: readonly PoolBranch[];
}

export interface StorageFacts {
  readonly servers: readonly MediaServer[];
  readonly pools: readonly Pool[];
  readonly places: readonly Place[];
}

/**
 * Media servers with their pools, and below these where the copies lie. Records name each other by name; what is named
 * and not listed (another right, another moment) has a branch all the same, so that nothing is left out. Pure.
 */
export function branchesOf({ servers, pools, places }: StorageFacts): readonly ServerBranch[] {
  const names = new Set([
    ...servers.map(({ name }) => name),
    ...pools.map((pool) => pool.media_server),
    ...places.map(({ record }) => record.media_server),
  ]);
  return [...names].sort(byName).map((name) => {
    const own = pools.filter((pool) => pool.media_server === name);
    const here = places.filter(({ record }) => record.media_server === name);
    const poolNames = new Set([
      ...own.map((pool) => pool.pool_name),
      ...here.map(({ record }) => record.pool),
    ]);
    return {
      id: `server/${name}`,
      name,
      server: servers.find((server) => server.name === name) ?? null,
      pools: [...poolNames].sort(byName).map((poolName) => ({
        id: `pool/${name}/${poolName}`,
        name: poolName,
        pool: own.find((pool) => pool.pool_name === poolName) ?? null,
        places: here.filter(({ record }) => record.pool === poolName),
      })),
    };
  });
}

export function placeId({ kind, record }: Place): string {
  return `${kind}/${record.id}`;
}

export function placeName(place: Place): string {
  switch (place.kind) {
    case 'folder':
      return place.record.path;
    case 'device':
      return place.record.device;
    case 'library':
      return `${place.record.vendor} ${place.record.model}`.trim();
  }
}

/** Bytes used and in all; null where the server does not tell. */
export function spaceOf(place: Place): { readonly used: number; readonly total: number } | null {
  switch (place.kind) {
    case 'folder':
      return { used: place.record.used_space, total: place.record.total_space };
    case 'device':
      return { used: place.record.used, total: place.record.size };
    case 'library':
      return null;
  }
}

const collator = new Intl.Collator(undefined, { numeric: true });
const byName = (a: string, b: string): number => collator.compare(a, b);
