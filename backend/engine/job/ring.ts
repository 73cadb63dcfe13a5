import type { Control } from './control.ts';
import { takeShared } from './kept-memory.ts';
import { HASH_CHARS, META_WORDS, type Slot, slotView, W_MEMORY, W_STATE } from './ring-slot.ts';

export type { Slot } from './ring-slot.ts';

/**
 * Of an archive, unless told otherwise, and at most: what is compressed together, and read at once for one file. A little
 * less than 8 MiB, since the decoder's buffer doubles when it is exactly full: it takes half the memory, and a tenth less time.
 */
export const FRAME_BYTES = 8_323_072;
/** The longest text of a segment. */
const TEXT_BYTES = 1_048_576;
/** A frame that does not compress grows a little; zstd's and LZ4's bounds are far below this. */
const SPARE_BYTES = 65_536;

/** What a slot's word says beside the sequence number it is for. */
const FREE = 0;
const FILLED = 1;
const DONE = 2;
/** Its place in the file is known, and a sender is to write it. */
const PLACED = 3;
const SENDING = 4;
const STATE_BITS = 3;
const STATE_MASK = 2 ** STATE_BITS - 1;
const SEQUENCES = 2 ** (32 - STATE_BITS);

const NEXT_TICKET = 0;
const CLOSED = 1;
/** No more slots are placed. */
const SENT_ALL = 2;
const TO_SEND = 3;
/** Counts what was placed; senders sleep here. */
const PLACEMENTS = 4;
/** Of the producer alone: the memory that no slot has. */
const W_SPARE = 5;
const HEAD_WORDS = 16;

/** How long one sleeps before it looks whether the job was stopped or the ring closed. */
const WAIT_MS = 50;

export interface Claim {
  readonly sequence: number;
  readonly slot: Slot;
}

/**
 * A bounded ring of slots in shared memory that joins one producer, several codec workers and one consumer.
 * The producer fills slots in order, the codecs take them as they come, the consumer sees them in order again.
 * Nothing is allocated while it runs, so memory stays the same whatever passes through.
 */
export class Ring {
  readonly memory: SharedArrayBuffer;
  readonly slotCount: number;
  readonly #control: Control;
  readonly #head: Int32Array;
  readonly #meta: Int32Array;
  readonly #slots: readonly Slot[];
  /** One for each slot, and one more. */
  readonly #memories: readonly Buffer[];
  /** What a slot takes. */
  readonly slotBytes: number;

