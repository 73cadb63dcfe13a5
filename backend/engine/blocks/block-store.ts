import { DeviceError } from '../device-error.ts';
import type { BlockDeviceFile } from './block-device-file.ts';
import type { BlockHash } from './block-hash.ts';
import { type BlockAddress, type BlockReading, blockReading } from './block-reader.ts';
import { DamagedBlocks } from './damaged-blocks.ts';
import { EntryLookup } from './entry-lookup.ts';
import { type HashIndex, type HashIndexOptions, NO_PLACE, type Place } from './hash-index.ts';
import { HashSearch } from './hash-search.ts';
import { saveIndexFile } from './index-file.ts';
import { type Layout, layoutOf } from './layout.ts';
import { LiveMarks } from './live-marks.ts';
import { loadIndex } from './load-index.ts';
import { type BlockEncoding, mostStoredBytes } from './record.ts';
import { repairFooter } from './repair-footer.ts';
import { readSegment, type SegmentSummary } from './segment-reader.ts';
import { SegmentTable, writeFreeHeader } from './segment-table.ts';
import { SegmentWriter } from './segment-writer.ts';
import type { Superblock } from './superblock.ts';

/** Free segments that only cleaning may use, so that a full store can still be cleaned. */
export const RESERVED_SEGMENTS = 2;

export interface BlockStoreStats {
  readonly blocks: number;
  readonly capacityBytes: number;
  /** Segments in use, whole. */
  readonly usedBytes: number;
  /** What new blocks may still take; without the reserve of cleaning. */
  readonly freeBytes: number;
  readonly indexMemoryBytes: number;
  readonly indexFileBytes: number;
}

export interface PutOptions {
  readonly encoding: BlockEncoding;
  readonly rawBytes: number;
}

/**
 * The writing side of a store: one thread of one process owns it. Everything is synchronous, so it belongs into a worker
 * thread; other threads read by `openBlockReader` with addresses that `locate` gives.
 */
export class BlockStore {
  readonly superblock: Superblock;
  readonly layout: Layout;
  readonly device: BlockDeviceFile;
  readonly table: SegmentTable;
  readonly writer: SegmentWriter;
  readonly lookup: EntryLookup;
  readonly hashOf: BlockHash;
  readonly reading: BlockReading;
  readonly index: HashIndex;
  readonly #damaged: DamagedBlocks;
  readonly #search: HashSearch;
  readonly #indexFile: string | null;
  /** Blocks that running work was told are there; cleaning keeps them. */
  readonly #touched: LiveMarks;
  #sessions = 0;
  constructor(
    device: BlockDeviceFile,
    superblock: Superblock,
    hashOf: BlockHash,
    indexFile: string | null,
    options: HashIndexOptions,
  ) {
    this.superblock = superblock;
    this.device = device;
    this.hashOf = hashOf;
    this.#indexFile = indexFile;
    this.layout = layoutOf(superblock);
    this.table = SegmentTable.read(device, this.layout);
    this.writer = new SegmentWriter(device, this.layout);
    this.lookup = new EntryLookup(device, this.layout, this.table, this.writer);
    this.reading = blockReading(device, this.layout, hashOf);
    this.#touched = new LiveMarks(this.layout.geometry.recordsPerSegment);
    this.#damaged = new DamagedBlocks(indexFile, superblock.uuid);
    this.index = loadIndex(this, options, indexFile);
    this.#search = new HashSearch(this.index, this.lookup, (segment) => repairFooter(this, segment));
  }

  /**
   * While any session is open, blocks that `has` or `put` said are there stay, whatever cleaning thinks of them. Open one
   * before a backup asks for the first time; call what it gives when the copy is in the catalogue, or given up.
   */
  openSession(): () => void {
    this.#sessions += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#sessions -= 1;
      if (this.#sessions === 0) this.#touched.clear();
    };
  }

  has(hashes: readonly Buffer[]): readonly boolean[] {
    return hashes.map((hash) => {
      const place = this.find(hash);
      this.#touch(place);
      return place !== NO_PLACE;
    });
  }

