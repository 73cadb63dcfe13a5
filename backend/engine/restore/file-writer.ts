import fs from 'node:fs';
import { writeAllSync } from '../../platform/files.ts';
import type { Entry } from '../archive/entry.ts';
import type { FrameStream, Piece } from '../archive/frame-stream.ts';
import type { ContentHash } from '../archive/hash.ts';
import { type Extent, SparseMapParser } from '../archive/tar-parse.ts';
import type { Control, Throttle } from '../job/control.ts';

export interface WriteTools {
  readonly hash: ContentHash;
  readonly control: Control;
  readonly throttle: Throttle;
  /** Is told what is done. */
  readonly count: (bytes: number) => void;
}

/** The data of a file, to be hashed, where all of them lie in the frame at hand; null where they do not, or are to be put where they belong. */
export function heldContent(entry: Entry, stream: FrameStream): Buffer | null {
  if (entry.sparse || entry.storedBytes === 0) return null;
  return stream.held(startOf(entry), entry.storedBytes, true);
}

/** Writes what `heldContent` answered of this stream, without waiting for anything. False when it is not what was backed up. */
export function writeHeld(
  fd: number,
  entry: Entry,
  whole: Buffer,
  stream: FrameStream,
  { hash, control, throttle, count }: WriteTools,
): boolean {
  control.check();
  const found = stream.provenHash(startOf(entry), whole.length) ?? hash.of(whole);
  if (found !== entry.hash) {
    stream.recheck();
    return false;
  }
  throttle.spend(whole.length);
  writeAllSync(fd, whole);
  count(whole.length);
  return true;
}

/** Writes the data of one file of the copy into an open file. False when they are not what was backed up. */
export async function writeContent(
  fd: number,
  entry: Entry,
  stream: FrameStream,
  tools: WriteTools,
): Promise<boolean> {
  const whole = heldContent(entry, stream);
  if (whole !== null) return writeHeld(fd, entry, whole, stream, tools);
  const { hash, control, throttle, count } = tools;
  const sink = entry.sparse ? new SparseSink(fd, entry.sizeBytes) : new PlainSink(fd);
  hash.start();
  for await (const piece of stream.pieces(startOf(entry), entry.storedBytes)) {
    control.check();
    if (!isGood(piece)) return false;
    throttle.spend(piece.length);
    hash.update(piece.bytes);
    sink.write(piece.bytes);
    count(piece.length);
  }
  if (entry.storedBytes > 0 && hash.digest() !== entry.hash) return false;
  sink.end();
  return true;
}

function startOf({ headerOffset, headerLength }: Entry): number {
  return (headerOffset ?? 0) + headerLength;
}

function isGood(piece: Piece): piece is Piece & { readonly bytes: Buffer } {
  return piece.bytes !== null;
}

class PlainSink {
  readonly #fd: number;
  constructor(fd: number) {
    this.#fd = fd;
  }
  write(bytes: Buffer): void {
    writeAllSync(this.#fd, bytes);
  }
  end(): void {
    // All bytes are written; there is no hole at the end.
  }
}

/** Puts the pieces of a sparse file where they belong and leaves the holes. */
class SparseSink {
  readonly #fd: number;
  readonly #size: number;
  readonly #parser: SparseMapParser;
  #at = 0;
  #doneInExtent = 0;

  constructor(fd: number, size: number) {
    this.#fd = fd;
    this.#size = size;
    this.#parser = new SparseMapParser(size);
  }

  write(bytes: Buffer): void {
    let from = this.#parser.extents === null ? this.#parser.push(bytes) : 0;
    const extents = this.#parser.extents;
    while (extents !== null && from < bytes.length) {
      const extent = this.#current(extents);
      if (extent === null) return;
      const count = Math.min(bytes.length - from, extent.length - this.#doneInExtent);
      writeAllSync(this.#fd, bytes.subarray(from, from + count), extent.offset + this.#doneInExtent);
      this.#doneInExtent += count;
      from += count;
    }
  }

  end(): void {
    fs.ftruncateSync(this.#fd, this.#size);
  }

  #current(extents: readonly Extent[]): Extent | null {
    for (;;) {
      const extent = extents[this.#at];
      if (extent === undefined) return null;
      if (this.#doneInExtent < extent.length) return extent;
      this.#at += 1;
      this.#doneInExtent = 0;
    }
  }
}
