import type { Control } from './control.ts';

/**
 * A bounded ring of slots in shared memory that joins one producer, several codec workers and one consumer.
 * The producer fills slots in order, the codecs take them as they come, the consumer sees them in order again.
 * Nothing is allocated while it runs, so memory stays the same whatever passes through.
 */
export const FRAME_BYTES = 1_048_576;
/** A frame that does not compress grows a little; zstd's and LZ4's bounds are far below this. */
export const SLOT_BYTES = FRAME_BYTES + 65_536;
/** The longest hash has 512 bits: 88 characters of base64. */
const HASH_CHARS = 96;
const META_WORDS = 16;

const FREE = 0;
const FILLED = 1;
const DONE = 2;
/** Its place in the file is known, and a sender is to write it. */
const PLACED = 3;
const SENDING = 4;

const NEXT_TICKET = 0;
const CLOSED = 1;
/** No more slots are placed. */
const SENT_ALL = 2;
const TO_SEND = 3;
const HEAD_WORDS = 16;

const W_STATE = 0;
const W_SEQUENCE = 1;
const W_KIND = 2;
const W_RAW_LENGTH = 3;
const W_LENGTH = 4;
const W_STATUS = 5;
const W_HASH_LENGTH = 6;

export interface Slot {
  readonly bytes: Buffer;
  kind: number;
  /** Bytes before the codec's work when encoding, expected bytes after it when decoding. */
  rawLength: number;
  /** Bytes that lie in the slot now. */
  length: number;
  /** 0 = good; the codec's own numbers else. */
  status: number;
  /** Free for the users: an ordinal, an offset. */
  first: number;
  second: number;
  hash: string;
}

export class Ring {
  readonly memory: SharedArrayBuffer;
  readonly slotCount: number;
  readonly #control: Control;
  readonly #head: Int32Array;
  readonly #meta: Int32Array;
  readonly #numbers: Float64Array;
  readonly #slots: readonly Slot[];

