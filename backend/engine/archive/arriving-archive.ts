import fs from 'node:fs';
import { readFullySync } from '../../platform/files.ts';
import type { ByteSource } from '../crypto/byte-source.ts';
import type { Control } from '../job/control.ts';
import { FIRST_OWN_WORD, SharedWindow } from './shared-window.ts';

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
const IS_LOST = FIRST_OWN_WORD;
const IS_OVER = FIRST_OWN_WORD + 1;
/** How long a reader sleeps before it looks whether its job was stopped. */
const WAIT_MS = 50;

/** What was lost, and whether the reading is over. Nobody waits for a reader that is slow. */
class Arriving extends SharedWindow {
  get isLost(): boolean {
    return Atomics.load(this.words, IS_LOST) === 1;
  }

  protected lose(): void {
    Atomics.store(this.words, IS_LOST, 1);
  }

  get isOver(): boolean {
    return Atomics.load(this.words, IS_OVER) === 1;
  }

  takeNoMore(): void {
    Atomics.store(this.words, IS_OVER, 1);
  }
}

/** The side that brings the bytes. */
export class ArchiveArrival extends Arriving {
  static memory(windowBytes = WINDOW_BYTES): SharedArrayBuffer {
    const memory = SharedWindow.memoryFor(windowBytes);
    // Nothing is taken in order until a reader says so.
    new SharedWindow(memory).taken = -1;
    return memory;
  }

  /** The archive from its beginning on. What was brought already is passed over: a reading that began anew brings it again. */
  async put(
    data: Uint8Array,
    offset: number,
    write: (data: Uint8Array, offset: number) => Promise<void>,
  ): Promise<void> {
    const { arrived } = this;
    if (offset + data.length <= arrived) return;
    const fresh = data.subarray(Math.max(0, arrived - offset));
    const isKept = !this.isOver;
    if (this.#isForWindow(arrived, fresh.length)) this.putIntoWindow(fresh, arrived);
    else if (isKept) await write(fresh, arrived);
    this.arrived = arrived + fresh.length;
  }

  #isForWindow(at: number, length: number): boolean {
    const { taken, isInWindow } = this;
    // Once the window was full, the reader has to be near again.
    const room = isInWindow ? this.window.length : this.window.length / 2;
    const isWanted = taken >= 0 && at + length - taken <= room;
    if (isWanted === isInWindow) return isInWindow;
    return this.turn(at) ? isWanted : isInWindow;
  }
}

/** Whether somebody asked for bytes that were not kept any more: what was read is not all that is there. */
export function wasLost(memory: SharedArrayBuffer): boolean {
  return new Arriving(memory).isLost;
}

/** Nobody reads any more: what still comes need not be kept. */
export function takeNoMore(memory: SharedArrayBuffer): void {
  new Arriving(memory).takeNoMore();
}

/** From now on all is read once and in order, so that it need not be kept. */
export function takeInOrder(memory: SharedArrayBuffer): void {
  new Arriving(memory).taken = 0;
}

/** The side that reads: waits for what has not arrived. */
export class ArrivingSource extends Arriving implements ByteSource {
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
    return this.arrived;
  }

  /** Throws `cancelled` when the job is stopped while it waits. */
  read(into: Buffer, offset: number): number {
    const end = Math.min(this.#waitFor(offset + into.length), offset + into.length);
    let at = offset;
    while (at < end) {
      const { isInWindow, until } = this.runOf(at);
      const part = into.subarray(at - offset, Math.min(end, until) - offset);
      const count = isInWindow ? this.#takeFromWindow(part, at) : this.#readFile(part, at);
      if (count === 0) break;
      at += count;
    }
    const { taken } = this;
    if (taken >= 0 && at > taken) this.taken = at;
    return Math.max(0, at - offset);
  }

  close(): void {
    if (this.#fd !== null) fs.closeSync(this.#fd);
    this.#fd = null;
  }

  #waitFor(end: number): number {
    for (;;) {
      const seen = this.ticket();
      const isWhole = this.isWhole;
      const { arrived } = this;
      if (arrived >= end || isWhole) return arrived;
      this.#control.check();
      this.waitForChange(seen, WAIT_MS);
    }
  }

  #takeFromWindow(into: Buffer, at: number): number {
    // What lies before may be overwritten at any time.
    if (at < this.taken) {
      this.lose();
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
