import { KIND_ARCHIVE } from '../archive/stream.ts';
import { BlockBatch } from '../blocks/block-batch.ts';
import type { Ring } from '../job/ring.ts';
import type { BlockLines } from '../manifest/block-lines.ts';
import type { KnownMember } from './known-blocks.ts';

/** Of the tar stream in one run of known frames; more than any block has. */
const RUN_BYTES = 268_435_456;

/**
 * The reader's end of the ring: a tar stream that is cut into frames, and segments of the manifest between them.
 * A frame is gathered in the spare memory of the ring, which a slot gets when it is full: so slots are filled in order
 * whatever the mixture, and nothing is copied. Frames that become blocks are small and are gathered elsewhere.
 */
export class TarOutput {
  readonly #ring: Ring;
  readonly #frameBytes: number;
  #frame: Buffer;
  #filled = 0;
  #sequence = 0;
  #frames = 0;
  #position = 0;
  readonly #isOfBlocks: boolean;
  readonly #onData: (bytes: number) => void;
  /** What is being filled in the slot of `#sequence`. */
  #batch: BlockBatch | null = null;
  /** Lines of known frames that are passed on together: those from `from` to before `to`. */
  #run: { readonly lines: BlockLines; readonly from: number; to: number } | null = null;

  /**
   * `frameBytes` is at most what a slot of the ring takes. `isOfBlocks`: frames become blocks of a store, and the data of
   * each file begin a frame of their own. `onData`: is told of the bytes that go to the codecs.
   */
  constructor(
    ring: Ring,
    frameBytes: number,
    isOfBlocks = false,
    onData: (bytes: number) => void = () => undefined,
  ) {
    this.#onData = onData;
    this.#isOfBlocks = isOfBlocks;
    this.#ring = ring;
    this.#frameBytes = frameBytes;
    this.#frame = isOfBlocks ? Buffer.alloc(frameBytes) : this.#gathered();
  }

  /** Before anything else: so many frames, up to `position` of the tar stream, were made before. */
  startAt(frames: number, position: number): void {
    this.#frames = frames;
    this.#position = position;
  }

  /** Offset in the tar stream. */
  get position(): number {
    return this.#position;
  }

  write(bytes: Uint8Array): void {
    if (bytes.length < this.#frame.length - this.#filled) {
      this.#frame.set(bytes, this.#filled);
      this.#filled += bytes.length;
      this.#position += bytes.length;
      return;
    }
    let done = 0;
    while (done < bytes.length) {
      const room = this.room();
      const part = bytes.subarray(done, done + room.length);
      room.set(part);
      this.advance(part.length);
      done += part.length;
    }
  }

  /** Free part of the current frame, to be read into directly; never empty. */
  room(): Buffer {
    return this.#frame.subarray(this.#filled);
  }

