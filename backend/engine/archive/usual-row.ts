import type { ByteString } from '../../platform/byte-path.ts';
import { BACKSLASH, BRACKET, COMMA, NEWLINE, NINE, QUOTE, ZERO } from './ascii.ts';
import { HASH_LENGTH } from './hash.ts';

/** Exact as a number, whatever the digits. */
const MOST_DIGITS = 15;
/** Nanoseconds of nine digits, and seconds before them. */
const REST_DIGITS = 9;
const MOST_TIME_DIGITS = REST_DIGITS + MOST_DIGITS;

const AFTER_NAME = Buffer.from('","f",');
const AFTER_HASH = Buffer.from('",{');
const END = Buffer.from('}]\n');
const OFFSET = Buffer.from('"o":');
const LENGTH = Buffer.from('"l":');
const HOLDER = Buffer.from('"r":');
const INODE = Buffer.from('"i":');
const CHANGE = Buffer.from(',"t":');

/**
 * The line of a file as nearly all are, read where it lies: no text, no number of any length and no object is made for it, since
 * with an unchanged tree that would be most of the work. One is used for all lines, one after the other.
 */
export class UsualRow {
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  /** Behind the line. */
  end = 0;
  /** Where what belongs to one copy only begins (offset, length, holder), and where it ends. */
  extrasAt = 0;
  stampAt = 0;
  sizeBytes = 0;
  mode = 0;
  uid = 0;
  gid = 0;
  mtimeSeconds = 0;
  mtimeRestNs = 0;
  inode = 0;
  ctimeSeconds = 0;
  ctimeRestNs = 0;
  /** As the line says; -1 where it does not. */
  saidOffset = -1;
  saidLength = -1;
  saidHolder = -1;
  /** What the line says, or what follows from the rows before it: for the codec to set. */
  headerOffset = 0;
  headerLength = 0;
  #nameAt = 0;
  #nameEnd = 0;
  #hashAt = 0;
  #hashEnd = 0;
  #at = 0;
  #seconds = 0;
  #rest = 0;

  /** False when the line is not like that, or has characters that are written as others: then it is to be decoded. */
  read(bytes: Buffer, start: number): boolean {
    this.bytes = bytes;
    this.start = start;
    this.#at = start + 2;
    if (bytes[start] !== BRACKET || bytes[start + 1] !== QUOTE) return false;
    this.#nameAt = this.#at;
    this.#toQuote();
    this.#nameEnd = this.#at;
    return this.#skip(AFTER_NAME) && this.#readFacts() && this.#readExtras();
  }

  /** Below 0: the row's name comes before this one in the order of bytes; above 0: after it. */
  compareName(name: string): number {
    const { bytes } = this;
    const from = this.#nameAt;
    const length = this.#nameEnd - from;
    const both = Math.min(length, name.length);
    for (let index = 0; index < both; index += 1) {
      const difference = (bytes[from + index] ?? 0) - name.charCodeAt(index);
      if (difference !== 0) return difference;
    }
    return length - name.length;
  }

