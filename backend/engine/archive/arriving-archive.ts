import fs from 'node:fs';
import { readFullySync } from '../../platform/files.ts';
import type { ByteSource } from '../crypto/byte-source.ts';
import type { Control } from '../job/control.ts';

/** The archive of a copy that another thread brings from its beginning on, while it is read already. */
export interface ArrivingArchive {
  readonly memory: SharedArrayBuffer;
  /** Where the archive grows. Made before its first byte has arrived. */
  readonly folder: string;
  /** About as much as it will be. */
  readonly bytes: number;
}

/** Bytes that whoever reads in order may be behind before they go through the disk. */
const WINDOW_BYTES = 67_108_864;
/** Changes between disk and memory that are noted; after the last one all goes through the disk. */
const MOST_RUNS = 1000;

const CHANGES = 0;
const RUNS = 1;
const IS_WHOLE = 2;
const IS_LOST = 3;
const IS_OVER = 4;
const WORDS = 5;
const NUMBERS_AT = 64;
const ARRIVED = 0;
const TAKEN = 1;
const FIRST_RUN = 2;
const WINDOW_AT = NUMBERS_AT + 8 * (FIRST_RUN + MOST_RUNS);
/** How long a reader sleeps before it looks whether its job was stopped. */
const WAIT_MS = 50;

/**
 * What both sides share. Bytes lie in runs: those of even runs in the file, those of odd ones in a window of memory that is used again and
 * again. A run begins where the one before ends; the first one at 0. Nobody waits for a reader that is slow.
 */
class Shared {
  protected readonly words: Int32Array;
  protected readonly numbers: BigInt64Array;
  protected readonly window: Buffer;

  constructor(memory: SharedArrayBuffer) {
    this.words = new Int32Array(memory, 0, WORDS);
    this.numbers = new BigInt64Array(memory, NUMBERS_AT, FIRST_RUN + MOST_RUNS);
    this.window = Buffer.from(memory, WINDOW_AT);
  }

  protected number(index: number): number {
    return Number(Atomics.load(this.numbers, index));
  }

  protected change(): void {
    Atomics.add(this.words, CHANGES, 1);
    Atomics.notify(this.words, CHANGES);
  }
}

/** The side that brings the bytes. */
export class ArchiveArrival extends Shared {
  /** Memory is only taken for what is really used of it. */
  static memory(windowBytes = WINDOW_BYTES): SharedArrayBuffer {
    const memory = new SharedArrayBuffer(WINDOW_AT + windowBytes);
    // Nothing is taken in order until a reader says so.
    new BigInt64Array(memory, NUMBERS_AT, FIRST_RUN)[TAKEN] = -1n;
    return memory;
  }

  /** The archive from its beginning on. What was brought already is passed over: a reading that began anew brings it again. */
  async put(
    data: Uint8Array,
    offset: number,
    write: (data: Uint8Array, offset: number) => Promise<void>,
  ): Promise<void> {
    const arrived = this.number(ARRIVED);
    if (offset + data.length <= arrived) return;
    const fresh = data.subarray(Math.max(0, arrived - offset));
    const isKept = Atomics.load(this.words, IS_OVER) === 0;
    if (this.#isForWindow(arrived, fresh.length)) this.#putIntoWindow(fresh, arrived);
    else if (isKept) await write(fresh, arrived);
    Atomics.store(this.numbers, ARRIVED, BigInt(arrived + fresh.length));
    this.change();
  }

  /** Nothing more follows. */
  end(): void {
    Atomics.store(this.words, IS_WHOLE, 1);
    this.change();
  }

  #isForWindow(at: number, length: number): boolean {
    const taken = this.number(TAKEN);
    const runs = Atomics.load(this.words, RUNS);
    const isInWindow = runs % 2 === 1;
    // Once the window was full, the reader has to be near again.
    const room = isInWindow ? this.window.length : this.window.length / 2;
    const isWanted = taken >= 0 && at + length - taken <= room;
    if (isWanted === isInWindow) return isInWindow;
    // The last run is one of the file.
    if (!isInWindow && runs + 2 > MOST_RUNS) return false;
    Atomics.store(this.numbers, FIRST_RUN + runs, BigInt(at));
    Atomics.store(this.words, RUNS, runs + 1);
    return isWanted;
  }

