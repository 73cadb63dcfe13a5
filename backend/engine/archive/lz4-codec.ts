import { compressFrameSync, decompressFrameSync } from 'lz4-napi';
import { damagedFrame, type FrameCodec, readingBy } from './frame-codec.ts';

export function lz4Codec(): FrameCodec {
  return {
    encode: (raw) => compressFrameSync(raw, { contentChecksum: true }),
    ...readingBy(checkLz4Frame, decompressFrameSync),
  };
}

const LZ4_MAGIC = 0x184d2204;
const LZ4_STORED = 0x80000000;
const LZ4_BLOCK_BYTES: readonly number[] = [0, 0, 0, 0, 65_536, 262_144, 1_048_576, 4_194_304];
const LZ4_MOST_BYTES = 8_388_608;

function checkLz4Frame(frame: Buffer, rawLength: number): void {
  if (frame.length < 11 || frame.readUInt32LE(0) !== LZ4_MAGIC) throw damagedFrame('no LZ4 frame');
  const flags = frame[4] ?? 0;
  const mostPerBlock = LZ4_BLOCK_BYTES[((frame[5] ?? 0) >> 4) & 7] ?? 0;
  // Content size and dictionary are never written by the encoder.
  if ((flags & 0x09) !== 0) throw damagedFrame('unexpected LZ4 frame header');
  let at = 7;
  let most = 0;
  for (;;) {
    if (at + 4 > frame.length) throw damagedFrame('the frame ends early');
    const word = frame.readUInt32LE(at);
    at += 4;
    if (word === 0) break;
    most += mostPerBlock;
    if (most > Math.max(LZ4_MOST_BYTES, rawLength)) throw damagedFrame('too many blocks in a frame');
    at += (word & ~LZ4_STORED) + ((flags & 0x10) === 0 ? 0 : 4);
  }
  if (at + ((flags & 0x04) === 0 ? 0 : 4) !== frame.length) {
    throw damagedFrame('the frame is longer or shorter than recorded');
  }
}
