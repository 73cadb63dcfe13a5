import fs from 'node:fs';
import type { Entry } from '../archive/entry.ts';
import { ContentHash } from '../archive/hash.ts';
import { type Extent, sparseMap } from '../archive/tar-parse.ts';
import type { Control } from '../job/control.ts';
import type { SmallRead } from './file-source.ts';
import { type ItemStat, isUnchanged, type Xattr } from './source-item.ts';

const CHUNK_BYTES = 1_048_576;
/** Attributes beyond this do not fit into a row; the file is stored again with them. */
const MOST_INLINE_BYTES = 32_768;

/** Tells whether a file that was touched still has the content that an earlier copy holds. */
export class ContentMatch {
  readonly #control: Control;
  readonly #hash = new ContentHash();
  #chunk: Buffer | null = null;

  constructor(control: Control) {
    this.#control = control;
  }

  isSmallSame(read: SmallRead, old: Entry): boolean {
    const { bytes } = read;
    if (read.changed || old.sparse || old.storedBytes !== bytes.length) return false;
    return bytes.length === 0 || this.#hash.of(bytes) === old.hash;
  }

  /**
   * Reads a large file, or one with holes, whole. Only where the modification time says that it is worth it: else it
   * would be read twice for nothing.
   */
  isLargeSame(
    fd: number,
    stat: ItemStat,
    extents: readonly Extent[] | null,
    old: Entry,
    look: () => ItemStat,
  ): boolean {
    if (old.mtimeNs !== stat.mtimeNs || old.sizeBytes !== stat.sizeBytes) return false;
    if (old.sparse !== (extents !== null)) return false;
    this.#hash.start();
    if (extents !== null) this.#hash.update(sparseMap(extents));
    for (const part of extents ?? [{ offset: 0, length: stat.sizeBytes }]) {
      if (!this.#read(fd, part)) return false;
    }
    return this.#hash.digest() === old.hash && isUnchanged(stat, look());
  }

  #read(fd: number, part: Extent): boolean {
    this.#chunk ??= Buffer.alloc(CHUNK_BYTES);
    for (let done = 0; done < part.length; ) {
      this.#control.check();
      const wanted = Math.min(CHUNK_BYTES, part.length - done);
      const count = fs.readSync(fd, this.#chunk, 0, wanted, part.offset + done);
      if (count === 0) return false;
      this.#hash.update(this.#chunk.subarray(0, count));
      done += count;
    }
    return true;
  }
}

/** May be a row's own: only then the content alone can be taken from elsewhere. */
export function fitInRow(xattrs: readonly Xattr[]): boolean {
  return xattrs.reduce((sum, { name, value }) => sum + name.length + value.length, 0) <= MOST_INLINE_BYTES;
}

/** Same size and whole then; whether the content is the same is still to be seen. */
export function isCandidate(old: Entry | null, stat: ItemStat): old is Entry {
  return old !== null && !old.changed && old.sizeBytes === stat.sizeBytes;
}
