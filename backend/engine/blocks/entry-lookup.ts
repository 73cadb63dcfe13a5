import type { BlockDeviceFile } from './block-device-file.ts';
import type { BlockAddress } from './block-reader.ts';
import { segmentStart } from './geometry.ts';
import type { Place } from './hash-index.ts';
import type { Layout } from './layout.ts';
import type { BlockEncoding } from './record.ts';
import { ENTRY_HASH_AT, entryBytes, readEntry, TRAILER_BYTES } from './segment-format.ts';
import type { SegmentTable } from './segment-table.ts';
import type { SegmentWriter } from './segment-writer.ts';

/** Read at once for those who ask for one entry behind the other, as whoever names the blocks of an earlier copy again. */
const ENTRIES_AHEAD = 512;

/** Looks single entries up: in memory for the segment that is written now, in the footers of all others. */
export class EntryLookup {
  readonly #device: BlockDeviceFile;
  readonly #layout: Layout;
  readonly #table: SegmentTable;
  readonly #writer: SegmentWriter;
  /** What was read last, and of which records: of the segment with this sequence number, since it may be used again. */
  readonly #entries: Buffer;
  #sequence = -1;
  #first = 0;
  #held = 0;
  /** The place behind the one that was looked up last. */
  #expected: Place = -1;

  constructor(device: BlockDeviceFile, layout: Layout, table: SegmentTable, writer: SegmentWriter) {
    this.#device = device;
    this.#layout = layout;
    this.#table = table;
    this.#writer = writer;
    this.#entries = Buffer.alloc(ENTRIES_AHEAD * entryBytes(layout.hashBytes));
  }

  segmentOf(place: Place): number {
    return Math.floor(place / this.#layout.geometry.recordsPerSegment);
  }

  placeOf(segment: number, number: number): Place {
    return segment * this.#layout.geometry.recordsPerSegment + number;
  }

  /** Whether the hash at `at` of `hashes` is the one of the record at `place`. */
  isSame(hashes: Buffer, at: number, place: Place): boolean {
    const entry = this.#read(place);
    if (entry === null) return false;
    const { hashBytes } = this.#layout;
    for (let byte = 0; byte < hashBytes; byte += 1) {
      if (entry[ENTRY_HASH_AT + byte] !== hashes[at + byte]) return false;
    }
    return true;
  }

  address(place: Place): (BlockAddress & { readonly encoding: BlockEncoding }) | null {
    const entry = this.#read(place);
    if (entry === null) return null;
    // Property by property: to spread them takes longer than to find the entry.
    const { offset, storedBytes, rawBytes, encoding } = readEntry(entry, 0);
    const segment = this.segmentOf(place);
    const position = segmentStart(this.#layout.geometry, segment) + offset;
    return { position, sequence: this.#table.sequence(segment), storedBytes, rawBytes, encoding };
  }

  /** Valid until the next call. Null when there is no such record. */
  #read(place: Place): Buffer | null {
    const { geometry, hashBytes } = this.#layout;
    const segment = this.segmentOf(place);
    const number = place % geometry.recordsPerSegment;
    const count = this.#table.count(segment);
    if (!this.#table.isUsed(segment) || number >= count) return null;
    const size = entryBytes(hashBytes);
    if (segment === this.#writer.segment) {
      return this.#writer.entries.subarray(number * size, (number + 1) * size);
    }
    this.#bring(segment, number, place === this.#expected ? Math.min(ENTRIES_AHEAD, count - number) : 1);
    this.#expected = place + 1;
    const at = (number - this.#first) * size;
    return this.#entries.subarray(at, at + size);
  }

  /** A footer has been made anew. */
  forget(): void {
    this.#held = 0;
  }

  #bring(segment: number, number: number, wanted: number): void {
    const sequence = this.#table.sequence(segment);
    const isHeld = number >= this.#first && number < this.#first + this.#held;
    if (isHeld && sequence === this.#sequence) return;
    this.#held = 0;
    const { geometry, hashBytes } = this.#layout;
    const size = entryBytes(hashBytes);
    const end = segmentStart(geometry, segment) + geometry.segmentBytes - TRAILER_BYTES;
    const from = end - (this.#table.count(segment) - number) * size;
    this.#device.read(this.#entries.subarray(0, wanted * size), from);
    this.#sequence = sequence;
    this.#first = number;
    this.#held = wanted;
  }
}