  /** As `has`, for hashes one behind the other: one flag for each, 1 = it is there. An object for each would take longer than the look. */
  hasEach(hashes: Buffer): Uint8Array {
    const { hashBytes } = this.layout;
    const flags = new Uint8Array(Math.floor(hashes.length / hashBytes));
    for (let index = 0; index < flags.length; index += 1) {
      const place = this.find(hashes, index * hashBytes);
      this.#touch(place);
      flags[index] = place === NO_PLACE ? 0 : 1;
    }
    return flags;
  }

  /**
   * Stores a block; false when it is there already. `hash` is trusted: prove it before when the bytes come from elsewhere.
   * It is durable after the next `sync`. Throws `noSpace` when the device is full; then nothing was taken, and what was put before is
   * still there.
   */
  put(hash: Buffer, stored: Buffer, options?: PutOptions): boolean {
    const rawBytes = options?.rawBytes ?? stored.length;
    const { blockBytes } = this.layout.geometry;
    const isTooLong = rawBytes > blockBytes || stored.length > mostStoredBytes(blockBytes);
    if (hash.length !== this.layout.hashBytes || isTooLong) {
      throw new DeviceError('permanent', 'The block or its hash has another length than those of the store.');
    }
    const known = this.find(hash);
    this.#touch(known);
    if (known !== NO_PLACE) return false;
    const facts = { encoding: options?.encoding ?? 'raw', rawBytes, storedBytes: stored.length };
    const place = this.append(hash, stored, facts, RESERVED_SEGMENTS);
    this.index.insert(hash, 0, place);
    this.#damaged.noteStored(hash);
    this.#touch(place);
    return true;
  }

  /** Writes a record whatever is there already, leaving `reserve` segments free. Of use to cleaning only. */
  append(hash: Buffer, stored: Buffer, facts: RecordParts, reserve: number): Place {
    if (!this.writer.hasRoom(stored.length)) this.startSegment(reserve);
    const number = this.writer.append(hash, stored, facts);
    const { segment } = this.writer;
    this.table.setCount(segment, number + 1);
    return this.lookup.placeOf(segment, number);
  }

  startSegment(reserve: number): void {
    const free = this.table.nextFree();
    if (this.table.freeCount <= reserve || free < 0) {
      const bytesNeeded = this.layout.geometry.segmentBytes;
      throw new DeviceError(
        'noSpace',
        `${this.device.path}: the block store is full; at least ${bytesNeeded} bytes must become free.`,
        { bytesNeeded },
      );
    }
    this.#writeFooter();
    const sequence = this.table.nextSequence();
    this.writer.start(free, sequence);
    this.table.use(free, sequence);
  }