  /** That many bytes of `room()` are now data. */
  advance(count: number): void {
    this.#filled += count;
    this.#position += count;
    if (this.#filled === this.#frame.length) this.#publishFrame();
  }

  /**
   * Room for data that headers of so many bytes are to stand before, so that both need not be copied: what is written there
   * is handed in to `writeMember`, before anything else. Null where it is not to be had.
   */
  roomBehind(headerBytes: number, dataBytes: number): Buffer | null {
    const from = this.#filled + headerBytes;
    // It must not fill the frame either, which would be gone then.
    if (this.#isOfBlocks || from + dataBytes >= this.#frame.length) return null;
    return this.#frame.subarray(from, from + dataBytes);
  }

  /** Headers, data and what fills up the data's last block of the tar stream. */
  writeMember(headers: Uint8Array, data: Buffer, padding: number): void {
    const isHere = data.buffer === this.#frame.buffer;
    const at = this.#frame.byteOffset + this.#filled + headers.length;
    if (isHere && data.byteOffset === at && data.length > 0) {
      this.write(headers);
      this.advance(data.length);
    } else {
      // Headers of another length than was thought would be written over the data.
      const kept = isHere ? Buffer.from(data) : data;
      this.write(headers);
      if (kept.length > 0) this.#data(kept);
    }
    this.fillZeros(padding);
  }

  #data(bytes: Buffer): void {
    this.cut();
    this.write(bytes);
    this.cut();
  }

  fillZeros(count: number): void {
    if (count < this.#frame.length - this.#filled) {
      const end = this.#filled + count;
      for (let at = this.#filled; at < end; at += 1) this.#frame[at] = 0;
      this.#filled = end;
      this.#position += count;
      return;
    }
    let left = count;
    while (left > 0) {
      const part = this.room().subarray(0, left);
      part.fill(0);
      this.advance(part.length);
      left -= part.length;
    }
  }

  /** The data of a file begin or end here: equal data make equal frames, whatever stands before and behind them. */
  cut(): void {
    if (this.#isOfBlocks) this.flush();
  }

  /** A frame that the store has, after a cut: only its name and its length are passed on. */
  known(rawLength: number, hash: string): void {
    this.#passRun();
    this.#batchFor(0).addKnown(rawLength, hash);
    this.#frames += 1;
    this.#position += rawLength;
  }

  /**
   * The same for the frames of a member's headers and content, the first of which begins with the padding of the member in front.
   * False when that is not what waits in the current frame; then nothing was done.
   */
  knownMember({ padding, runs }: KnownMember): boolean {
    if (this.#filled !== padding) return false;
    this.#filled = 0;
    this.#position -= padding;
    for (const { lines, from, to } of runs) this.#knownRun(lines, from, to);
    return true;
  }

  /** What goes on where the one before ended is passed on with it, so that for most members nothing is copied here. */
  #knownRun(lines: BlockLines, from: number, to: number): void {
    this.#frames += to - from;
    this.#position += lines.startOf(to) - lines.startOf(from);
    if (this.#run?.lines === lines && this.#run.to === from) {
      this.#run.to = to;
      return;
    }
    this.#passRun();
    this.#run = { lines, from, to };
  }

  #passRun(): void {
    if (this.#run === null) return;
    const { lines, from, to } = this.#run;
    this.#run = null;
    for (let at = from; at < to; ) {
      const start = lines.startOf(at);
      const end = Math.min(to, lines.indexAt(start + RUN_BYTES));
      const text = lines.text(at, end);
      const rawLength = lines.startOf(end) - start;
      if (this.#batch?.hasRoomForRun(text.length, rawLength) === false) this.#publishBatch();
      this.#batchFor(text.length, this.#frames - (to - at)).addRun(text, end - at, rawLength);
      at = end;
    }
  }

  /** The last, shorter frame. */
  flush(): void {
    if (this.#filled > 0) this.#publishFrame();
  }

  segment(kind: number, first: number, count: number, text: string | Buffer): void {
    this.#passRun();
    this.#publishBatch();
    const slot = this.#ring.acquire(this.#sequence);
    slot.kind = kind;
    slot.first = first;
    slot.second = count;
    slot.rawLength = writeWhole(slot.bytes, text);
    slot.length = slot.rawLength;
    slot.hash = '';
    this.#ring.publish(this.#sequence);
    this.#sequence += 1;
  }

  /** The last slot; nothing can follow. */
  end(kind: number, text: string): void {
    this.#passRun();
    this.#publishBatch();
    const slot = this.#ring.acquire(this.#sequence);
    slot.kind = kind;
    slot.length = writeWhole(slot.bytes, text);
    slot.rawLength = slot.length;
    slot.hash = '';
    this.#ring.publish(this.#sequence);
    this.#sequence += 1;
    this.#ring.close();
  }

  #publishFrame(): void {
    this.#onData(this.#filled);
    if (this.#isOfBlocks) {
      this.#passRun();
      this.#batchFor(this.#filled).add(this.#frame.subarray(0, this.#filled));
      this.#frames += 1;
      this.#filled = 0;
      return;
    }
    const slot = this.#ring.acquire(this.#sequence);
    slot.kind = KIND_ARCHIVE;
    slot.first = this.#frames;
    this.#frames += 1;
    this.#ring.exchange(this.#sequence);
    this.#frame = this.#gathered();
    slot.rawLength = this.#filled;
    slot.length = this.#filled;
    slot.hash = '';
    this.#ring.publish(this.#sequence);
    this.#sequence += 1;
    this.#filled = 0;
  }

  #gathered(): Buffer {
    return this.#ring.spare.subarray(0, this.#frameBytes);
  }

  #batchFor(bytes: number, first = this.#frames): BlockBatch {
    if (this.#batch?.hasRoom(bytes) === false) this.#publishBatch();
    this.#batch ??= BlockBatch.begin(this.#ring.acquire(this.#sequence), first);
    return this.#batch;
  }

  #publishBatch(): void {
    if (this.#batch === null) return;
    this.#batch = null;
    this.#ring.publish(this.#sequence);
    this.#sequence += 1;
  }
}

/** A slot takes as much as fits and says nothing; text that is cut off would be a damaged manifest. */
function writeWhole(into: Buffer, text: string | Buffer): number {
  const isText = typeof text === 'string';
  const written = isText ? into.write(text, 0, 'utf8') : text.copy(into);
  const length = isText ? Buffer.byteLength(text) : text.length;
  if (written !== length) throw new Error('a segment of the manifest is larger than a slot');
  return written;
}