  constructor(memory: SharedArrayBuffer, slotCount: number, control: Control) {
    this.memory = memory;
    this.slotCount = slotCount;
    this.#control = control;
    this.#head = new Int32Array(memory, 0, HEAD_WORDS);
    this.#meta = new Int32Array(memory, HEAD_WORDS * 4, META_WORDS * slotCount);
    const numbersAt = HEAD_WORDS * 4 + META_WORDS * 4 * slotCount;
    const numbers = new Float64Array(memory, numbersAt, 2 * slotCount);
    const hashesAt = numbersAt + 16 * slotCount;
    const bytesAt = hashesAt + HASH_CHARS * slotCount;
    this.slotBytes = Math.floor((memory.byteLength - bytesAt) / (slotCount + 1));
    this.#memories = Array.from({ length: slotCount + 1 }, (_, index) =>
      Buffer.from(memory, bytesAt + this.slotBytes * index, this.slotBytes),
    );
    this.#slots = Array.from({ length: slotCount }, (_, index) =>
      slotView({
        index,
        meta: this.#meta,
        numbers,
        hashBytes: Buffer.from(memory, hashesAt + HASH_CHARS * index, HASH_CHARS),
        memoryOf: (number) => this.#memory(number),
      }),
    );
  }

  static bytesFor(slotCount: number, frameBytes: number): number {
    const ofSlots = (META_WORDS * 4 + 16 + HASH_CHARS + slotBytesFor(frameBytes)) * slotCount;
    return HEAD_WORDS * 4 + ofSlots + slotBytesFor(frameBytes);
  }

  /** For slots that take frames of `frameBytes`, or the text of a segment. */
  static memoryFor(slotCount: number, frameBytes: number): SharedArrayBuffer {
    const headBytes = HEAD_WORDS * 4 + (META_WORDS * 4 + 16 + HASH_CHARS) * slotCount;
    const memory = takeShared(Ring.bytesFor(slotCount, frameBytes), headBytes);
    const meta = new Int32Array(memory, HEAD_WORDS * 4, META_WORDS * slotCount);
    for (let index = 0; index < slotCount; index += 1) {
      meta[index * META_WORDS + W_STATE] = wordOf(index, FREE);
      meta[index * META_WORDS + W_MEMORY] = index;
    }
    new Int32Array(memory, 0, HEAD_WORDS)[W_SPARE] = slotCount;
    return memory;
  }

  /** Producer: waits until the slot of this sequence number is free. Throws `cancelled` after stop. */
  acquire(sequence: number): Slot {
    this.#await(sequence, FREE);
    return this.#slot(sequence);
  }

  /** Producer: memory as large as that of a slot, which nobody else has: to gather in what is to come into a slot. */
  get spare(): Buffer {
    return this.#memory(this.#head[W_SPARE] ?? 0);
  }

  /** Producer: the slot gets what was the spare memory, and its own one is the spare then. Nothing is copied. */
  exchange(sequence: number): void {
    const at = (sequence % this.slotCount) * META_WORDS + W_MEMORY;
    const own = this.#meta[at] ?? 0;
    this.#meta[at] = this.#head[W_SPARE] ?? 0;
    this.#head[W_SPARE] = own;
  }

  isFree(sequence: number): boolean {
    return this.#is(sequence, FREE);
  }

  /**
   * Producer: hands the slot to the codecs. Every slot goes through one of them, also when there is nothing to do:
   * a codec that waits for its turn would never see a slot that was used and filled again behind its back.
   */
  publish(sequence: number): void {
    this.#slot(sequence).passed = 0;
    this.#set(sequence, FILLED);
  }

  /** Anybody: of what was filled as `kind`, the bytes (before the codec's work) that the consumer has not let through. */
  heldBytes(kind: number): number {
    let held = 0;
    for (const [index, slot] of this.#slots.entries()) {
      const state = Atomics.load(this.#meta, index * META_WORDS + W_STATE) & STATE_MASK;
      if (state !== FREE && slot.kind === kind) held += Math.max(0, slot.rawLength - slot.passed);
    }
    return held;
  }

  /** Producer: no more slots follow; the codecs end. */
  close(): void {
    Atomics.store(this.#head, CLOSED, 1);
    for (let index = 0; index < this.slotCount; index += 1)
      Atomics.notify(this.#meta, index * META_WORDS + W_STATE);
  }

  isClosed(): boolean {
    return Atomics.load(this.#head, CLOSED) === 1;
  }

  /** Codec: the next slot in order of filling, or null when the ring is closed. */
  claim(): Claim | null {
    const sequence = Atomics.add(this.#head, NEXT_TICKET, 1);
    this.#await(sequence, FILLED, () => this.isClosed());
    // What was filled before the end is worked on all the same.
    return this.#is(sequence, FILLED) ? { sequence, slot: this.#slot(sequence) } : null;
  }

  /** Codec: the work on this slot is done. */
  finish(sequence: number): void {
    this.#set(sequence, DONE);
  }

  /** Consumer: waits for the slot of this sequence number. */
  take(sequence: number): Slot {
    this.#await(sequence, DONE);
    return this.#slot(sequence);
  }

  /**
   * Consumer that is a codec too: the slot of this sequence number when it is done, or before that a claim on whichever slot
   * waits for a codec; then it is to be asked again. It never waits with a claim in its hand, so nobody waits for it.
   */
  takeOrClaim(sequence: number): { readonly done: Slot } | { readonly claimed: Claim } {
    const at = this.#wordAt(sequence);
    for (;;) {
      const word = Atomics.load(this.#meta, at);
      if (word === wordOf(sequence, DONE)) return { done: this.#slot(sequence) };
      const claimed = this.#claimFilled();
      if (claimed !== null) return { claimed };
      if (this.#control.isStopped()) this.#control.check();
      Atomics.wait(this.#meta, at, word, WAIT_MS);
    }
  }

  /** The next slot in order of filling; null when it is not filled, or another codec was faster. */
  #claimFilled(): Claim | null {
    const next = Atomics.load(this.#head, NEXT_TICKET);
    if (!this.#is(next, FILLED)) return null;
    const isMine = Atomics.compareExchange(this.#head, NEXT_TICKET, next, next + 1) === next;
    return isMine ? { sequence: next, slot: this.#slot(next) } : null;
  }

  release(sequence: number): void {
    this.#set(sequence, FREE, sequence + this.slotCount);
  }

  /** Consumer: the slot's place in the file stands in it; a sender writes and frees it, in whatever order. */
  place(sequence: number): void {
    Atomics.add(this.#head, TO_SEND, 1);
    this.#set(sequence, PLACED);
    Atomics.add(this.#head, PLACEMENTS, 1);
    Atomics.notify(this.#head, PLACEMENTS, 1);
  }

  /** Consumer: nothing more is placed. Waits until all is sent; the senders end. */
  awaitSent(): void {
    Atomics.store(this.#head, SENT_ALL, 1);
    Atomics.add(this.#head, PLACEMENTS, 1);
    Atomics.notify(this.#head, PLACEMENTS);
    this.#sleepUntil(TO_SEND, (left) => left === 0);
  }

  /** Sender: any placed slot, or null when there are no more; to be given back with `sent`. */
  claimPlaced(): { readonly index: number; readonly slot: Slot } | null {
    let index = -1;
    this.#sleepUntil(PLACEMENTS, () => {
      // Looked at first: what is placed before the end is not overlooked then.
      const isOver = Atomics.load(this.#head, SENT_ALL) === 1;
      index = this.#takePlaced();
      return index >= 0 || isOver;
    });
    return index < 0 ? null : { index, slot: this.#slot(index) };
  }

  /** Sender: the slot is written and free again. */
  sent(index: number): void {
    const at = index * META_WORDS + W_STATE;
    const sequence = Atomics.load(this.#meta, at) >>> STATE_BITS;
    Atomics.store(this.#meta, at, wordOf(sequence + this.slotCount, FREE));
    Atomics.notify(this.#meta, at);
    Atomics.sub(this.#head, TO_SEND, 1);
    Atomics.notify(this.#head, TO_SEND);
  }

  #takePlaced(): number {
    for (let index = 0; index < this.slotCount; index += 1) {
      const at = index * META_WORDS + W_STATE;
      const word = Atomics.load(this.#meta, at);
      if ((word & STATE_MASK) !== PLACED) continue;
      const taken = (word & ~STATE_MASK) | SENDING;
      if (Atomics.compareExchange(this.#meta, at, word, taken) === word) return index;
    }
    return -1;
  }

  /** Sleeps at a word of the head, which changes before what is waited for can be seen. */
  #sleepUntil(headWord: number, isReached: (value: number) => boolean): void {
    for (;;) {
      const value = Atomics.load(this.#head, headWord);
      if (isReached(value)) return;
      if (this.#control.isStopped()) this.#control.check();
      Atomics.wait(this.#head, headWord, value, WAIT_MS);
    }
  }

  /**
   * Each waits at the word of its own slot, so that a step wakes only whom it concerns. The word holds state and
   * sequence number together: whoever compares it before sleeping cannot miss a change.
   */
  #await(sequence: number, state: number, isOver: () => boolean = () => false): void {
    const wanted = wordOf(sequence, state);
    const at = this.#wordAt(sequence);
    for (;;) {
      const word = Atomics.load(this.#meta, at);
      if (word === wanted) return;
      if (this.#control.isStopped()) this.#control.check();
      if (isOver()) return;
      Atomics.wait(this.#meta, at, word, WAIT_MS);
    }
  }

  #is(sequence: number, state: number): boolean {
    return Atomics.load(this.#meta, this.#wordAt(sequence)) === wordOf(sequence, state);
  }

  #set(sequence: number, state: number, next = sequence): void {
    const at = this.#wordAt(sequence);
    Atomics.store(this.#meta, at, wordOf(next, state));
    Atomics.notify(this.#meta, at);
  }

  #wordAt(sequence: number): number {
    return (sequence % this.slotCount) * META_WORDS + W_STATE;
  }

  #slot(sequence: number): Slot {
    const slot = this.#slots[sequence % this.slotCount];
    if (slot === undefined) throw new Error('ring index out of range');
    return slot;
  }

  #memory(index: number): Buffer {
    const bytes = this.#memories[index];
    if (bytes === undefined) throw new Error('ring memory out of range');
    return bytes;
  }
}

/** Sequence numbers come round again after 2^29 slots, long after anybody remembers the first. */
function wordOf(sequence: number, state: number): number {
  return ((sequence % SEQUENCES) << STATE_BITS) | state;
}

function slotBytesFor(frameBytes: number): number {
  return Math.max(frameBytes, TEXT_BYTES) + SPARE_BYTES;
}

/**
 * Slots for a number of codecs: each one at work, and as many that wait or are written; one for each sender. The producer
 * gathers a frame in the spare memory.
 */
export function slotsFor(codecs: number, senders = 0): number {
  return 2 * Math.max(1, codecs) + senders;
}