  /** Where the block with the hash at `at` of `hashes` lies, for a reader in another thread; null when it is not there. */
  locate(hashes: Buffer, at = 0): BlockAddress | null {
    const place = this.find(hashes, at);
    const address = place === NO_PLACE ? null : this.lookup.address(place);
    if (address === null) return null;
    // A reader sees only what the device was given.
    if (this.writer.isBuffered(this.lookup.segmentOf(place), this.#offsetOf(address))) this.writer.flush();
    return address;
  }

  /**
   * The bytes of the block, proved by their hash. Throws `notFound`, or `corrupt` for a damaged block; that one is unknown
   * from then on, so that the next backup sends it again.
   */
  get(hash: Buffer): Buffer {
    try {
      return this.reading.block(hash, this.#addressOf(hash));
    } catch (error) {
      if (!isCorrupt(error) || this.forget(hash)) throw error;
      return this.reading.block(hash, this.#addressOf(hash));
    }
  }

  /** Throws as `get`. Of a sealed block its check sum is proved, since only its client can open it. */
  prove(hash: Buffer): void {
    if (this.#isGood(hash) || !this.forget(hash)) return;
    const text = hash.toString('hex');
    throw new DeviceError('corrupt', `${this.device.path}: the block ${text} is damaged.`);
  }

  /**
   * Makes a block unknown whose bytes turned out to be damaged. False when it is good: then only the footer that says where it
   * lies was damaged, and is whole again. `isSure`: of a sealed block its client knows better.
   */
  forget(hash: Buffer, isSure = false): boolean {
    const place = this.find(hash);
    if (place === NO_PLACE) return true;
    repairFooter(this, this.lookup.segmentOf(place));
    if (!isSure && this.#isGood(hash)) return false;
    this.index.remove(hash, 0, place);
    this.#damaged.add(hash);
    return true;
  }

  /** How many blocks that were found damaged have been stored anew, since this was asked last. */
  takeHealed(): number {
    return this.#damaged.takeHealed();
  }

  /** What was put before is on the device when this returns. */
  sync(): void {
    this.writer.sync();
  }

  stats(): BlockStoreStats {
    const { segmentBytes } = this.layout.geometry;
    const free = this.table.freeCount;
    return {
      blocks: this.index.size,
      capacityBytes: this.table.size * segmentBytes,
      usedBytes: (this.table.size - free) * segmentBytes,
      freeBytes: Math.max(0, free - RESERVED_SEGMENTS) * segmentBytes,
      indexMemoryBytes: this.index.memoryBytes,
      indexFileBytes: this.index.fileBytes,
    };
  }

  /** Makes everything durable and the next opening quick. Without it the store is as good, only opened more slowly. */
  close(): void {
    try {
      this.#saveIndex();
    } finally {
      this.index.close();
      this.device.close();
    }
  }

  #saveIndex(): void {
    this.#writeFooter();
    this.#damaged.save();
    if (this.#indexFile === null) return;
    saveIndexFile(this.#indexFile, this.superblock, this.table, this.index);
  }

  /** The hash at `at` of `hashes`. */
  find(hashes: Buffer, at = 0): Place {
    return this.#search.find(hashes, at);
  }

  /** All entries of a segment, by their numbers. */
  recordsOf(segment: number): Pick<SegmentSummary, 'entries' | 'count'> {
    if (segment === this.writer.segment) {
      return { entries: Buffer.from(this.writer.entries), count: this.writer.count };
    }
    repairFooter(this, segment);
    return readSegment(this.device, this.layout, segment, this.table.sequence(segment), false);
  }

  isTouched(place: Place): boolean {
    return this.#touched.has(place);
  }

  /** Makes a segment free whose live blocks are durable elsewhere. */
  release(segment: number): void {
    writeFreeHeader(this.device, this.layout, segment, this.table.sequence(segment));
    this.table.release(segment);
    this.#touched.dropSegment(segment);
  }

  /** Puts a block's copy in the place of the block itself. */
  move(hash: Buffer, stored: Buffer, facts: RecordParts, from: Place): Place {
    const place = this.append(hash, stored, facts, 0);
    this.index.remove(hash, 0, from);
    this.index.insert(hash, 0, place);
    if (this.isTouched(from)) this.#touched.add(place);
    return place;
  }

  #writeFooter(): void {
    const { segment } = this.writer;
    if (segment >= 0) this.table.setFooterSum(segment, this.writer.writeFooter());
  }

  #touch(place: Place): void {
    if (this.#sessions > 0 && place !== NO_PLACE) this.#touched.add(place);
  }

  #isGood(hash: Buffer): boolean {
    const address = this.locate(hash);
    if (address === null) return false;
    try {
      this.reading.prove(hash, address);
      return true;
    } catch (error) {
      if (isCorrupt(error)) return false;
      throw error;
    }
  }

  #addressOf(hash: Buffer): BlockAddress {
    const address = this.locate(hash);
    if (address !== null) return address;
    const text = hash.toString('hex');
    throw new DeviceError('notFound', `${this.device.path}: the block ${text} is not in the store.`);
  }

  #offsetOf(address: BlockAddress): number {
    return (address.position - this.layout.geometry.dataStart) % this.layout.geometry.segmentBytes;
  }
}

interface RecordParts {
  readonly encoding: BlockEncoding;
  readonly rawBytes: number;
  readonly storedBytes: number;
}

function isCorrupt(error: unknown): boolean {
  return error instanceof DeviceError && error.kind === 'corrupt';
}
