import type { ItemLook } from './at-calls.ts';
import { deviceNumber } from './native.ts';

/** Words of 32 bits of what statx tells, as far as it is needed. */
export const LOOK_WORDS = 36;

/** What statx told (its layout is the kernel's, statx(2)) where it lies in memory, read field by field when it is asked for. */
export class SystemLook implements ItemLook {
  /** Where it begins, in words of 32 bits; even. */
  at = 0;
  readonly #words: Uint32Array;
  readonly #longs: BigInt64Array;
  readonly #signed: Int32Array;
  #major = -1;
  #minor = -1;
  #device = 0n;

  constructor(memory: ArrayBufferLike) {
    this.#words = new Uint32Array(memory);
    this.#longs = new BigInt64Array(memory);
    this.#signed = new Int32Array(memory);
  }

  get mode(): number {
    return this.#word(7) & 0xffff;
  }
  get links(): number {
    return this.#word(4);
  }
  get uid(): number {
    return this.#word(5);
  }
  get gid(): number {
    return this.#word(6);
  }
  get sizeBytes(): number {
    return this.#number(10);
  }
  get allocatedBytes(): number {
    return this.#number(12) * 512;
  }
  get inode(): bigint {
    return this.#long(4);
  }
  get ctimeNs(): bigint {
    return this.#nanoseconds(12);
  }
  get mtimeNs(): bigint {
    return this.#nanoseconds(14);
  }
  get rdev(): bigint {
    return deviceNumber(this.#word(32), this.#word(33));
  }
  /** Nearly always the same as the one before. */
  get device(): bigint {
    const [major, minor] = [this.#word(34), this.#word(35)];
    if (major !== this.#major || minor !== this.#minor) {
      this.#major = major;
      this.#minor = minor;
      this.#device = deviceNumber(major, minor);
    }
    return this.#device;
  }

  get inodeNumber(): number {
    return this.#number(8);
  }
  get ctimeSeconds(): number {
    return this.#seconds(24);
  }
  get ctimeRestNs(): number {
    return this.#word(26);
  }
  get mtimeSeconds(): number {
    return this.#seconds(28);
  }
  get mtimeRestNs(): number {
    return this.#word(30);
  }

  #word(index: number): number {
    return this.#words[this.at + index] ?? 0;
  }

  #long(index: number): bigint {
    return this.#longs[this.at / 2 + index] ?? 0n;
  }

  #seconds(word: number): number {
    return this.#word(word) + (this.#signed[this.at + word + 1] ?? 0) * 4_294_967_296;
  }

  #number(word: number): number {
    return this.#word(word) + this.#word(word + 1) * 4_294_967_296;
  }

  #nanoseconds(long: number): bigint {
    return this.#long(long) * 1_000_000_000n + BigInt(this.#word(2 * long + 2));
  }
}
