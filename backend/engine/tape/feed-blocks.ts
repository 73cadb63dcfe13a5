import { type FileHandle, open, rm } from 'node:fs/promises';
import {
  type ArchiveFeed,
  FEED_BLOCK_BYTES,
  FEED_WINDOW_BYTES,
  FeedWindow,
  SEGMENT_BYTES,
  segmentFile,
} from '../archive/archive-feed.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { BlocksAhead } from './blocks-ahead.ts';

/** How it is judged whether the drive has to wait until more is there. */
export interface FeedPace {
  readonly nowMs: () => number;
  /** Drives write as slowly as this without stopping; what comes faster is given on as it comes. */
  readonly steadyBytesPerSecond: number;
  /** What has to be there before a drive begins; twice as much after each time that it ran dry. */
  readonly leastBytes: number;
}

/** LTO drives go down to about a third of their speed. */
const usualPace: FeedPace = {
  nowMs: () => performance.now(),
  steadyBytesPerSecond: 134_217_728,
  leastBytes: FEED_WINDOW_BYTES / 2,
};
const WAIT_MS = 100;
/** Room is given back in pieces of this size, so that whoever makes the archive is not woken for each block. */
const RELEASED_AT_ONCE = 2_097_152;

/** The side of a feed that takes the archive and gives it to drives, one cartridge after the other. */
export class FeedBlocks extends FeedWindow {
  readonly #feed: ArchiveFeed;
  readonly #pace: FeedPace;
  readonly #rooms = [Buffer.alloc(0), Buffer.alloc(0)];
  #segment: { readonly file: string; readonly handle: FileHandle } | null = null;
  /** Behind the block that was taken last. */
  #offset = 0;
  /** Bytes of that block: the drive may not have taken it yet. */
  #last = 0;
  /** Since when the drive has not run dry. */
  #steady: { readonly sinceMs: number; readonly from: number } | null = null;
  #wantedBytes: number;

  constructor(feed: ArchiveFeed, pace: FeedPace = usualPace) {
    super(feed.memory);
    this.#feed = feed;
    this.#pace = pace;
    this.#wantedBytes = pace.leastBytes;
  }

  /** From byte `from` on; `permanent` when that is kept no longer. */
  open(from: number): BlocksAhead {
    if (from < this.taken)
      throw new DeviceError('permanent', 'What a tape has taken of the archive is not kept for another one.');
    this.#offset = from;
    this.#last = 0;
    this.#steady = null;
    return {
      next: async (signal) => {
        const block = await this.#next(signal);
        this.#last = block?.length ?? 0;
        return block;
      },
      readOn: () => {
        if (this.#offset - this.#last - this.taken >= RELEASED_AT_ONCE) this.#releaseTaken();
      },
      isOver: async (signal) => (await this.#arrivedBehind(FEED_BLOCK_BYTES, signal)) === 0,
      close: async () => this.#closeSegment(),
    };
  }

  async #next(signal: AbortSignal): Promise<Buffer | null> {
    const there = await this.#arrivedBehind(FEED_BLOCK_BYTES, signal);
    if (there === 0) return null;
    const at = this.#offset;
    const bytes = Math.min(there, FEED_BLOCK_BYTES);
    const block = this.placeOf(at).isInWindow
      ? this.window.subarray(at % this.window.length, (at % this.window.length) + bytes)
      : await this.#read(at, bytes);
    this.#offset = at + bytes;
    return block;
  }

  /** What is there behind the block that was taken last: a whole block, or what is left. A drive that ran dry waits for more. */
  async #arrivedBehind(wanted: number, signal: AbortSignal): Promise<number> {
    const there = (): number => this.arrived - this.#offset;
    if (this.#steady !== null && there() >= wanted) return there();
    const isSteady = this.#isSteady();
    if (!isSteady && this.#steady !== null)
      this.#wantedBytes = Math.min(this.#feed.bytes / 2, this.#wantedBytes * 2);
    const enough = isSteady ? wanted : Math.max(wanted, this.#wantedBytes);
    for (;;) {
      signal.throwIfAborted();
      const ticket = this.ticket();
      // In this order: what arrives before the end counts.
      const isDone = this.isWhole;
      const now = there();
      if (isDone || now >= enough || (this.isHeldUp && now >= wanted)) break;
      // Whoever makes the archive may wait for the room that was not given back yet.
      this.#releaseTaken();
      await this.changed(ticket, WAIT_MS);
    }
    if (!isSteady) this.#steady = { sinceMs: this.#pace.nowMs(), from: this.#offset };
    return there();
  }

  /** Whether what came since the drive went on would have kept it going. */
  #isSteady(): boolean {
    if (this.#steady === null) return false;
    const seconds = (this.#pace.nowMs() - this.#steady.sinceMs) / 1000;
    return this.#offset - this.#steady.from >= seconds * this.#pace.steadyBytesPerSecond;
  }

  async #read(at: number, bytes: number): Promise<Buffer> {
    const turn = (at / FEED_BLOCK_BYTES) % 2;
    if (this.#rooms[turn]?.length === 0) this.#rooms[turn] = Buffer.allocUnsafe(FEED_BLOCK_BYTES);
    const room = this.#rooms[turn] as Buffer;
    try {
      const handle = await this.#handleFor(at);
      for (let done = 0; done < bytes; ) {
        const { bytesRead } = await handle.read(room, done, bytes - done, (at % SEGMENT_BYTES) + done);
        if (bytesRead === 0) throw new DeviceError('permanent', 'What waited for the tape became shorter.');
        done += bytesRead;
      }
    } catch (error) {
      throw toDeviceError(error, `What waits for the tape in ${this.#feed.folder} cannot be read`);
    }
    return room.subarray(0, bytes);
  }

  async #handleFor(at: number): Promise<FileHandle> {
    const file = segmentFile(this.#feed.folder, at);
    if (this.#segment?.file !== file) {
      await this.#closeSegment();
      this.#segment = { file, handle: await open(file, 'r') };
    }
    return this.#segment.handle;
  }

  async #closeSegment(): Promise<void> {
    const open = this.#segment;
    this.#segment = null;
    await open?.handle.close();
  }

  #releaseTaken(): void {
    const before = this.#offset - this.#last;
    if (before <= this.taken) return;
    const done = Math.floor(this.taken / SEGMENT_BYTES);
    this.release(before);
    for (let index = done; index < Math.floor(before / SEGMENT_BYTES); index += 1) {
      // The folder goes with the task; what cannot be removed now goes then.
      rm(segmentFile(this.#feed.folder, index * SEGMENT_BYTES), { force: true }).catch(() => undefined);
    }
  }
}
