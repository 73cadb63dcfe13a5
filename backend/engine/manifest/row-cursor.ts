import type { Entry } from '../archive/entry.ts';
import {
  decodeBlock,
  isSafeName,
  parseLine,
  RowCodec,
  type SegmentInfo,
} from '../archive/manifest-format.ts';
import { damaged, type ManifestFile } from './manifest-file.ts';

/**
 * Rows of a manifest asked for in their order: each is decoded when it is asked for and kept until the next one. What
 * is decoded a segment at a time stays long enough to be copied by several collections of young objects, which for a
 * whole copy takes longer than the decoding.
 */
export class RowCursor {
  readonly #file: ManifestFile;
  readonly #codec: RowCodec;
  #segment: SegmentInfo | null = null;
  #text = '';
  #at = 0;
  #folderId: number | null = null;
  #next = 0;
  #last: Entry | null = null;

  constructor(file: ManifestFile) {
    this.#file = file;
    this.#codec = new RowCodec(file.header);
  }

  /** Going back costs the decoding of the segment from its beginning. Throws `corrupt` when the row cannot be read. */
  entry(ordinal: number): Entry {
    if (this.#last?.ordinal === ordinal) return this.#last;
    const segment = this.#segment;
    const isAhead = segment !== null && ordinal >= this.#next && ordinal < segment.first + segment.count;
    if (!isAhead) this.#open(ordinal);
    let entry: Entry;
    do entry = this.#decodeNext();
    while (entry.ordinal < ordinal);
    if (!isSafeName(entry.name)) throw damaged();
    this.#last = entry;
    return entry;
  }

  #open(ordinal: number): void {
    this.#last = null;
    this.#segment = null;
    const segment = this.#file.segmentOf('rows', ordinal);
    if (segment === null) throw damaged();
    this.#text = this.#file.text(segment);
    this.#segment = segment;
    this.#at = 0;
    this.#folderId = null;
    this.#next = segment.first;
    this.#codec.reset();
  }

  #decodeNext(): Entry {
    for (;;) {
      const end = this.#text.indexOf('\n', this.#at);
      if (end < 0) throw damaged();
      const line = parseLine(this.#text.slice(this.#at, end));
      this.#at = end + 1;
      const block = decodeBlock(line);
      if (block === null) {
        if (this.#folderId === null) throw damaged();
        const entry = this.#codec.decode(line, this.#next, this.#folderId);
        this.#next += 1;
        return entry;
      }
      this.#folderId = block.folderId;
    }
  }
}
