import { stat } from 'node:fs/promises';
import { type ByteString, fsPath } from '../../platform/byte-path.ts';

/** The number of a subvolume's top folder, and of no other item of it. */
export const TOP_INODE = 256n;
/** A snapshot has an empty folder of this number wherever the subvolume has another subvolume in it. */
export const OTHER_SUBVOLUME_INODE = 2n;
/** statfs type (linux/magic.h). */
export const BTRFS = 0x9123683e;

const parentOf = (path: ByteString): ByteString => path.slice(0, Math.max(1, path.lastIndexOf('/')));

/**
 * The top folder of the btrfs subvolume that holds what lies at this path, which is real; null when it cannot be reached
 * from there, since only a part of the subvolume is mounted.
 */
export async function subvolumeOf(real: ByteString): Promise<ByteString | null> {
  const first = await stat(fsPath(real), { bigint: true });
  let folder = first.isDirectory() ? real : parentOf(real);
  for (;;) {
    const { dev, ino } = await stat(fsPath(folder), { bigint: true });
    if (dev !== first.dev) return null;
    if (ino === TOP_INODE) return folder;
    if (folder === '/') return null;
    folder = parentOf(folder);
  }
}
