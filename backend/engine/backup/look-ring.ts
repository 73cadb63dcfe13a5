import type { AtCalls } from '../../platform/at-calls.ts';
import type { ByteString } from '../../platform/byte-path.ts';
import { LOOK_WORDS, SystemLook } from '../../platform/system-look.ts';
import type { Control } from '../job/control.ts';
import { takeShared } from '../job/kept-memory.ts';

/**
 * What the look-ahead thread tells the reader, record by record through shared memory: a folder, then its children in the order
 * of their names, each with what the system told of it, then the folder's end; then the folders in it, one after the other.
 */
export type LookKind =
  | 'folder'
  /** A folder that could not be listed. */
  | 'unlisted'
  | 'child'
  /** A child that could not be looked at. */
  | 'unseen'
  /** Of the children of a folder. */
  | 'end'
  /** Nothing comes any more. */
  | 'over';

export type LookInto = NonNullable<AtCalls['lookInto']>;

/** Words at the beginning of the memory. */
const WRITTEN = 0;
const READ = 1;
const READER_WAITS = 2;
const WRITER_WAITS = 3;
const IS_OVER = 4;
const HEAD_WORDS = 16;

/** A record: its kind with the length of its name, its words in all, two words for the kind, its look if it has one, its name. */
const FIXED_WORDS = 4;
const KINDS: readonly LookKind[] = ['folder', 'unlisted', 'child', 'unseen', 'end', 'over'];
/** The rest of the memory is not used: the next record is at its beginning. */
const WRAP = KINDS.length;
const KIND_BITS = 3;

/** Waking the other side for each record would cost more than the record. */
const WORDS_PER_CALL = 2048;
const WAIT_MS = 5;

/** `words`: a power of two, at least 4,096. */
export function lookMemory(words: number): SharedArrayBuffer {
  return takeShared((HEAD_WORDS + words) * 4, HEAD_WORDS * 4);
}

/** Both sides count words without end and meet at the remainder, so differences are what counts. */
class LookRing {
  protected readonly head: Int32Array;
  protected readonly words: Uint32Array;
  protected readonly bytes: Buffer;
  protected readonly size: number;
  protected readonly control: Control;
  /** Of the child that was written, or is read; valid until the next record. */
  readonly look: SystemLook;
  /** Where this side is. */
  protected position = 0;

  constructor(memory: SharedArrayBuffer, control: Control) {
    this.head = new Int32Array(memory, 0, HEAD_WORDS);
    this.words = new Uint32Array(memory);
    this.bytes = Buffer.from(memory);
    this.size = this.words.length - HEAD_WORDS;
    this.control = control;
    this.look = new SystemLook(memory);
  }

  protected get place(): number {
    return HEAD_WORDS + (this.position & (this.size - 1));
  }

  /** The other side has a place of its own, which it wakes this one after having moved. */
  protected waitFor(other: number, flag: number, isThere: () => boolean, onLong?: () => void): void {
    const { head } = this;
    for (let waits = 0; !isThere(); waits += 1) {
      this.control.check();
      if (waits === LONG_WAITS) onLong?.();
      const seen = Atomics.load(head, other);
      Atomics.store(head, flag, 1);
      if (!isThere()) Atomics.wait(head, other, seen, WAIT_MS);
      Atomics.store(head, flag, 0);
    }
  }

  protected call(other: number, flag: number): void {
    if (Atomics.load(this.head, flag) !== 0) Atomics.notify(this.head, other);
  }
}

/** A second. */
const LONG_WAITS = 200;

export class LookWriter extends LookRing {
  #called = 0;

  /** False when nobody reads any more. */
  get isWanted(): boolean {
    return Atomics.load(this.head, IS_OVER) === 0;
  }

  /** `depth` of a folder; `text` is a name, or whatever else. */
  put(kind: Exclude<LookKind, 'child'>, text: ByteString, depth: number): void {
    this.#begin(text);
    this.words[this.place + 2] = depth;
    this.#finish(kind, text, FIXED_WORDS);
  }

