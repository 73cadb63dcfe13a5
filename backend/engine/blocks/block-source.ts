import { damagedList } from '../archive/manifest-lines.ts';
import { FRAME_DAMAGED, FRAME_GOOD, FRAME_MISSING } from '../archive/stream.ts';
import type { BlockSeal } from '../crypto/block-seal.ts';
import { DeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { type BlockAddress, type BlockReader, openBlockReader } from './block-reader.ts';
import { StoreClient } from './store-client.ts';
import type { StoreLink } from './store-requests.ts';

/** A block that was asked for; `bytes` is null when it is not good, or was not to be read. */
export interface FetchedBlock {
  readonly bytes: Buffer | null;
  readonly status: number;
}

/** What is asked of a block: its content, or that it is there, or that what is stored is what was written. */
export type BlockLook = 'content' | 'presence' | 'stored';

/** Cleaning may move a block between the question where it lies and the look at it, but not again and again. */
const MOST_MOVES = 5;

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
  #places = new Map<string, BlockAddress | null>();
  /** Forgotten by the store since they were found damaged here. */
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

  /** `hash` in base64; `rawBytes`: null when it is not known; `ahead`: hashes that are likely to be asked for next. */
  fetch(hash: string, rawBytes: number | null, ahead: () => readonly string[]): FetchedBlock {
    if (this.#damaged.has(hash)) return { bytes: null, status: FRAME_DAMAGED };
    if (!this.#places.has(hash)) this.#locate([hash, ...ahead()]);
    let address = this.#places.get(hash) ?? null;
    // What the key does not open the store cannot see: it is told so when a second look says the same.
    let isSure = false;
    for (let looks = 0; ; looks += 1) {
      if (address === null) return { bytes: null, status: FRAME_MISSING };
      const read = this.#lookAt(hash, address, rawBytes);
      if (read.status === FRAME_GOOD || looks === MOST_MOVES) return read;
      const again = this.#locateOne(hash);
      const isMoved = again !== null && !isSamePlace(again, address);
      // The next backup that has these bytes must send them again.
      if (!isMoved && (read.status !== FRAME_DAMAGED || this.#forget(hash, isSure))) return read;
      isSure = this.#isSealed;
      address = isMoved ? again : this.#locateOne(hash);
    }
  }

  #lookAt(hash: string, address: BlockAddress, rawBytes: number | null): FetchedBlock {
    if (rawBytes !== null && address.rawBytes !== rawBytes) return { bytes: null, status: FRAME_DAMAGED };
    if (this.isPresenceOnly) return { bytes: null, status: FRAME_GOOD };
    return this.#read(hash, address);
  }

  #read(hash: string, address: BlockAddress): FetchedBlock {
    const name = Buffer.from(hash, 'base64');
    try {
      if (this.#look === 'content') return { bytes: this.#reader.get(name, address), status: FRAME_GOOD };
      this.readBytes += this.#reader.stored(name, address).length;
      return { bytes: null, status: FRAME_GOOD };
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      if (error.kind === 'corrupt') return { bytes: null, status: FRAME_DAMAGED };
      // A sector that the disk cannot read is a loss of this block; a device that is gone is none of any block.
      if (error.kind === 'permanent') return { bytes: null, status: FRAME_MISSING };
      throw error;
    }
  }

  /** False when the block is good after all. */
  #forget(hash: string, isSure: boolean): boolean {
    const hashes = Uint8Array.from(Buffer.from(hash, 'base64'));
    if (this.#store.call('forget', { hashes, isSure })[0] === 0) return false;
    this.#damaged.add(hash);
    this.#places.delete(hash);
    return true;
  }

  #locateOne(hash: string): BlockAddress | null {
    this.#locate([hash]);
    return this.#places.get(hash) ?? null;
  }

  #locate(hashes: readonly string[]): void {
    const known = hashes.map((hash) => Buffer.from(hash, 'base64'));
    if (known.some((hash) => hash.length !== this.#hashBytes)) {
      throw damagedList();
    }
    const places = this.#store.call('locate', { hashes: Uint8Array.from(Buffer.concat(known)) });
    this.#places = new Map(hashes.map((hash, index) => [hash, places[index] ?? null]));
  }
}

function isSamePlace(one: BlockAddress, other: BlockAddress): boolean {
  return one.position === other.position && one.sequence === other.sequence;
}
