import { DeviceError } from '../device-error.ts';
import type { BlockDeviceFile } from './block-device-file.ts';
import { PAGE_BYTES, roundUp, segmentStart } from './geometry.ts';
import type { Layout } from './layout.ts';
import { mostStoredBytes, type RecordFacts, recordBytes, writeRecord } from './record.ts';
import {
  encodeFooter,
  encodeSegmentHeader,
  entryBytes,
  footerBytes,
  footerSum,
  writeEntry,
} from './segment-format.ts';
import type { SegmentSummary } from './segment-reader.ts';

/**
 * Written at once, which stays in the cache of a core until then: the system copies it to the device's pages twice as fast as from memory.
 */
const BUFFER_BYTES = 524_288;
const FIRST_ENTRIES = 64;

/**
 * Appends records to one segment at a time. The order of writes is what makes a crash harmless: the header is durable before
 * the first record; records are durable before the footer; the footer before the next header. After `sync` the next record
 * begins in a new page, so nothing that was acknowledged is ever written again.
 */
export class SegmentWriter {
  readonly #device: BlockDeviceFile;
  readonly #layout: Layout;
  readonly #buffer: Buffer;
  #used = 0;
  #bufferOffset = 0;
  #entries: Buffer;
  #segment = -1;
  #sequence = 0;
  #count = 0;

  constructor(device: BlockDeviceFile, layout: Layout) {
    this.#device = device;
    this.#layout = layout;
    const mostBytes = recordBytes(layout.hashBytes, mostStoredBytes(layout.geometry.blockBytes));
    this.#buffer = Buffer.alloc(Math.max(BUFFER_BYTES, mostBytes));
    this.#entries = Buffer.alloc(FIRST_ENTRIES * entryBytes(layout.hashBytes));
  }

  /** -1 while there is none. */
  get segment(): number {
    return this.#segment;
  }

  get count(): number {
    return this.#count;
  }

  /** The entries written so far; valid until the next record. */
  get entries(): Buffer {
    return this.#entries.subarray(0, this.#count * entryBytes(this.#layout.hashBytes));
  }

  /** Begins a free segment. Nothing can be appended when this throws. */
  start(segment: number, sequence: number): void {
    this.#segment = -1;
    const { geometry, seed } = this.#layout;
    this.#device.write(
      encodeSegmentHeader({ state: 'used', sequence }, seed),
      segmentStart(geometry, segment),
    );
    this.#device.sync();
    this.resume(segment, { sequence, count: 0, entries: Buffer.alloc(0), endOffset: PAGE_BYTES });
  }

  /** Goes on in the segment that was written last before the store was closed or died. */
  resume(segment: number, summary: SegmentSummary): void {
    this.#segment = segment;
    this.#sequence = summary.sequence;
    this.#count = summary.count;
    this.#bufferOffset = roundUp(summary.endOffset, PAGE_BYTES);
    this.#used = 0;
    this.#reserveEntries(summary.count);
    summary.entries.copy(this.#entries, 0);
  }

  hasRoom(storedBytes: number): boolean {
    const { geometry, hashBytes } = this.#layout;
    if (this.#segment < 0 || this.#count >= geometry.recordsPerSegment) return false;
    // A page more, since a sync may move the next record to a new one.
    const end = this.#bufferOffset + this.#used + recordBytes(hashBytes, storedBytes) + PAGE_BYTES;
    return end + footerBytes(hashBytes, this.#count + 1) <= geometry.segmentBytes;
  }

  /** Gives the number of the record in the segment. When it throws, the record was not taken. */
  append(hash: Buffer, stored: Buffer, facts: Omit<RecordFacts, 'sequence'>): number {
    const { hashBytes, seed } = this.#layout;
    const length = recordBytes(hashBytes, facts.storedBytes);
    if (this.#used + length > this.#buffer.length) this.flush();
    const number = this.#count;
    this.#reserveEntries(number + 1);
    const offset = this.#bufferOffset + this.#used;
    // Property by property: to spread them takes as long as to write a small record.
    const { encoding, rawBytes, storedBytes } = facts;
    const record = { sequence: this.#sequence, encoding, rawBytes, storedBytes };
    writeRecord(this.#buffer, this.#used, seed, record, hash, stored);
    const entry = { offset, encoding, rawBytes, storedBytes };
    writeEntry(this.#entries, number * entryBytes(hashBytes), hash, entry);
    this.#used += length;
    this.#count = number + 1;
    return number;
  }

  /** Hands the buffer to the device. After an error the same bytes go to the same place at the next call. */
  flush(): void {
    if (this.#used === 0) return;
    const start = segmentStart(this.#layout.geometry, this.#segment);
    this.#device.write(this.#buffer.subarray(0, this.#used), start + this.#bufferOffset);
    this.#bufferOffset += this.#used;
    this.#used = 0;
  }

  sync(): void {
    this.flush();
    this.#device.sync();
    this.#bufferOffset = roundUp(this.#bufferOffset, PAGE_BYTES);
  }

  /**
   * Writes the footer, makes it durable and gives its sum. Records may follow; the footer is then written again later.
   */
  writeFooter(): number {
    if (this.#segment < 0) return 0;
    this.sync();
    const { geometry, seed } = this.#layout;
    const footer = encodeFooter(this.entries, this.#count, this.#sequence, seed);
    const end = segmentStart(geometry, this.#segment) + geometry.segmentBytes;
    this.#device.write(footer, end - footer.length);
    this.#device.sync();
    return footerSum(footer);
  }

  /** Whether the record at `offset` is still in the buffer only. */
  isBuffered(segment: number, offset: number): boolean {
    return segment === this.#segment && offset >= this.#bufferOffset;
  }

  #reserveEntries(count: number): void {
    const needed = count * entryBytes(this.#layout.hashBytes);
    if (needed <= this.#entries.length) return;
    const most = this.#layout.geometry.recordsPerSegment * entryBytes(this.#layout.hashBytes);
    if (needed > most) throw new DeviceError('corrupt', 'A segment of the block store has too many records.');
    const larger = Buffer.alloc(Math.min(most, Math.max(needed, this.#entries.length * 2)));
    this.#entries.copy(larger, 0);
    this.#entries = larger;
  }
}
