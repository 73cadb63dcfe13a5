import fs from 'node:fs';
import path from 'node:path';
import { writeAllSync } from '../../platform/files.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { FIRST_OWN_WORD, SharedWindow } from './shared-window.ts';

/**
 * The archive of a copy on its way from the thread that makes it to one that takes it in order, and gives it on at its own pace. What was taken
 * is kept no longer, so that there is never more of it than `bytes`; whoever makes it waits then.
 */
export interface ArchiveFeed {
  readonly memory: SharedArrayBuffer;
  /** Of what does not fit into the memory, in files of `SEGMENT_BYTES`. */
  readonly folder: string;
  /** What may wait, in memory and on the disk. */
  readonly bytes: number;
}

/** All lies in blocks of this size: each is whole in the memory, or whole in a file. */
export const FEED_BLOCK_BYTES = 262_144;
export const SEGMENT_BYTES = 67_108_864;
/** In memory, before the disk is needed. */
export const FEED_WINDOW_BYTES = 67_108_864;

const TAKES = FIRST_OWN_WORD;
const IS_HELD_UP = FIRST_OWN_WORD + 1;
/** How long a thread sleeps before it looks whether its job was stopped. */
const WAIT_MS = 50;

/** How it is judged whether a drive takes the archive now, so that it is waited for. */
export interface FeedPatience {
  readonly nowMs: () => number;
  /** A drive that has taken nothing for so long stands: what comes meanwhile waits on the disk. */
  readonly patienceMs: number;
}
const usualPatience: FeedPatience = { nowMs: () => performance.now(), patienceMs: 1000 };

/** What both sides share. */
export class FeedWindow extends SharedWindow {
  /** Whoever brings waits for room. */
  get isHeldUp(): boolean {
    return Atomics.load(this.words, IS_HELD_UP) === 1;
  }

  set isHeldUp(isSo: boolean) {
    Atomics.store(this.words, IS_HELD_UP, isSo ? 1 : 0);
    this.change();
  }

  /** What lies before is not needed any more: its room can be used. */
  release(before: number): void {
    this.taken = before;
    Atomics.add(this.words, TAKES, 1);
    Atomics.notify(this.words, TAKES);
  }

  placeOf(at: number): { readonly isInWindow: boolean } {
    return this.runOf(at);
  }

  protected takes(): number {
    return Atomics.load(this.words, TAKES);
  }

  protected waitForTake(ticket: number): void {
    Atomics.wait(this.words, TAKES, ticket, WAIT_MS);
  }
}

export function segmentFile(folder: string, at: number): string {
  return path.join(folder, `feed-${Math.floor(at / SEGMENT_BYTES)}`);
}

/** How much of the archive is kept no longer. */
export function releasedBytes({ memory }: ArchiveFeed): number {
  return new FeedWindow(memory).taken;
}

/** The side that brings the archive, from its beginning on. Works without an event loop. */
export class FeedInput extends FeedWindow {
  readonly #folder: string;
  readonly #control: Control;
  readonly #begun = Buffer.allocUnsafe(FEED_BLOCK_BYTES);
  #begunBytes = 0;
  #room: number;
  #segment: { readonly file: string; readonly fd: number } | null = null;
  readonly #patience: FeedPatience;
  #seenTakes = 0;
  #takenAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    { memory, folder, bytes }: ArchiveFeed,
    control: Control,
    patience: FeedPatience = usualPatience,
  ) {
    super(memory);
    this.#folder = folder;
    this.#room = bytes;
    this.#control = control;
    this.#patience = patience;
  }

  /** Waits for room; throws `cancelled` when the job is stopped meanwhile, and `noSpace` when there is no room at all. */
  put(data: Buffer): void {
    for (let at = 0; at < data.length; ) {
      const part = data.subarray(at, at + FEED_BLOCK_BYTES - this.#begunBytes);
      at += part.length;
      if (part.length === FEED_BLOCK_BYTES) {
        this.#bring(part);
        continue;
      }
      this.#begun.set(part, this.#begunBytes);
      this.#begunBytes += part.length;
      if (this.#begunBytes === FEED_BLOCK_BYTES) this.#bringBegun();
    }
  }

  override end(): void {
    if (this.#begunBytes > 0) this.#bringBegun();
    super.end();
  }

  close(): void {
    if (this.#segment !== null) fs.closeSync(this.#segment.fd);
    this.#segment = null;
  }

  #bringBegun(): void {
    this.#bring(this.#begun.subarray(0, this.#begunBytes));
    this.#begunBytes = 0;
  }

  /** A block, to where there is room, once there is. */
  #bring(block: Buffer): void {
    const at = this.arrived;
    for (;;) {
      const ticket = this.takes();
      const waiting = at + block.length - this.taken;
      // Once the window was full, the other side has to be near again.
      const near = this.isInWindow ? this.window.length : this.window.length / 2;
      if (waiting <= near && (this.isInWindow || this.turn(at))) {
        this.putIntoWindow(block, at);
        break;
      }
      // A drive at work is the slower one: through the disk nothing would come to it sooner.
      const isForDrive = waiting > near && near > 0 && this.#isDriveAtWork(ticket);
      if (!isForDrive && this.#isOnDisk(block, at, waiting)) break;
      if (!isForDrive) this.isHeldUp = true;
      this.#control.check();
      this.waitForTake(ticket);
      if (!isForDrive) this.isHeldUp = false;
    }
    this.arrived = at + block.length;
  }

  #isDriveAtWork(takes: number): boolean {
    const { nowMs, patienceMs } = this.#patience;
    if (takes !== this.#seenTakes) {
      this.#seenTakes = takes;
      this.#takenAtMs = nowMs();
    }
    return nowMs() - this.#takenAtMs < patienceMs;
  }

  /** `waiting`: with this block. False: there is no room for it. */
  #isOnDisk(block: Buffer, at: number, waiting: number): boolean {
    if (waiting > Math.max(this.#room, block.length)) return false;
    try {
      writeAllSync(this.#fdFor(at), block, at % SEGMENT_BYTES);
    } catch (error) {
      const told = toDeviceError(error, `The archive cannot wait for its tape in ${this.#folder}`);
      const isFull = told instanceof DeviceError && told.kind === 'noSpace';
      if (!isFull || waiting <= block.length) throw told;
      // From now on less may wait.
      this.#room = Math.floor(waiting / 2);
      return false;
    }
    if (this.isInWindow) this.turn(at);
    return true;
  }

  #fdFor(at: number): number {
    const file = segmentFile(this.#folder, at);
    if (this.#segment?.file !== file) {
      this.close();
      this.#segment = { file, fd: fs.openSync(file, fs.constants.O_CREAT | fs.constants.O_RDWR, 0o600) };
    }
    return this.#segment.fd;
  }
}