  constructor(memory: SharedArrayBuffer, slotCount: number, control: Control) {
    this.memory = memory;
    this.slotCount = slotCount;
    this.#control = control;
    this.#head = new Int32Array(memory, 0, HEAD_WORDS);
    this.#meta = new Int32Array(memory, HEAD_WORDS * 4, META_WORDS * slotCount);
    const numbersAt = HEAD_WORDS * 4 + META_WORDS * 4 * slotCount;
    this.#numbers = new Float64Array(memory, numbersAt, 2 * slotCount);
    const hashesAt = numbersAt + 16 * slotCount;
    const bytesAt = hashesAt + HASH_CHARS * slotCount;
    this.#slots = Array.from({ length: slotCount }, (_, index) =>
      this.#view(
        index,
        Buffer.from(memory, hashesAt + HASH_CHARS * index, HASH_CHARS),
        Buffer.from(memory, bytesAt + SLOT_BYTES * index, SLOT_BYTES),
      ),
    );
  }

  static bytesFor(slotCount: number): number {
    const perSlot = META_WORDS * 4 + 16 + HASH_CHARS + SLOT_BYTES;
    return HEAD_WORDS * 4 + perSlot * slotCount;
  }

  static memoryFor(slotCount: number): SharedArrayBuffer {
    return new SharedArrayBuffer(Ring.bytesFor(slotCount));
  }

  /** Producer: waits until the slot of this sequence number is free. Throws `cancelled` after stop. */
  acquire(sequence: number): Slot {
    this.#await(() => this.#word(sequence, W_STATE) === FREE);
    return this.#slot(sequence);
  }

  isFree(sequence: number): boolean {
    return this.#word(sequence, W_STATE) === FREE;
  }

  /**
   * Producer: hands the slot to the codecs. Every slot goes through one of them, also when there is nothing to do:
   * a codec that waits for its turn would never see a slot that was used and filled again behind its back.
   */
  publish(sequence: number): void {
    this.#setWord(sequence, W_SEQUENCE, sequence | 0);
    this.#setWord(sequence, W_STATE, FILLED);
    this.#control.signal();
  }

  /** Producer: no more slots follow; the codecs end. */
  close(): void {
    Atomics.store(this.#head, CLOSED, 1);
    this.#control.signal();
  }

  isClosed(): boolean {
    return Atomics.load(this.#head, CLOSED) === 1;
  }

  /** Codec: the next slot in order of filling, or null when the ring is closed. */
  claim(): { readonly sequence: number; readonly slot: Slot } | null {
    const sequence = Atomics.add(this.#head, NEXT_TICKET, 1);
    let closed = false;
    this.#await(() => {
      if (this.#holds(sequence, FILLED)) return true;
      closed = Atomics.load(this.#head, CLOSED) === 1;
      return closed;
    });
    if (closed && !this.#holds(sequence, FILLED)) return null;
    return { sequence, slot: this.#slot(sequence) };
  }

  /** Codec: the work on this slot is done. */
  finish(sequence: number): void {
    this.#setWord(sequence, W_STATE, DONE);
    this.#control.signal();
  }

  /** Consumer: waits for the slot of this sequence number. */
  take(sequence: number): Slot {
    this.#await(() => this.#holds(sequence, DONE));
    return this.#slot(sequence);
  }

  release(sequence: number): void {
    this.#setWord(sequence, W_STATE, FREE);
    this.#control.signal();
  }

  /** Consumer: leaves a slot that it has taken to the senders, in its stead. */
  place(sequence: number): void {
    Atomics.add(this.#head, TO_SEND, 1);
    this.#setWord(sequence, W_STATE, PLACED);
    this.#control.signal();
  }

  /** Consumer: nothing more is placed. Waits until all is sent; the senders end. */
  awaitSent(): void {
    Atomics.store(this.#head, SENT_ALL, 1);
    this.#control.signal();
    this.#await(() => Atomics.load(this.#head, TO_SEND) === 0);
  }

  /** Sender: any placed slot, or null when there are no more; to be given back with `sent`. */
  claimPlaced(): { readonly index: number; readonly slot: Slot } | null {
    let index = -1;
    let isOver = false;
    this.#await(() => {
      // Looked at first: what is placed before the end is not overlooked then.
      isOver = Atomics.load(this.#head, SENT_ALL) === 1;
      index = this.#takePlaced();
      return index >= 0 || isOver;
    });
    return index < 0 ? null : { index, slot: this.#slot(index) };
  }

  /** Sender: the slot is written and free again. */
  sent(index: number): void {
    this.#setWord(index, W_STATE, FREE);
    Atomics.sub(this.#head, TO_SEND, 1);
    this.#control.signal();
  }

  #takePlaced(): number {
    for (let index = 0; index < this.slotCount; index += 1) {
      const at = index * META_WORDS + W_STATE;
      if (Atomics.compareExchange(this.#meta, at, PLACED, SENDING) === PLACED) return index;
    }
    return -1;
  }

  #await(ready: () => boolean): void {
    for (;;) {
      const ticket = this.#control.ticket();
      if (ready()) return;
      if (this.#control.isStopped()) this.#control.check();
      this.#control.wait(ticket);
    }
  }

  #holds(sequence: number, state: number): boolean {
    return this.#word(sequence, W_STATE) === state && this.#word(sequence, W_SEQUENCE) === (sequence | 0);
  }

  #slot(sequence: number): Slot {
    const slot = this.#slots[sequence % this.slotCount];
    if (slot === undefined) throw new Error('ring index out of range');
    return slot;
  }

  #word(sequence: number, word: number): number {
    return Atomics.load(this.#meta, (sequence % this.slotCount) * META_WORDS + word);
  }

  #setWord(sequence: number, word: number, value: number): void {
    Atomics.store(this.#meta, (sequence % this.slotCount) * META_WORDS + word, value);
  }

  #view(index: number, hashBytes: Buffer, bytes: Buffer): Slot {
    const meta = this.#meta;
    const numbers = this.#numbers;
    const base = index * META_WORDS;
    const read = (word: number) => meta[base + word] ?? 0;
    const write = (word: number, value: number) => {
      meta[base + word] = value;
    };
    return {
      bytes,
      get kind() {
        return read(W_KIND);
      },
      set kind(value) {
        write(W_KIND, value);
      },
      get rawLength() {
        return read(W_RAW_LENGTH);
      },
      set rawLength(value) {
        write(W_RAW_LENGTH, value);
      },
      get length() {
        return read(W_LENGTH);
      },
      set length(value) {
        write(W_LENGTH, value);
      },
      get status() {
        return read(W_STATUS);
      },
      set status(value) {
        write(W_STATUS, value);
      },
      get first() {
        return numbers[index * 2] ?? 0;
      },
      set first(value) {
        numbers[index * 2] = value;
      },
      get second() {
        return numbers[index * 2 + 1] ?? 0;
      },
      set second(value) {
        numbers[index * 2 + 1] = value;
      },
      get hash() {
        return hashBytes.toString('latin1', 0, read(W_HASH_LENGTH));
      },
      set hash(value) {
        write(W_HASH_LENGTH, hashBytes.write(value, 0, 'latin1'));
      },
    };
  }
}

/** Slots for a number of codecs: each one at work, one waiting, and a few for producer and consumer; one for each sender. */
export function slotsFor(codecs: number, senders = 0): number {
  return 3 + 3 * Math.max(1, codecs) + senders;
}
