/** The longest hash has 512 bits: 88 characters of base64. */
export const HASH_CHARS = 96;
/** Of each slot. */
export const META_WORDS = 16;

export const W_STATE = 0;
const W_KIND = 1;
const W_RAW_LENGTH = 2;
const W_LENGTH = 3;
const W_STATUS = 4;
const W_HASH_LENGTH = 5;
const W_PASSED = 6;
/** Which piece of the memory the slot has. */
export const W_MEMORY = 7;

export interface Slot {
  /** The memory that the slot has now: `exchange` gives it another one. */
  readonly bytes: Buffer;
  kind: number;
  /** Bytes before the codec's work when encoding, expected bytes after it when decoding. */
  rawLength: number;
  /** Of `rawLength`, what the consumer has let through. */
  passed: number;
  /** Bytes that lie in the slot now. */
  length: number;
  /** 0 = good; the codec's own numbers else. */
  status: number;
  /** Free for the users: an ordinal, an offset. */
  first: number;
  second: number;
  hash: string;
}

/** Where the facts of one slot lie in the shared memory of its ring. */
export interface SlotPlace {
  readonly index: number;
  /** Of all slots. */
  readonly meta: Int32Array;
  /** Of all slots, two each. */
  readonly numbers: Float64Array;
  /** Of this slot, `HASH_CHARS` long. */
  readonly hashBytes: Buffer;
  readonly memoryOf: (number: number) => Buffer;
}

/** A slot as an object: reads and writes the shared memory itself, so that both sides see the same. */
export function slotView({ index, meta, numbers, hashBytes, memoryOf }: SlotPlace): Slot {
  const base = index * META_WORDS;
  const read = (word: number) => meta[base + word] ?? 0;
  const write = (word: number, value: number) => {
    meta[base + word] = value;
  };
  return {
    get bytes() {
      return memoryOf(read(W_MEMORY));
    },
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
    get passed() {
      return read(W_PASSED);
    },
    set passed(value) {
      write(W_PASSED, value);
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
