import type { Entry } from '../archive/entry.ts';
import { damagedList, isSafeName } from '../archive/manifest-lines.ts';
import type { UsualRow } from '../archive/usual-row.ts';
import type { ManifestFile } from './manifest-file.ts';
import { SegmentRows } from './segment-rows.ts';

/**
 * Rows of a manifest asked for in their order: each is decoded when it is asked for and kept until the next one. What
 * is decoded a segment at a time stays long enough to be copied by several collections of young objects, which for a
 * whole copy takes longer than the decoding.
 */
export class RowCursor {
  readonly #file: ManifestFile;
  #rows: SegmentRows | null = null;
  #last: Entry | null = null;

  constructor(file: ManifestFile) {
    this.#file = file;
  }

  /** Going back costs the decoding of the segment from its beginning. Throws `corrupt` when the row cannot be read. */
  entry(ordinal: number): Entry {
    if (this.#last?.ordinal === ordinal) return this.#last;
    const entry = this.#at(ordinal).next();
    if (!isSafeName(entry.name)) throw damagedList();
    this.#last = entry;
    return entry;
  }

  /** The row where it lies, valid until another call; null when it is to be asked for by `entry`. It is not passed by that. */
  usual(ordinal: number): UsualRow | null {
    return this.#last?.ordinal === ordinal ? null : this.#at(ordinal).usual();
  }

  /** The row that `usual` answered is done with. */
  pass(): void {
    this.#rows?.pass();
  }

  /** Of the segment where this row is the next one. */
  #at(ordinal: number): SegmentRows {
    let rows = this.#rows;
    if (rows === null || ordinal < rows.nextOrdinal || ordinal >= rows.info.first + rows.info.count) {
      rows = this.#open(ordinal);
    }
    while (rows.nextOrdinal < ordinal) {
      if (rows.usual() === null) rows.next();
      else rows.pass();
    }
    return rows;
  }

  #open(ordinal: number): SegmentRows {
    this.#last = null;
    this.#rows?.close();
    this.#rows = null;
    const segment = this.#file.segmentOf('rows', ordinal);
    if (segment === null) throw damagedList();
    this.#rows = new SegmentRows(this.#file, segment);
    return this.#rows;
  }
}