  /** Only characters that are written as themselves are in it. */
  get name(): ByteString {
    return this.bytes.toString('latin1', this.#nameAt, this.#nameEnd);
  }

  get hash(): string {
    return this.bytes.toString('latin1', this.#hashAt, this.#hashEnd);
  }

  #readFacts(): boolean {
    this.sizeBytes = this.#number();
    this.mode = this.#nextNumber();
    this.uid = this.#nextNumber();
    this.gid = this.#nextNumber();
    if (this.sizeBytes < 0 || this.mode < 0 || this.uid < 0 || this.gid < 0) return false;
    const { bytes } = this;
    if (bytes[this.#at] !== COMMA || bytes[this.#at + 1] !== QUOTE) return false;
    this.#at += 2;
    if (!this.#time()) return false;
    this.mtimeSeconds = this.#seconds;
    this.mtimeRestNs = this.#rest;
    if (bytes[this.#at] !== QUOTE || bytes[this.#at + 1] !== COMMA || bytes[this.#at + 2] !== QUOTE)
      return false;
    this.#at += 3;
    this.#hashAt = this.#at;
    this.#toQuote();
    this.#hashEnd = this.#at;
    const hashLength = this.#hashEnd - this.#hashAt;
    return (hashLength === 0 || hashLength === HASH_LENGTH) && this.#skip(AFTER_HASH);
  }

  #readExtras(): boolean {
    this.extrasAt = this.#at;
    this.saidOffset = this.#extra(OFFSET);
    this.saidLength = this.#extra(LENGTH);
    this.saidHolder = this.#extra(HOLDER);
    if (this.saidOffset < -1 || this.saidLength < -1 || this.saidHolder < -1) return false;
    this.stampAt = this.#at;
    if (!this.#skip(INODE)) return false;
    this.inode = this.#number();
    if (this.inode < 0 || !this.#skip(CHANGE)) return false;
    // A text where a number would not be exact.
    const isText = this.bytes[this.#at] === QUOTE;
    if (isText) this.#at += 1;
    if (!this.#time()) return false;
    if (isText) {
      if (this.bytes[this.#at] !== QUOTE) return false;
      this.#at += 1;
    }
    const rest = this.mtimeRestNs + this.#rest;
    const carried = rest >= 1e9 ? 1 : 0;
    this.ctimeSeconds = this.mtimeSeconds + this.#seconds + carried;
    this.ctimeRestNs = rest - carried * 1e9;
    if (!this.#skip(END)) return false;
    this.end = this.#at;
    return true;
  }

  /** -1 when it is not there, -2 when it is no such number. */
  #extra(name: Buffer): number {
    if (!this.#skip(name)) return -1;
    const value = this.#number();
    if (value < 0 || this.bytes[this.#at] !== COMMA) return -2;
    this.#at += 1;
    return value;
  }

  #skip(wanted: Buffer): boolean {
    for (let index = 0; index < wanted.length; index += 1) {
      if (this.bytes[this.#at + index] !== wanted[index]) return false;
    }
    this.#at += wanted.length;
    return true;
  }

  /** To the next quote; or to what is written as something else, which no quote follows then. */
  #toQuote(): void {
    const { bytes } = this;
    let at = this.#at;
    for (;;) {
      const byte = bytes[at] ?? NEWLINE;
      if (byte === QUOTE || byte === BACKSLASH || byte < 32 || byte > 126) break;
      at += 1;
    }
    this.#at = at;
  }

  #nextNumber(): number {
    if (this.bytes[this.#at] !== COMMA) return -1;
    this.#at += 1;
    return this.#number();
  }

  /** -1 when there is none, or one that JSON has no such form for, or too long a one. */
  #number(): number {
    const { bytes } = this;
    const from = this.#at;
    let at = from;
    let value = 0;
    for (;;) {
      const byte = bytes[at] ?? 0;
      if (byte < ZERO || byte > NINE) break;
      value = value * 10 + byte - ZERO;
      at += 1;
    }
    this.#at = at;
    const digits = at - from;
    if (digits === 0 || digits > MOST_DIGITS) return -1;
    return digits > 1 && bytes[from] === ZERO ? -1 : value;
  }

  /** Nanoseconds from 0 on, as whole seconds and the rest. */
  #time(): boolean {
    const { bytes } = this;
    const from = this.#at;
    let end = from;
    for (; ; end += 1) {
      const byte = bytes[end] ?? 0;
      if (byte < ZERO || byte > NINE) break;
    }
    const digits = end - from;
    if (digits === 0 || digits > MOST_TIME_DIGITS) return false;
    if (digits > 1 && bytes[from] === ZERO) return false;
    const middle = Math.max(from, end - REST_DIGITS);
    this.#seconds = this.#value(from, middle);
    this.#rest = this.#value(middle, end);
    this.#at = end;
    return true;
  }

  #value(from: number, end: number): number {
    let value = 0;
    for (let at = from; at < end; at += 1) value = value * 10 + (this.bytes[at] ?? 0) - ZERO;
    return value;
  }
}
