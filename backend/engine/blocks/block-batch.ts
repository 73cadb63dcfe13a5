import { copyBytes } from '../../platform/copy-bytes.ts';
import { KIND_BLOCKS } from '../archive/stream.ts';
import type { Slot } from '../job/ring.ts';
import { BLOCK_ENCODINGS, type BlockEncoding, mostStoredBytes } from './record.ts';

/** Blocks that are asked for by one question and passed on by one step. */
const MOST_BLOCKS = 256;
/** With the entries less than any slot has, which takes a segment of a file list too. */
const BATCH_BYTES = 917_504;

/** Each block has an entry at the beginning of the slot: three numbers, how it is encoded, what became of it, its hash. */
const ENTRY_BYTES = 80;
const RAW_LENGTH = 4;
const LENGTH = 8;
const ENCODING = 12;
const STATE = 13;
const HASH_LENGTH = 14;
const HASH = 16;
const HEAD_BYTES = MOST_BLOCKS * ENTRY_BYTES;

const TO_ENCODE = 0;
const IS_NEW = 1;
const IS_KNOWN = 2;
/** Many known blocks: their lines in the table of frames stand in place of a block, and in place of the hash their number and their bytes. */
const IS_RUN = 3;
const RUN_COUNT = HASH;
const RUN_RAW_LENGTH = HASH + 8;
/** What a slot's figure for its bytes takes with room to spare. */
const MOST_RAW_BYTES = 1_073_741_824;

/**
 * Several blocks in one slot of a ring. Most are a small file or its header, and a step of the ring and a question to the
 * store take longer than the work on one of them.
 */
export class BlockBatch {
  readonly #slot: Slot;
  readonly #bytes: Buffer;

  private constructor(slot: Slot) {
    this.#slot = slot;
    this.#bytes = slot.bytes;
  }

  /** Empty; `first`: the number of the frame that its first block will be. */
  static begin(slot: Slot, first: number): BlockBatch {
    slot.kind = KIND_BLOCKS;
    slot.first = first;
    slot.second = 0;
    slot.rawLength = 0;
    slot.length = HEAD_BYTES;
    slot.hash = '';
    return new BlockBatch(slot);
  }

  /** What lies in a slot of the kind `KIND_BLOCKS`. */
  static of(slot: Slot): BlockBatch {
    return new BlockBatch(slot);
  }

  get count(): number {
    return this.#slot.second;
  }

  /** For a block of so many bytes, 0 for a known one. The first fits in any case. */
  hasRoom(bytes: number): boolean {
    const { second: count, length } = this.#slot;
    return count === 0 || (count < MOST_BLOCKS && length - HEAD_BYTES + bytes <= BATCH_BYTES);
  }

  add(raw: Buffer): void {
    const place = this.#slot.length;
    copyBytes(raw, this.#bytes, place);
    // Sealed it may become longer.
    this.#slot.length = place + mostStoredBytes(raw.length);
    this.#enter(place, raw.length, TO_ENCODE);
  }

  /** A block that the store has. `hash` in base64. */
  addKnown(rawLength: number, hash: string): void {
    const at = this.#enter(this.#slot.length, rawLength, IS_KNOWN);
    this.#bytes[at + HASH_LENGTH] = this.#bytes.write(hash, at + HASH, 'base64');
  }

  /** For the lines of so many bytes, which stand for blocks of `rawLength` bytes. */
  hasRoomForRun(lineBytes: number, rawLength: number): boolean {
    const isFew = this.count === 0 || this.#slot.rawLength + rawLength <= MOST_RAW_BYTES;
    return isFew && this.hasRoom(lineBytes);
  }

  /** Blocks that the store has: `lines` of the table of frames, which are so many and stand for `rawLength` bytes. */
  addRun(lines: Buffer, count: number, rawLength: number): void {
    const place = this.#slot.length;
    copyBytes(lines, this.#bytes, place);
    this.#slot.length = place + lines.length;
    const at = this.#enter(place, lines.length, IS_RUN);
    this.#bytes.writeUInt32LE(count, at + RUN_COUNT);
    this.#bytes.writeDoubleLE(rawLength, at + RUN_RAW_LENGTH);
    this.#slot.rawLength += rawLength - lines.length;
  }

  isRun(index: number): boolean {
    return this.#bytes[index * ENTRY_BYTES + STATE] === IS_RUN;
  }

  /** How many blocks a run stands for. */
  runCountOf(index: number): number {
    return this.#bytes.readUInt32LE(index * ENTRY_BYTES + RUN_COUNT);
  }

  isToEncode(index: number): boolean {
    return this.#bytes[index * ENTRY_BYTES + STATE] === TO_ENCODE;
  }

  isNew(index: number): boolean {
    return this.#bytes[index * ENTRY_BYTES + STATE] === IS_NEW;
  }

  rawLengthOf(index: number): number {
    if (this.isRun(index)) return this.#bytes.readDoubleLE(index * ENTRY_BYTES + RUN_RAW_LENGTH);
    return this.#bytes.readUInt32LE(index * ENTRY_BYTES + RAW_LENGTH);
  }

  /** What lies in the slot: the block itself, or how it is to be stored; the lines of a run. */
  bytesOf(index: number): Buffer {
    const at = index * ENTRY_BYTES;
    const place = this.#bytes.readUInt32LE(at);
    return this.#bytes.subarray(place, place + this.#bytes.readUInt32LE(at + LENGTH));
  }

  hashOf(index: number): Buffer {
    const at = index * ENTRY_BYTES;
    return this.#bytes.subarray(at + HASH, at + HASH + (this.#bytes[at + HASH_LENGTH] ?? 0));
  }

  encodingOf(index: number): BlockEncoding {
    return BLOCK_ENCODINGS[this.#bytes[index * ENTRY_BYTES + ENCODING] ?? 0] ?? 'raw';
  }

  /** The hash at `from` of `hashes`, which has so many bytes. */
  setHash(index: number, hashes: Uint8Array, from: number, length: number): void {
    const at = index * ENTRY_BYTES;
    this.#bytes[at + HASH_LENGTH] = length;
    for (let byte = 0; byte < length; byte += 1) this.#bytes[at + HASH + byte] = hashes[from + byte] ?? 0;
  }

  /** It is there already. */
  setKnown(index: number): void {
    this.#bytes[index * ENTRY_BYTES + STATE] = IS_KNOWN;
  }

  /** `stored`: in place of the block; null: the block as it is. */
  setNew(index: number, encoding: BlockEncoding, stored: Buffer | null): void {
    const at = index * ENTRY_BYTES;
    if (stored !== null) {
      copyBytes(stored, this.#bytes, this.#bytes.readUInt32LE(at));
      this.#bytes.writeUInt32LE(stored.length, at + LENGTH);
    }
    this.#bytes[at + ENCODING] = BLOCK_ENCODINGS.indexOf(encoding);
    this.#bytes[at + STATE] = IS_NEW;
  }

  #enter(place: number, rawLength: number, state: number): number {
    const at = this.#slot.second * ENTRY_BYTES;
    this.#bytes.writeUInt32LE(place, at);
    this.#bytes.writeUInt32LE(rawLength, at + RAW_LENGTH);
    this.#bytes.writeUInt32LE(state === IS_KNOWN ? 0 : rawLength, at + LENGTH);
    this.#bytes[at + STATE] = state;
    this.#slot.second += 1;
    this.#slot.rawLength += rawLength;
    return at;
  }
}
