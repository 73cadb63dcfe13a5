import fs from 'node:fs';
import { atCalls } from '../../platform/at-calls.ts';
import type { ByteString } from '../../platform/byte-path.ts';
import { errorCode } from '../../platform/native.ts';
import type { Extent } from '../archive/tar-parse.ts';
import { type ItemStat, isSameItem, isUnchanged, itemStat, nativeCalls } from './source-item.ts';

/** Files up to this size are read whole before anything is written, so that a change can be met by reading again. */
export const SMALL_FILE_BYTES = 1_048_576;
const MOST_READS = 3;

export class SkipItem extends Error {
  readonly code: string;
  constructor(code: string, reason: string) {
    super(reason);
    this.code = code;
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const SOURCE_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** Opens a regular file for reading. Never follows a link and never blocks on what took the file's place. */
export function openSource(call: ByteString): number {
  return atCalls().open(call, SOURCE_FLAGS, 0);
}

/** Refuses what is not the item that was `expected` under this name. */
export function statSource(fd: number, expected: ItemStat): ItemStat {
  const stat = itemStat(atCalls().lookAtOpen(fd));
  if (stat.type === 'f' && isSameItem(stat, expected)) return stat;
  throw new SkipItem('ESTALE', 'it was replaced by something else while it was read');
}

export interface SmallRead {
  readonly bytes: Buffer;
  readonly stat: ItemStat;
  readonly changed: boolean;
}

/**
 * A small file whole, read again when it changed meanwhile. Null when it has grown beyond the buffer: then it is
 * to be read into a larger one, or as a large file. After the last try what was read is kept and marked as changed.
 */
export function readSmall(fd: number, first: ItemStat, scratch: Buffer): SmallRead | null {
  let before = first;
  for (let attempt = 1; ; attempt += 1) {
    const length = readToEnd(fd, before.sizeBytes, scratch);
    if (length === scratch.length) return null;
    const after = statSource(fd, before);
    const isWhole = isUnchanged(before, after) && length === after.sizeBytes;
    if (isWhole || attempt === MOST_READS) {
      return { bytes: scratch.subarray(0, length), stat: after, changed: !isWhole };
    }
    before = after;
  }
}

/** A file that has just grown beyond the expected bytes is seen by the look at it afterwards. */
function readToEnd(fd: number, expected: number, scratch: Buffer): number {
  let length = 0;
  while (length < scratch.length) {
    const count = fs.readSync(fd, scratch, length, scratch.length - length, length);
    length += count;
    if (count === 0 || (length === expected && expected > 0)) break;
  }
  return length;
}

/** Room for a small file and one byte more, which tells that it has grown. */
export function smallScratch(): Buffer {
  return Buffer.alloc(SMALL_FILE_BYTES + 1);
}

/** Beyond this a map would be larger than what the holes save; such a file is kept as a plain one. */
const MOST_EXTENTS = 100_000;

/**
 * Where the data of a file with holes lie; null when it has none worth keeping, or the system cannot tell.
 */
export function findExtents(fd: number, stat: ItemStat): readonly Extent[] | null {
  const calls = nativeCalls();
  if (calls === null || stat.allocatedBytes >= stat.sizeBytes) return null;
  const extents: Extent[] = [];
  try {
    let at = 0;
    while (at < stat.sizeBytes) {
      const data = calls.seekData(fd, at);
      if (data === null || data >= stat.sizeBytes) break;
      const hole = Math.min(calls.seekHole(fd, data) ?? stat.sizeBytes, stat.sizeBytes);
      extents.push({ offset: data, length: hole - data });
      if (extents.length > MOST_EXTENTS) return null;
      at = hole;
    }
  } catch (error) {
    // A file system that does not know the question (EINVAL, EOPNOTSUPP) keeps its holes to itself.
    if (['EINVAL', 'EOPNOTSUPP', 'ENOTSUP'].includes(errorCode(error))) return null;
    throw error;
  }
  const [only] = extents;
  if (extents.length === 1 && only !== undefined && only.offset === 0 && only.length === stat.sizeBytes)
    return null;
  // The end of the file must be named, or readers would make it shorter than it is.
  const last = extents.at(-1);
  if (last === undefined || last.offset + last.length < stat.sizeBytes) {
    extents.push({ offset: stat.sizeBytes, length: 0 });
  }
  return extents;
}
