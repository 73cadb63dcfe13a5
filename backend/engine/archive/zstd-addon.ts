import zlib from 'node:zlib';
import { Decoder, Encoder } from '@toondepauw/node-zstd';
import { releaseBuffer } from '../../platform/collect-garbage.ts';
import type { ZstdSettings } from '../../platform/system-zstd.ts';
import { type FrameCodec, readingBy } from './frame-codec.ts';
import {
  checkWindowHeader,
  checkZstdFrame,
  longestZstdFrame,
  SIZED_HEADER_BYTES,
  WINDOW_HEADER_BYTES,
  writeSizedHeader,
} from './zstd-frame.ts';

/** For less, what the runtime does around each call takes longer than what the search saves. */
const RUNTIME_FROM_BYTES = 1_048_576;

/**
 * Where the system has no zstd library of its own: an addon that takes a level and nothing else, and for large frames that
 * are to be made otherwise the runtime's own zstd where it has one (Node 24, not 20).
 */
export function addonZstdCodec(settingsFor: (rawLength: number) => ZstdSettings): FrameCodec {
  const encoders = new Map<number, Encoder>();
  const decoder = new Decoder();
  const { zstdCompressSync } = zlib as Partial<typeof zlib>;
  const encoderOf = (level: number): Encoder => {
    const encoder = encoders.get(level) ?? new Encoder(level);
    encoders.set(level, encoder);
    return encoder;
  };
  return {
    encode: (raw) => {
      const settings = settingsFor(raw.length);
      const isByRuntime = settings.windowLog !== undefined && raw.length >= RUNTIME_FROM_BYTES;
      const frame =
        isByRuntime && zstdCompressSync !== undefined
          ? // In one piece, so that its memory can be given back as a whole.
            zstdCompressSync(raw, { params: paramsOf(settings), chunkSize: longestZstdFrame(raw.length) })
          : encoderOf(settings.level).encodeSync(raw);
      return withContentSize(frame, raw.length);
    },
    ...readingBy(checkZstdFrame, (stored) => decoder.decodeSync(stored)),
  };
}

function paramsOf({ level, strategy, windowLog, hashLog, minMatch }: ZstdSettings): Record<number, number> {
  const { constants } = zlib;
  const wanted = [
    [constants.ZSTD_c_compressionLevel, level],
    [constants.ZSTD_c_strategy, strategy],
    [constants.ZSTD_c_windowLog, windowLog],
    [constants.ZSTD_c_hashLog, hashLog],
    [constants.ZSTD_c_minMatch, minMatch],
    // The header is made anew, by the same rule as that of the other encoder.
    [constants.ZSTD_c_contentSizeFlag, 0],
  ] as const;
  return Object.fromEntries(wanted.filter(([, value]) => value !== undefined)) as Record<number, number>;
}

function withContentSize(frame: Buffer, rawLength: number): Buffer {
  checkWindowHeader(frame);
  // Never out of the pool that Node keeps for small buffers: its memory is given back when it has been used.
  const sized = Buffer.allocUnsafeSlow(frame.length + SIZED_HEADER_BYTES - WINDOW_HEADER_BYTES);
  writeSizedHeader(sized, rawLength);
  frame.copy(sized, SIZED_HEADER_BYTES, WINDOW_HEADER_BYTES);
  releaseBuffer(frame);
  return sized;
}
