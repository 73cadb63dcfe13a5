import type { ByteString } from '../../platform/byte-path.ts';
import { OTHER_SUBVOLUME_INODE, TOP_INODE } from './subvolume.ts';

/** Snapshots lie at the top of their subvolume under names that begin with this. */
export const SNAPSHOT_PREFIX = '.strongroom-snapshot-';

/** A snapshot that this server has made for a backup, or what is seen of it within another one: no data of anybody. */
export function isOwnSnapshot(name: ByteString, inode: bigint | number): boolean {
  if (!name.startsWith(SNAPSHOT_PREFIX)) return false;
  return BigInt(inode) === TOP_INODE || BigInt(inode) === OTHER_SUBVOLUME_INODE;
}
