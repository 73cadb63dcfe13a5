import zlib from 'node:zlib';
import { Decoder, Encoder } from '@toondepauw/node-zstd';
import { compressFrameSync, decompressFrameSync } from 'lz4-napi';
import { releaseBuffer } from '../../platform/collect-garbage.ts';
import { DeviceError } from '../device-error.ts';

export type Compression = 'None' | 'Fast' | 'Optimal' | 'Best';

export const COMPRESSIONS: readonly Compression[] = ['None', 'Fast', 'Optimal', 'Best'];

/** Turns blocks into independent standard frames and back. `decode` never makes more than it is told to expect. */
export interface FrameCodec {
  readonly encode: (raw: Buffer) => Buffer;
  readonly decode: (stored: Buffer, rawLength: number) => Buffer;
  /** Gives back at once what one of the two made; it must not be used any more. */
  readonly release: (made: Buffer) => void;
}

/** Level of zstd for each compression that uses it. */
const LEVELS = { Optimal: 3, Best: 9 } as const;
/** Half of a manifest are hashes, which no level makes shorter: 9 saves a twentieth for seven times the time. */
export const MANIFEST_LEVEL = 1;

export function codecFor(compression: Compression): FrameCodec {
  if (compression === 'Fast') return lz4Codec();
  if (compression === 'None') return uncompressed;
  return zstdCodec(LEVELS[compression], compression === 'Optimal');
}

/** What it answers is what it was given, and others use that too: nothing of it can be given back. */
const uncompressed: FrameCodec = {
  encode: (raw) => raw,
  decode: (stored) => stored,
  release: () => undefined,
};

export function archiveName(compression: Compression): string {
  if (compression === 'Fast') return 'archive.tar.lz4';
  return compression === 'None' ? 'archive.tar' : 'archive.tar.zst';
}

/**
 * `isTuned`: large frames are made by the runtime's own zstd where it has one, which can be told what a level alone cannot:
 * the quickest search with the tables and the window of level 3. That takes a sixth to a quarter less time than
 * level 3, and makes frames that are as long for many small texts, 1.5 % longer for programs and 3 % for documents.
 */
export function zstdCodec(level: number, isTuned = false): FrameCodec {
  const encoder = new Encoder(level);
  const quick = isTuned ? new Encoder(QUICK_LEVEL) : encoder;
  const decoder = new Decoder();
  const ownEncoder = isTuned ? runtimeEncoder() : null;
  return {
    encode: (raw) => {
      const isLarge = raw.length >= TUNED_FROM_BYTES;
      const plain = raw.length < QUICK_BELOW_BYTES ? quick : encoder;
      const frame = isLarge && ownEncoder !== null ? ownEncoder(raw) : plain.encodeSync(raw);
      return withContentSize(frame, raw.length);
    },
    decode: (stored, rawLength) => {
      checkZstdFrame(stored, rawLength);
      return decoded(decoder.decodeSync(stored), rawLength);
    },
    release: releaseBuffer,
  };
}

/** For less, what the runtime does around each call takes longer than what the search saves. */
const TUNED_FROM_BYTES = 1_048_576;

/**
 * Each call of the encoder makes its tables anew, and those of level 3 take longer than the work on a small block.
 * Measured with frames of 1.5, 11 and 30 KB: half the time, a half, two thirds; 1, 1.5 and 1.6 % longer.
 */
const QUICK_LEVEL = 1;
const QUICK_BELOW_BYTES = 32_768;

/** What the search finds at worst is stored as it is, with three bytes for each block and the frame's own header and end. */
const bound = (rawLength: number): number =>
  rawLength + 3 * Math.ceil(rawLength / ZSTD_BLOCK_BYTES + 1) + 1024;

/** Null for a runtime without zstd of its own (Node 20). */
function runtimeEncoder(): ((raw: Buffer) => Buffer) | null {
  const { zstdCompressSync } = zlib as Partial<typeof zlib>;
  if (zstdCompressSync === undefined) return null;
  const { constants } = zlib;
  const params = {
    [constants.ZSTD_c_strategy]: constants.ZSTD_fast,
    [constants.ZSTD_c_windowLog]: 21,
    [constants.ZSTD_c_hashLog]: 17,
    [constants.ZSTD_c_minMatch]: 5,
    // The header is made anew, by the same rule as that of the other encoder.
    [constants.ZSTD_c_contentSizeFlag]: 0,
  };
  // In one piece, so that its memory can be given back as a whole.
  return (raw) => zstdCompressSync(raw, { params, chunkSize: bound(raw.length) });
}

function lz4Codec(): FrameCodec {
  return {
    encode: (raw) => compressFrameSync(raw, { contentChecksum: true }),
    decode: (stored, rawLength) => {
      checkLz4Frame(stored, rawLength);
      return decoded(decompressFrameSync(stored), rawLength);
    },
    release: releaseBuffer,
  };
}

/**
 * Encodes and at once decodes again: what a faulty memory or compressor made never reaches the disk as good.
 * One more try, since a flipped bit seldom comes twice.
 */
