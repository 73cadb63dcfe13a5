import { damagedFrame } from './frame-codec.ts';

const ZSTD_MAGIC = 0xfd2fb528;
const SINGLE_SEGMENT_4_BYTES = 0xa0;
/** Of the header that encoders write which are told nothing of the content's length, and of that which takes its place. */
export const WINDOW_HEADER_BYTES = 6;
export const SIZED_HEADER_BYTES = 9;
const ZSTD_BLOCK_BYTES = 131_072;
const ZSTD_MOST_BLOCKS = 64;
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;

/** What the search finds at worst is stored as it is, with three bytes for each block and the frame's own header and end. */
export function longestZstdFrame(rawLength: number): number {
  return rawLength + 3 * Math.ceil(rawLength / ZSTD_BLOCK_BYTES + 1) + 1024;
}

/**
 * The encoders do not write how long the content is. The header is made anew as a "single segment" header with that
 * length, so that every reader knows before decoding how much comes (RFC 8878, 3.1.1.1).
 */
export function writeSizedHeader(into: Buffer, rawLength: number): void {
  into.writeUInt32LE(ZSTD_MAGIC, 0);
  into[4] = SINGLE_SEGMENT_4_BYTES;
  into.writeUInt32LE(rawLength, 5);
}

/** Throws when the header is another one than that of `WINDOW_HEADER_BYTES`. */
export function checkWindowHeader(frame: Buffer): void {
  if (frame.readUInt32LE(0) !== ZSTD_MAGIC || frame[4] !== 0)
    throw damagedFrame('unexpected frame header of the encoder');
}

/** Refuses a frame that announces another length, or whose blocks could blow up beyond a fixed bound. */
export function checkZstdFrame(frame: Buffer, rawLength: number): void {
  if (frame.length < SIZED_HEADER_BYTES + 3 || frame.readUInt32LE(0) !== ZSTD_MAGIC)
    throw damagedFrame('no zstd frame');
  if (frame[4] !== SINGLE_SEGMENT_4_BYTES) throw damagedFrame('unexpected zstd frame header');
  if (frame.readUInt32LE(5) !== rawLength) throw damagedFrame('the frame announces another length');
  let at = SIZED_HEADER_BYTES;
  for (let blocks = 1; ; blocks += 1) {
    if (blocks > ZSTD_MOST_BLOCKS + Math.ceil(rawLength / ZSTD_BLOCK_BYTES))
      throw damagedFrame('too many blocks in a frame');
    if (at + 3 > frame.length) throw damagedFrame('the frame ends early');
    const header = frame.readUIntLE(at, 3);
    const type = (header >> 1) & 3;
    const size = header >> 3;
    if (type === RESERVED_BLOCK || size > ZSTD_BLOCK_BYTES) throw damagedFrame('bad block in a frame');
    at += 3 + (type === RLE_BLOCK ? 1 : size);
    if ((header & 1) === 1) break;
  }
  if (at !== frame.length) throw damagedFrame('the frame is longer or shorter than recorded');
}