  #putIntoWindow(data: Uint8Array, at: number): void {
    const place = at % this.window.length;
    const first = Math.min(data.length, this.window.length - place);
    this.window.set(data.subarray(0, first), place);
    this.window.set(data.subarray(first), 0);
  }
}

/** Whether somebody asked for bytes that were not kept any more: what was read is not all that is there. */
export function wasLost(memory: SharedArrayBuffer): boolean {
  return Atomics.load(new Int32Array(memory, 0, WORDS), IS_LOST) === 1;
}

/** Nobody reads any more: what still comes need not be kept. */
export function takeNoMore(memory: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(memory, 0, WORDS), IS_OVER, 1);
}

/** From now on all is read once and in order, so that it need not be kept. */
export function takeInOrder(memory: SharedArrayBuffer): void {
  Atomics.store(new BigInt64Array(memory, NUMBERS_AT, FIRST_RUN), TAKEN, 0n);
}

/** The side that reads: waits for what has not arrived. */
export class ArrivingSource extends Shared implements ByteSource {
  readonly #file: string;
  readonly #control: Control;
  #fd: number | null = null;

  constructor(memory: SharedArrayBuffer, file: string, control: Control) {
    super(memory);
    this.#file = file;
    this.#control = control;
  }

  /** Bytes so far. */
  get size(): number {
    return this.number(ARRIVED);
  }

  /** Throws `cancelled` when the job is stopped while it waits. */
  read(into: Buffer, offset: number): number {
    const end = Math.min(this.#waitFor(offset + into.length), offset + into.length);
    let at = offset;
    while (at < end) {
      const { isInWindow, until } = this.#runOf(at);
      const part = into.subarray(at - offset, Math.min(end, until) - offset);
      const count = isInWindow ? this.#takeFromWindow(part, at) : this.#readFile(part, at);
      if (count === 0) break;
      at += count;
    }
    const taken = this.number(TAKEN);
    if (taken >= 0 && at > taken) Atomics.store(this.numbers, TAKEN, BigInt(at));
    return Math.max(0, at - offset);
  }

  close(): void {
    if (this.#fd !== null) fs.closeSync(this.#fd);
    this.#fd = null;
  }

  #waitFor(end: number): number {
    for (;;) {
      const seen = Atomics.load(this.words, CHANGES);
      const isWhole = Atomics.load(this.words, IS_WHOLE) === 1;
      const arrived = this.number(ARRIVED);
      if (arrived >= end || isWhole) return arrived;
      this.#control.check();
      Atomics.wait(this.words, CHANGES, seen, WAIT_MS);
    }
  }

  #runOf(at: number): { readonly isInWindow: boolean; readonly until: number } {
    const runs = Atomics.load(this.words, RUNS);
    for (let run = runs; run >= 0; run -= 1) {
      const begin = run === 0 ? 0 : this.number(FIRST_RUN + run - 1);
      if (at < begin) continue;
      const until = run === runs ? Number.POSITIVE_INFINITY : this.number(FIRST_RUN + run);
      return { isInWindow: run % 2 === 1, until };
    }
    return { isInWindow: false, until: Number.POSITIVE_INFINITY };
  }

  #takeFromWindow(into: Buffer, at: number): number {
    // What lies before may be overwritten at any time.
    if (at < this.number(TAKEN)) {
      Atomics.store(this.words, IS_LOST, 1);
      return 0;
    }
    const place = at % this.window.length;
    const first = Math.min(into.length, this.window.length - place);
    this.window.copy(into, 0, place, place + first);
    this.window.copy(into, first, 0, into.length - first);
    return into.length;
  }

  #readFile(into: Buffer, at: number): number {
    this.#fd ??= fs.openSync(this.#file, 'r');
    return readFullySync(this.#fd, into, at);
  }
}
