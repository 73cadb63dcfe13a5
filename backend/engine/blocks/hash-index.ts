import { DeviceError } from '../device-error.ts';
import { fileSlots, type IndexSlots, memorySlots, SLOT_BYTES } from './index-slots.ts';

/** Where a block lies: `segment * recordsPerSegment + number`. */
export type Place = number;

export const NO_PLACE = -1;

export interface HashIndexOptions {
  /** Above it, keys and places move into the working file; one byte a slot always stays in memory. */
  readonly memoryBytes: number;
  /** Where the working file goes. Without it everything stays in memory, whatever it takes. */
  readonly workingFile?: string;
}

const EMPTY = 0;
const REMOVED = 1;
const FIRST_TAG = 2;
const FIRST_SLOTS = 65_536;
const GROWTH = 1.5;
const FULLEST = 0.8;
/** For each block that is to come: two thirds filled, with room until the table has to grow. */
const SLOTS_EXPECTED = 1.5;
const MOST_SLOTS = 2 ** 31;

/**
 * Hash → place, by open addressing. It keeps 32 bits of each hash and a tag of 8 more, so a match is only a guess: `isSame`
 * of each call looks the whole hash up where the block lies. An unknown hash costs a few bytes of memory, seldom more.
 *
 * A slot takes 1 byte (tag) and 8 bytes (key and place) at 53 to 80 % filled: 11 to 17 bytes a block in memory; with the
 * working file 1.25 to 1.9 bytes a block in memory and 10 to 15 in the file.
 */
export class HashIndex {
  readonly #options: HashIndexOptions;
  #tags: Uint8Array;
  #slots: IndexSlots;
  #live = 0;
  #removed = 0;
  #files = 0;

  /**
   * `expected`: how many blocks are to come. Those that `forEach` gave come in the order of their home slots: in too small a table they would
   * crowd at its beginning, where each is put behind all that are there already.
   */
  constructor(options: HashIndexOptions, expected = 0) {
    this.#options = options;
    const slotCount = Math.min(MOST_SLOTS, Math.max(FIRST_SLOTS, Math.ceil(expected * SLOTS_EXPECTED)));
    this.#tags = new Uint8Array(slotCount);
    this.#slots = this.#newSlots(slotCount);
  }

  get size(): number {
    return this.#live;
  }

  get memoryBytes(): number {
    return this.#tags.byteLength + this.#slots.memoryBytes;
  }

  get fileBytes(): number {
    return this.#slots.fileBytes;
  }

  /** `NO_PLACE` when the hash at `at` of `hashes` is not known. */
  find(hashes: Buffer, at: number, isSame: (place: Place) => boolean): Place {
    const slot = this.#slotOf(hashes, at, isSame);
    return slot < 0 ? NO_PLACE : this.#slots.place(slot);
  }

  /** For a hash that is known not to be there. */
  insert(hashes: Buffer, at: number, place: Place): void {
    this.restore(tagOf(hashes, at), hashes.readUInt32LE(at), place);
  }

  /** Gives the former place, or `NO_PLACE` when the hash was new. */
  set(hashes: Buffer, at: number, place: Place, isSame: (place: Place) => boolean): Place {
    const slot = this.#slotOf(hashes, at, isSame);
    if (slot < 0) {
      this.insert(hashes, at, place);
      return NO_PLACE;
    }
    const former = this.#slots.place(slot);
    this.#slots.set(slot, this.#slots.key(slot), place);
    return former;
  }

  /** Removes the hash if it is at `place`. */
  remove(hashes: Buffer, at: number, place: Place): boolean {
    const slot = this.#slotOf(hashes, at, (found) => found === place);
    if (slot < 0) return false;
    this.#tags[slot] = REMOVED;
    this.#live -= 1;
    this.#removed += 1;
    return true;
  }

  /** Every known block, in the order of the slots. The index must not change meanwhile. */
  forEach(visit: (tag: number, key: number, place: Place) => void): void {
    for (let slot = 0; slot < this.#tags.length; slot += 1) {
      const tag = this.#tags[slot] ?? EMPTY;
      if (tag >= FIRST_TAG) visit(tag, this.#slots.key(slot), this.#slots.place(slot));
    }
  }

  /** Takes back what `forEach` gave. */
  restore(tag: number, key: number, place: Place): void {
    if (this.#live + this.#removed >= this.#tags.length * FULLEST) this.#grow();
    this.#put(tag, key, place);
    this.#live += 1;
  }

  close(): void {
    this.#slots.close();
  }

  #slotOf(hashes: Buffer, at: number, isSame: (place: Place) => boolean): number {
    const tags = this.#tags;
    const key = hashes.readUInt32LE(at);
    const wanted = tagOf(hashes, at);
    let slot = homeOf(key, tags.length);
    for (let tag = tags[slot]; tag !== EMPTY; tag = tags[slot]) {
      if (tag === wanted && this.#slots.key(slot) === key && isSame(this.#slots.place(slot))) return slot;
      slot = slot + 1 === tags.length ? 0 : slot + 1;
    }
    return -1;
  }

  #put(tag: number, key: number, place: Place): void {
    let slot = homeOf(key, this.#tags.length);
    while ((this.#tags[slot] ?? EMPTY) >= FIRST_TAG) slot = slot + 1 === this.#tags.length ? 0 : slot + 1;
    this.#slots.set(slot, key, place);
    if (this.#tags[slot] === REMOVED) this.#removed -= 1;
    this.#tags[slot] = tag;
  }

  /** Home slots rise with the keys, so both tables are gone through once, from their start to their end. */
  #grow(): void {
    const tags = this.#tags;
    const slots = this.#slots;
    const grown = this.#live * 2 < tags.length ? tags.length : Math.ceil(tags.length * GROWTH);
    if (grown > MOST_SLOTS) throw new DeviceError('permanent', 'The index of the block store is full.');
    const fresh = this.#newSlots(grown);
    this.#tags = new Uint8Array(grown);
    this.#slots = fresh;
    this.#removed = 0;
    for (let slot = 0; slot < tags.length; slot += 1) {
      const tag = tags[slot] ?? EMPTY;
      if (tag >= FIRST_TAG) this.#put(tag, slots.key(slot), slots.place(slot));
    }
    slots.close();
  }

  #newSlots(count: number): IndexSlots {
    const { memoryBytes, workingFile } = this.#options;
    if (workingFile === undefined || count * (SLOT_BYTES + 1) <= memoryBytes) return memorySlots(count);
    this.#files += 1;
    return fileSlots(count, `${workingFile}.${this.#files % 2}`);
  }
}

/** From a byte that the key does not hold. */
function tagOf(hashes: Buffer, at: number): number {
  return Math.max(FIRST_TAG, hashes[at + 4] ?? 0);
}

function homeOf(key: number, slotCount: number): number {
  return Math.floor((key / 4_294_967_296) * slotCount);
}
