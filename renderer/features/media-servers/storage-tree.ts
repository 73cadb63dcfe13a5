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
    const server = servers.find((one) => one.name === name) ?? null;
    return {
      id: `server/${server?.id ?? keyOf(name)}`,
      name,
      server,
      pools: [...poolNames].sort(byName).map((poolName) => {
        const pool = own.find((one) => one.pool_name === poolName) ?? null;
        return {
          id: `pool/${pool?.id ?? keyOf(name, poolName)}`,
          name: poolName,
          pool,
          places: here.filter(({ record }) => record.pool === poolName),
        };
      }),
    };
  });
}

/** Of what has no number: as short as an address wants it, however long the names, and no two names have the same. */
function keyOf(...names: readonly string[]): string {
  let one = 0xdeadbeef;
  let other = 0x41c6ce57;
  for (const char of JSON.stringify(names)) {
    const code = char.codePointAt(0) ?? 0;
    one = Math.imul(one ^ code, 2654435761);
    other = Math.imul(other ^ code, 1597334677);
  }
  return `named-${(one >>> 0).toString(36)}-${(other >>> 0).toString(36)}`;
}

export type Branch = ServerBranch | PoolBranch | { readonly place: Place };

/** The line with this id, also where it lies in something that is closed. */
export function findBranch(branches: readonly ServerBranch[], id: string): Branch | null {
  for (const server of branches) {
    if (server.id === id) return server;
    for (const pool of server.pools) {
      if (pool.id === id) return pool;
      const place = pool.places.find((one) => placeId(one) === id);
      if (place !== undefined) return { place };
    }
  }
  return null;
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
