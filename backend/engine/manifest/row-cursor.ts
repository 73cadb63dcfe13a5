import type { Entry } from '../archive/entry.ts';
import { isSafeName, type SegmentInfo } from '../archive/manifest-format.ts';
import { damaged } from './manifest-file.ts';
import { isBlock, type ManifestReader, type RowStep } from './manifest-reader.ts';

/**
 * Rows of a manifest asked for in their order: each is decoded when it is asked for and kept until the next one. What
 * is decoded a segment at a time stays long enough to be copied by several collections of young objects, which for a
 * whole copy takes longer than the decoding.
 */
export class RowCursor {
  readonly #reader: ManifestReader;
  #segment: SegmentInfo | null = null;
  #steps: Iterator<RowStep> | null = null;
  #last: Entry | null = null;

  constructor(reader: ManifestReader) {
    this.#reader = reader;
  }

  /** Going back costs the decoding of the segment from its beginning. Throws `corrupt` when the row cannot be read. */
  entry(ordinal: number): Entry {
    if (this.#last?.ordinal === ordinal) return this.#last;
    const segment = this.#segment;
    const isAhead = ordinal > (this.#last?.ordinal ?? Number.MAX_SAFE_INTEGER);
    const isInSegment = segment !== null && ordinal < segment.first + segment.count;
    if (!(isAhead && isInSegment)) this.#open(ordinal);
    let entry: Entry;
    do entry = this.#next();
    while (entry.ordinal < ordinal);
    if (!isSafeName(entry.name)) throw damaged();
    this.#last = entry;
    return entry;
  }

  #open(ordinal: number): void {
    this.#last = null;
    this.#segment = this.#reader.file.segmentOf('rows', ordinal);
    if (this.#segment === null) throw damaged();
    this.#steps = this.#reader.decode(this.#segment);
  }

  #next(): Entry {
    for (;;) {
      const step = this.#steps?.next();
      if (step === undefined || step.done) throw damaged();
      if (!isBlock(step.value)) return step.value;
    }
  }
}
