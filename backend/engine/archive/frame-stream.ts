import { setImmediate as turn } from 'node:timers/promises';
import { canReleaseBuffers, collectYoungObjects } from '../../platform/collect-garbage.ts';
import type { BlockNames, BlockSource } from '../blocks/block-source.ts';
import type { ByteSource } from '../crypto/byte-source.ts';
import { pieceSealOf } from '../crypto/copy-secret.ts';
import { DeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import type { Frame } from '../manifest/frame-table.ts';
import { mostStoredBytes } from '../manifest/manifest-file.ts';
import type { ManifestReader } from '../manifest/manifest-reader.ts';
import type { ArrivingArchive } from './arriving-archive.ts';
import type { BlocksInput } from './blocks-input.ts';
import {
  archiveName,
  COMPRESSIONS,
  type Compression,
  codecFor,
  type FrameCodec,
  type FrameStepper,
} from './codec.ts';
import type { DecodeAhead } from './decode-ahead.ts';
import { FrameCache } from './frame-cache.ts';
import { openFrame, openFrameInto, readFrame } from './frame-opener.ts';
import { openArchive, openBlocks } from './frame-places.ts';
import { ContentHash, HASH_LENGTH } from './hash.ts';
import { FRAME_DAMAGED, FRAME_GOOD, FRAME_MISSING } from './stream.ts';

/** A piece of the tar stream. `bytes` is null when its frame is not good; then `status` says what is wrong. */
export interface Piece {
  readonly bytes: Buffer | null;
  readonly length: number;
  readonly status: number;
}

/** Of the tar stream. */
interface Stretch {
  readonly offset: number;
  readonly length: number;
}

/** So much of a frame that is decoded as it is asked for stays in the cache of the processor until it is hashed and written. */
const MOST_AT_ONCE = 262_144;

/**
 * Turns of the event loop let the buffers of addons and ciphers be freed where they cannot be released one by one; elsewhere they are just so that
 * others have their turn.
 */
const BYTES_PER_TURN = canReleaseBuffers ? 67_108_864 : 8_388_608;
const FRAMES_PER_TURN = canReleaseBuffers ? 4096 : 256;

/** The tar stream of a copy, read frame by frame; each frame's hash is checked before it is decoded. */
export class FrameStream {
  /** So far, of the archive or the blocks. */
  readBytes = 0;
  readonly #reader: ManifestReader;
  readonly #control: Control;
  readonly #codec: FrameCodec;
  readonly #isCompressed: boolean;
  readonly #hash = new ContentHash();
  readonly #seal: ReturnType<typeof pieceSealOf>;
  readonly #archive: ByteSource | null;
  /** Null when the frames lie in the copy's own archive. */
  readonly #blocks: BlockSource | null;
  /** Null when frames are decoded here. */
  readonly #ahead: DecodeAhead | null;
  /** Null for copies that are read from the beginning to the end. */
  readonly #cache: FrameCache | null;
  /** The beginning of the archive is damaged, so that nothing of it can be opened. */
  readonly #isClosed: boolean;
  /** Stored bytes of the frame at hand; used again for each, since garbage outruns its collection here. */
  readonly #scratch: Buffer;
  /** What is compressed is decoded to here, frame by frame: memory of its own for each would be taken and given back a page at a time. */
  #raw: Buffer | null = null;
  /** Decodes the frame at hand as far as it is asked for. */
  #stepper: FrameStepper | null = null;
  readonly #names: BlockNames = (first, most) => this.#reader.frames.hashesFrom(first, most);
  readonly #isNamedByHash: boolean;
  #current = -1;
  #start = 0;
  #length = 0;
  #bytes: Buffer | null = null;
  #status = FRAME_GOOD;
  /** The block at hand was not compared with its name, since whoever asked for it compares a hash. */
  #isUnproven = false;
  #loaded = 0;
  #loadedBytes = 0;

  /**
   * `blocks`: for a copy whose frames are blocks of a store. Throws `notFound` when they are in another one. `ahead`: for
   * whoever reads the whole copy in order. `arriving`: the archive is not in the copy's folder, but on its way to another one.
   */
  constructor(
    reader: ManifestReader,
    control: Control,
    blocks: BlocksInput | null = null,
    ahead: DecodeAhead | null = null,
    arriving: ArrivingArchive | null = null,
  ) {
    this.#reader = reader;
    this.#control = control;
    this.#scratch = Buffer.alloc(mostStoredBytes(reader.file.header.frameBytes));
    const compression = checkedCompression(reader.file.header.compression);
    this.#codec = codecFor(compression);
    this.#isCompressed = compression !== 'None';
    this.#seal = pieceSealOf(reader.file.secret);
    this.#blocks = openBlocks(reader, control, blocks);
    this.#isNamedByHash = this.#blocks?.isNamedByContentHash ?? false;
    const isJumping = reader.file.header.order === 'arrival' && this.#blocks === null;
    this.#cache = isJumping ? new FrameCache(reader.file.header.frameBytes) : null;
    const isAhead = !isJumping && this.#blocks === null && ahead?.archiveName === archiveName(compression);
    this.#ahead = isAhead ? ahead : null;
    const opened =
      this.#blocks === null ? openArchive(reader, archiveName(compression), arriving, control) : null;
    this.#isClosed = opened === 'damaged';
    this.#archive = opened === 'damaged' ? null : opened;
  }

  /** Size of the archive (as it was before a cipher of the whole file); null when it is not there or not readable. */
  get fileBytes(): number | null {
    return this.#archive?.size ?? null;
  }

  /** The bytes are not read, so that there is nothing to compare. */
  get isPresenceOnly(): boolean {
    return this.#blocks?.isPresenceOnly ?? false;
  }

  close(): void {
    this.#stepper?.close();
    this.#archive?.close();
    this.#blocks?.close();
  }

  /** A stretch of the tar stream. The bytes are valid until the next piece is asked for. */
  async *pieces(offset: number, length: number): AsyncGenerator<Piece> {
    const { tarBytes } = this.#reader.file.header;
    if (offset + length > tarBytes) {
      throw new DeviceError('corrupt', 'the file list names data beyond the end of the archive');
    }
    let done = 0;
    while (done < length) {
      const at = offset + done;
      await this.load(this.#indexAt(at));
      const begin = at - this.#start;
      const most = this.#stepper === null ? this.#length : MOST_AT_ONCE;
      const count = Math.min(length - done, this.#length - begin, most);
      const bytes = this.#stretch(begin, count);
      yield { bytes, length: count, status: this.#status };
      done += count;
    }
  }

  /**
   * A stretch that lies within the frame at hand, or within one block, which is brought without waiting; null when it does not, or is
   * not good: then `pieces` tells. Valid until the next piece is asked for. `isHashed`: the caller compares a hash of it, and asks `recheck` where
   * that is another one.
   */
  held(offset: number, length: number, isHashed = false): Buffer | null {
    if (this.#blocks !== null && !this.#isBrought(offset, length, isHashed)) return null;
    const begin = offset - this.#start;
    if (this.#bytes === null || begin < 0 || begin + length > this.#length) return null;
    return this.#stretch(begin, length);
  }

  /** Of the frame at hand; null when it is not good so far. */
  #stretch(begin: number, length: number): Buffer | null {
    if (this.#bytes === null) return null;
    try {
      this.#stepper?.upTo(begin + length);
    } catch {
      // Right hash but not decodable: the frame was made wrong. That is damage of this frame, told by its status.
      this.#bytes = null;
      this.#status = FRAME_DAMAGED;
      return null;
    }
    return this.#bytes.subarray(begin, begin + length);
  }

  /** Of a copy of blocks: the worst status of the frames below a stretch, without waiting; null when that cannot be told so. */
  statusNow(offset: number, length: number): number | null {
    if (this.#blocks === null) return null;
    let worst = FRAME_GOOD;
    for (let at = offset; at < offset + length; at = this.#start + this.#length) {
      if (!this.#isBrought(at, offset + length - at)) return null;
      worst = Math.max(worst, this.#status);
    }
    return worst;
  }

  /**
   * What `held` gave to be hashed is not what was backed up: the status of its frame, now that the block is compared with its name. The store
   * forgets one that is damaged, so that the next backup brings it again.
   */
  recheck(): number {
    return this.#isUnproven ? this.#loadNow(this.#current) : this.#status;
  }

  /** The BLAKE3 of all bytes of this stretch, where the name of its block says it; null where they are to be hashed. */
  provenHash(offset: number, length: number): string | null {
    if (!this.#isNamedByHash || this.#bytes === null) return null;
    if (offset !== this.#start || length !== this.#length) return null;
    return this.#reader.frames.at(this.#current).hash.slice(0, HASH_LENGTH);
  }

  /** All of a short stretch, or null when a part of it is not good. */
  async whole(offset: number, length: number): Promise<Buffer | null> {
    const parts: Buffer[] = [];
    for await (const piece of this.pieces(offset, length)) {
      if (piece.bytes === null) return null;
      parts.push(Buffer.from(piece.bytes));
    }
    return Buffer.concat(parts);
  }

  /** Reads a frame unless it is the one at hand; answers its status. */
  async load(index: number): Promise<number> {
    if (index === this.#current && !this.#isUnproven) return this.#status;
    if (this.#isTurnDue) {
      this.#loaded = 0;
      this.#loadedBytes = 0;
      await turn();
      collectYoungObjects();
    }
    return this.#loadNow(index);
  }

  get #isTurnDue(): boolean {
    return this.#loadedBytes >= BYTES_PER_TURN || this.#loaded >= FRAMES_PER_TURN;
  }

  /** Whether the frame at this place is at hand, good or not, or can be brought without waiting. */
  #isBrought(offset: number, length: number, isHashed = false): boolean {
    if (this.#isAtHand(offset) && (isHashed || !this.#isUnproven)) return true;
    if (this.#isTurnDue || offset + length > this.#reader.file.header.tarBytes) return false;
    try {
      this.#loadNow(this.#indexAt(offset), isHashed ? { offset, length } : null);
      return this.#isAtHand(offset);
    } catch (error) {
      // A damaged table of frames: `pieces` tells.
      if (error instanceof DeviceError && error.kind === 'corrupt') return false;
      throw error;
    }
  }

  /** Within the frame that was loaded last, be it good or not. */
  #isAtHand(offset: number): boolean {
    return this.#current >= 0 && offset >= this.#start && offset < this.#start + this.#length;
  }

  #indexAt(offset: number): number {
    if (this.#isAtHand(offset)) return this.#current;
    return this.#reader.frames.indexAt(offset);
  }

  /** `hashed`: this stretch will be compared with a hash. */
  #loadNow(index: number, hashed: Stretch | null = null): number {
    this.#control.check();
    this.#current = index;
    this.#bytes = null;
    this.#isUnproven = false;
    const frame = this.#frame(index);
    const { frameBytes } = this.#reader.file.header;
    this.#start = frame?.start ?? index * frameBytes;
    this.#length = frame?.rawLength ?? frameBytes;
    this.#loaded += 1;
    this.#loadedBytes += this.#length;
    if (frame === null) {
      this.#status = FRAME_DAMAGED;
      return this.#status;
    }
    if (this.#blocks !== null) return this.#loadBlock(this.#blocks, frame, hashed);
    if (this.#ahead !== null && !this.#isClosed && this.#archive !== null)
      return this.#loadAhead(this.#ahead, frame);
    this.#bytes = this.#cache?.find(index) ?? null;
    if (this.#bytes !== null) {
      this.#status = FRAME_GOOD;
      return this.#status;
    }
    const stored = this.#scratch.subarray(0, frame.length);
    this.#status = this.#read(stored, frame.offset);
    if (this.#status !== FRAME_GOOD) return this.#status;
    this.#count(stored.length);
    const opened = this.#open(stored, frame);
    if (opened === null) {
      this.#status = FRAME_DAMAGED;
      return this.#status;
    }
    this.#bytes = this.#cache?.keep(index, opened) ?? opened;
    return this.#status;
  }

  #open(stored: Buffer, frame: Frame): Buffer | null {
    const tools = { hash: this.#hash, seal: this.#seal, codec: this.#codec };
    // What is not compressed lies there already.
    if (!this.#isCompressed) return openFrame(stored, frame, tools);
    this.#raw ??= Buffer.allocUnsafeSlow(this.#reader.file.header.frameBytes);
    const into = this.#raw.subarray(0, frame.rawLength);
    // What is kept is kept as a whole.
    if (this.#cache !== null) return openFrameInto(into, stored, frame, tools) ? into : null;
    this.#stepper ??= this.#codec.stepper();
    return openFrameInto(into, stored, frame, tools, this.#stepper.begin) ? into : null;
  }

  #count(bytes: number): void {
    this.readBytes += bytes;
    this.#control.add('transferredBytes', bytes);
  }

  #loadAhead(ahead: DecodeAhead, frame: Frame): number {
    const slot = ahead.load(frame, (index) => this.#frame(index));
    this.#status = slot.status;
    if (slot.status !== FRAME_MISSING) this.#count(frame.length);
    if (slot.status === FRAME_GOOD) this.#bytes = slot.bytes.subarray(0, slot.length);
    return this.#status;
  }

  #loadBlock(blocks: BlockSource, frame: Frame, hashed: Stretch | null): number {
    const isHashed = hashed?.offset === frame.start && hashed.length === frame.rawLength;
    const { bytes, status } = blocks.fetch(frame.index, frame.rawLength, this.#names, isHashed);
    this.#isUnproven = isHashed && this.#reader.file.secret !== null;
    this.#bytes = bytes;
    this.#status = status;
    if (bytes !== null) this.#count(bytes.length);
    return status;
  }

  /** Null when the table that says where it lies is damaged; without it the frame cannot be found. */
  #frame(index: number): Frame | null {
    try {
      return this.#reader.frames.at(index);
    } catch (error) {
      if (error instanceof DeviceError && error.kind === 'corrupt') return null;
      throw error;
    }
  }

  #read(into: Buffer, offset: number): number {
    if (this.#isClosed) return FRAME_DAMAGED;
    if (this.#archive === null) return FRAME_MISSING;
    return readFrame(this.#archive, into, offset);
  }
}

function checkedCompression(name: string): Compression {
  const known = COMPRESSIONS.find((compression) => compression === name);
  if (known === undefined) throw new Error(`the copy names the unknown compression ${name}`);
  return known;
}