export function encodeChecked(codec: FrameCodec, raw: Buffer): Buffer {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const stored = codec.encode(raw);
    // As it was: nothing was made of it that could be wrong.
    if (stored === raw) return stored;
    if (reads(codec, stored, raw)) return stored;
  }
  throw new DeviceError(
    'corrupt',
    'The compressed data could not be read back. The memory or the processor of this computer may be faulty.',
  );
}

function reads(codec: FrameCodec, stored: Buffer, raw: Buffer): boolean {
  try {
    const back = codec.decode(stored, raw.length);
    const isSame = back.equals(raw);
    codec.release(back);
    return isSame;
  } catch {
    // The error is the answer: it does not read back.
    return false;
  }
}

function decoded(raw: Buffer, rawLength: number): Buffer {
  if (raw.length !== rawLength) throw corrupt(`${raw.length} bytes where ${rawLength} are recorded`);
  return raw;
}

const ZSTD_MAGIC = 0xfd2fb528;
const SINGLE_SEGMENT_4_BYTES = 0xa0;
const WINDOW_HEADER_BYTES = 6;
const SIZED_HEADER_BYTES = 9;
const ZSTD_BLOCK_BYTES = 131_072;
const ZSTD_MOST_BLOCKS = 64;
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;

/**
 * The streaming encoder does not write how long the content is. The header is made anew as a "single segment"
 * header with that length, so that every reader knows before decoding how much comes (RFC 8878, 3.1.1.1).
 */
function withContentSize(frame: Buffer, rawLength: number): Buffer {
  if (frame.readUInt32LE(0) !== ZSTD_MAGIC || frame[4] !== 0)
    throw corrupt('unexpected frame header of the encoder');
  // Never out of the pool that Node keeps for small buffers: its memory is given back when it has been used.
  const sized = Buffer.allocUnsafeSlow(frame.length + SIZED_HEADER_BYTES - WINDOW_HEADER_BYTES);
  sized.writeUInt32LE(ZSTD_MAGIC, 0);
  sized[4] = SINGLE_SEGMENT_4_BYTES;
  sized.writeUInt32LE(rawLength, 5);
  frame.copy(sized, SIZED_HEADER_BYTES, WINDOW_HEADER_BYTES);
  releaseBuffer(frame);
  return sized;
}

/** Refuses a frame that announces another length, or whose blocks could blow up beyond a fixed bound. */
function checkZstdFrame(frame: Buffer, rawLength: number): void {
  if (frame.length < SIZED_HEADER_BYTES + 3 || frame.readUInt32LE(0) !== ZSTD_MAGIC)
    throw corrupt('no zstd frame');
  if (frame[4] !== SINGLE_SEGMENT_4_BYTES) throw corrupt('unexpected zstd frame header');
  if (frame.readUInt32LE(5) !== rawLength) throw corrupt('the frame announces another length');
  let at = SIZED_HEADER_BYTES;
  for (let blocks = 1; ; blocks += 1) {
    if (blocks > ZSTD_MOST_BLOCKS + Math.ceil(rawLength / ZSTD_BLOCK_BYTES))
      throw corrupt('too many blocks in a frame');
    if (at + 3 > frame.length) throw corrupt('the frame ends early');
    const header = frame.readUIntLE(at, 3);
    const type = (header >> 1) & 3;
    const size = header >> 3;
    if (type === RESERVED_BLOCK || size > ZSTD_BLOCK_BYTES) throw corrupt('bad block in a frame');
    at += 3 + (type === RLE_BLOCK ? 1 : size);
    if ((header & 1) === 1) break;
  }
  if (at !== frame.length) throw corrupt('the frame is longer or shorter than recorded');
}

const LZ4_MAGIC = 0x184d2204;
const LZ4_STORED = 0x80000000;
const LZ4_BLOCK_BYTES: readonly number[] = [0, 0, 0, 0, 65_536, 262_144, 1_048_576, 4_194_304];
const LZ4_MOST_BYTES = 8_388_608;

function checkLz4Frame(frame: Buffer, rawLength: number): void {
  if (frame.length < 11 || frame.readUInt32LE(0) !== LZ4_MAGIC) throw corrupt('no LZ4 frame');
  const flags = frame[4] ?? 0;
  const mostPerBlock = LZ4_BLOCK_BYTES[((frame[5] ?? 0) >> 4) & 7] ?? 0;
  // Content size and dictionary are never written by the encoder.
  if ((flags & 0x09) !== 0) throw corrupt('unexpected LZ4 frame header');
  let at = 7;
  let most = 0;
  for (;;) {
    if (at + 4 > frame.length) throw corrupt('the frame ends early');
    const word = frame.readUInt32LE(at);
    at += 4;
    if (word === 0) break;
    most += mostPerBlock;
    if (most > Math.max(LZ4_MOST_BYTES, rawLength)) throw corrupt('too many blocks in a frame');
    at += (word & ~LZ4_STORED) + ((flags & 0x10) === 0 ? 0 : 4);
  }
  if (at + ((flags & 0x04) === 0 ? 0 : 4) !== frame.length) {
    throw corrupt('the frame is longer or shorter than recorded');
  }
}

function corrupt(what: string): DeviceError {
  return new DeviceError('corrupt', `Damaged frame: ${what}.`);
}