  /** Nothing is written when the look throws. */
  child(folder: number, name: ByteString, lookInto: LookInto): void {
    this.#begin(name);
    this.look.at = this.place + FIXED_WORDS;
    lookInto(folder, name, this.words, this.look.at);
    this.#finish('child', name, FIXED_WORDS + LOOK_WORDS);
  }

  /** What was written so far is there. */
  flush(): void {
    this.#called = this.position;
    this.call(WRITTEN, READER_WAITS);
  }

  /** Room for a record of this text, in one piece. */
  #begin(text: ByteString): void {
    const most = wordsOf(text, FIXED_WORDS + LOOK_WORDS);
    const left = this.size - (this.position & (this.size - 1));
    const needed = left < most ? left + most : most;
    if (this.#free() < needed) this.#makeRoom(needed);
    if (left >= most) return;
    this.words[this.place] = WRAP;
    this.words[this.place + 1] = left;
    this.position = (this.position + left) | 0;
  }

  #finish(kind: LookKind, text: ByteString, before: number): void {
    const { place, words, bytes } = this;
    const { length } = text;
    const all = wordsOf(text, before);
    words[place] = KINDS.indexOf(kind) | (length << KIND_BITS);
    words[place + 1] = all;
    const from = (place + before) * 4;
    for (let index = 0; index < length; index += 1) bytes[from + index] = text.charCodeAt(index);
    this.position = (this.position + all) | 0;
    Atomics.store(this.head, WRITTEN, this.position);
    if (((this.position - this.#called) | 0) >= WORDS_PER_CALL) this.flush();
  }

  #free(): number {
    return this.size - ((this.position - Atomics.load(this.head, READ)) | 0);
  }

  /** Half of the memory at once, so that the two do not wake each other record by record. */
  #makeRoom(needed: number): void {
    this.flush();
    const wanted = Math.max(needed, this.size / 2);
    this.waitFor(READ, WRITER_WAITS, () => this.#free() >= wanted || !this.isWanted);
  }
}

export class LookReader extends LookRing {
  #called = 0;
  #known = 0;

  /** The record that is next, for which it waits; `onLong` when that takes more than a second. */
  kind(onLong?: () => void): LookKind {
    this.#await(onLong);
    if ((this.words[this.place] ?? 0) === WRAP) {
      this.pass();
      this.#await(onLong);
    }
    this.look.at = this.place + FIXED_WORDS;
    return KINDS[(this.words[this.place] ?? 0) & ((1 << KIND_BITS) - 1)] ?? 'over';
  }

  get depth(): number {
    return this.words[this.place + 2] ?? 0;
  }

  /** Of a record of this kind. */
  text(kind: LookKind): ByteString {
    const length = (this.words[this.place] ?? 0) >>> KIND_BITS;
    const from = (this.place + FIXED_WORDS + (kind === 'child' ? LOOK_WORDS : 0)) * 4;
    return this.bytes.toString('latin1', from, from + length);
  }

  /** The record is done with. */
  pass(): void {
    this.position = (this.position + (this.words[this.place + 1] ?? 0)) | 0;
    Atomics.store(this.head, READ, this.position);
    if (((this.position - this.#called) | 0) < this.size / 2) return;
    this.#called = this.position;
    this.call(READ, WRITER_WAITS);
  }

  close(): void {
    Atomics.store(this.head, IS_OVER, 1);
    this.call(READ, WRITER_WAITS);
  }

  #await(onLong: (() => void) | undefined): void {
    if (this.#known !== this.position) return;
    this.#known = Atomics.load(this.head, WRITTEN);
    if (this.#known !== this.position) return;
    this.waitFor(
      WRITTEN,
      READER_WAITS,
      () => {
        this.#known = Atomics.load(this.head, WRITTEN);
        return this.#known !== this.position;
      },
      onLong,
    );
  }
}

/** Even, so that every look lies at an even place. */
function wordsOf(text: ByteString, before: number): number {
  const words = before + Math.ceil(text.length / 4);
  return words + (words & 1);
}
