import { crc32 } from 'node:zlib';
import type { Geometry } from './geometry.ts';
import type { Superblock } from './superblock.ts';

/** What every part that reads or writes the device needs to know of the store. */
export interface Layout {
  readonly geometry: Geometry;
  readonly hashBytes: number;
  /** All check sums begin with it, so that nothing of another store fits. */
  readonly seed: number;
}

export function layoutOf(superblock: Superblock): Layout {
  return {
    geometry: superblock.geometry,
    hashBytes: superblock.hashBytes,
    seed: crc32(superblock.uuid),
  };
}
