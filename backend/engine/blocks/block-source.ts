import { damagedList } from '../archive/manifest-lines.ts';
import { FRAME_DAMAGED, FRAME_GOOD, FRAME_MISSING } from '../archive/stream.ts';
import type { BlockSeal } from '../crypto/block-seal.ts';
import { DeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { BlockPlaces } from './block-places.ts';
import { AHEAD_BYTES, type BlockAddress, type BlockReader, openBlockReader } from './block-reader.ts';
import { recordBytes } from './record.ts';
import { type BytesBehind, nothingBehind } from './record-reader.ts';
import { StoreClient } from './store-client.ts';
import type { StoreLink } from './store-requests.ts';

/** A block that was asked for; `bytes` is null when it is not good, or was not to be read. Valid until the next one. */
export interface FetchedBlock {
  readonly bytes: Buffer | null;
  readonly status: number;
}

/** What is asked of a block: its content, or that it is there, or that what is stored is what was written. */
export type BlockLook = 'content' | 'presence' | 'stored';

/** The names of blocks one behind the other: that of number `first`, and of those behind it, at most `most`. */
export type BlockNames = (first: number, most: number) => Uint8Array;

/** Cleaning may move a block between the question where it lies and the look at it, but not again and again. */
const MOST_MOVES = 5;
/** Blocks whose places are asked for at once. */
const PLACES_AT_ONCE = 256;

/** Reads blocks in this thread, by the places that the store's thread tells. */
export class BlockSource {
  readonly storeId: string;
  readonly #look: BlockLook;
  readonly #isSealed: boolean;
  /** Stored bytes that were looked at without opening them. */
  readBytes = 0;
  readonly #store: StoreClient;
  readonly #reader: BlockReader;
  readonly #hashBytes: number;
  /** Of the blocks from this number on. */
  #first = 0;
  #names = Buffer.alloc(0);
  #places = new BlockPlaces(new Float64Array());
  /** Forgotten by the store since they were found damaged here; in base64. */
  readonly #damaged = new Set<string>();

  /** `seal`: opens the blocks of an encrypted copy. */
  constructor(link: StoreLink, control: Control, look: BlockLook = 'content', seal: BlockSeal | null = null) {
    this.storeId = link.facts.storeId;
    this.#look = look;
    this.#isSealed = seal !== null;
    this.#hashBytes = link.facts.hashBytes;
    this.#store = new StoreClient(link, control);
    this.#reader = openBlockReader(link.path, seal);
  }

  close(): void {
    this.#reader.close();
  }

  /** Only whether the blocks are there is asked, and none is read. */
  get isPresenceOnly(): boolean {
    return this.#look === 'presence';
  }

  /** The name of a block says what the bytes are, as the BLAKE3 of a file does. */
  get isNamedByContentHash(): boolean {
    const { algorithm, hashBytes } = this.#store.facts;
    return this.#look === 'content' && !this.#isSealed && algorithm === 'blake3' && hashBytes === 32;
  }

  /** `number`: as `names` counts them. `rawBytes`: null when it is not known. `isHashed`: see `ReadBlock`. */
  fetch(number: number, rawBytes: number | null, names: BlockNames, isHashed = false): FetchedBlock {
    if (number < this.#first || number >= this.#first + this.#places.count) this.#locate(number, names);
    const index = number - this.#first;
    const name = this.#names.subarray(index * this.#hashBytes, (index + 1) * this.#hashBytes);
    if (this.#damaged.size > 0 && this.#damaged.has(name.toString('base64'))) return DAMAGED;
    let address = this.#places.at(index);
    let behind = () => this.#bytesBehind(index);
    // What the key does not open the store cannot see: it is told so when a second look says the same.
    let isSure = false;
    for (let looks = 0; ; looks += 1) {
      if (address === null) return MISSING;
      const read = this.#lookAt(name, address, rawBytes, behind, isHashed);
      if (read.status === FRAME_GOOD || looks === MOST_MOVES) return read;
      behind = nothingBehind;
      const again = this.#locateOne(name);
      const isMoved = again !== null && !isSamePlace(again, address);
      // The next backup that has these bytes must send them again.
      if (!isMoved && (read.status !== FRAME_DAMAGED || this.#forget(name, isSure))) return read;
      isSure = this.#isSealed;
      address = isMoved ? again : this.#locateOne(name);
    }
  }

  #lookAt(
    name: Buffer,
    address: BlockAddress,
    rawBytes: number | null,
    behind: BytesBehind,
    isHashed: boolean,
  ): FetchedBlock {
    if (rawBytes !== null && address.rawBytes !== rawBytes) return DAMAGED;
    if (this.isPresenceOnly) return PRESENT;
    try {
      if (this.#look === 'content') {
        return { bytes: this.#reader.get(name, address, behind, isHashed), status: FRAME_GOOD };
      }
      this.readBytes += this.#reader.stored(name, address, behind).length;
      return PRESENT;
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      if (error.kind === 'corrupt') return DAMAGED;
      // A sector that the disk cannot read is a loss of this block; a device that is gone is none of any block.
      if (error.kind === 'permanent') return MISSING;
      throw error;
    }
  }

  /** Of the records that lie behind this one in the order in which they are asked for. */
  #bytesBehind(index: number): number {
    let end: number | null = null;
    let bytes = 0;
    for (let next = index; next < this.#places.count && bytes < AHEAD_BYTES; next += 1) {
      const address = this.#places.at(next);
      if (address === null || (end !== null && address.position !== end)) break;
      const length = recordBytes(this.#hashBytes, address.storedBytes);
      if (end !== null) bytes += length;
      end = address.position + length;
    }
    return bytes;
  }

  /** False when the block is good after all. */
  #forget(name: Buffer, isSure: boolean): boolean {
    const hashes = Uint8Array.from(name);
    if (this.#store.call('forget', { hashes, isSure })[0] === 0) return false;
    this.#damaged.add(name.toString('base64'));
    return true;
  }

  #locateOne(name: Buffer): BlockAddress | null {
    return this.#placesOf(Uint8Array.from(name)).at(0);
  }

  #locate(first: number, names: BlockNames): void {
    const hashes = Uint8Array.from(names(first, PLACES_AT_ONCE));
    this.#names = Buffer.from(hashes.buffer);
    this.#places = this.#placesOf(hashes);
    this.#first = first;
  }

  #placesOf(hashes: Uint8Array): BlockPlaces {
    if (hashes.length === 0 || hashes.length % this.#hashBytes !== 0) throw damagedList();
    return new BlockPlaces(this.#store.call('locate', { hashes }));
  }
}

const DAMAGED: FetchedBlock = { bytes: null, status: FRAME_DAMAGED };
const MISSING: FetchedBlock = { bytes: null, status: FRAME_MISSING };
/** It is there, and what was to be seen of it is right. */
const PRESENT: FetchedBlock = { bytes: null, status: FRAME_GOOD };

function isSamePlace(one: BlockAddress, other: BlockAddress): boolean {
  return one.position === other.position && one.sequence === other.sequence;
}
