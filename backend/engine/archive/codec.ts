import { DeviceError } from '../device-error.ts';
import { type FrameCodec, ofLength, wholeStepper } from './frame-codec.ts';
import { lz4Codec } from './lz4-codec.ts';
import { bestSettings, manifestSettings, optimalSettings, zstdCodec } from './zstd-codec.ts';

export type { FrameCodec, FrameStepper } from './frame-codec.ts';

export type Compression = 'None' | 'Fast' | 'Optimal' | 'Best';

export const COMPRESSIONS: readonly Compression[] = ['None', 'Fast', 'Optimal', 'Best'];

export function codecFor(compression: Compression): FrameCodec {
  if (compression === 'Fast') return lz4Codec();
  if (compression === 'None') return uncompressed;
  return zstdCodec(compression === 'Optimal' ? optimalSettings : bestSettings);
}

/** Of the search of zstd at its slowest; measured, as the three frames are. */
const SEARCH_BYTES = 16_777_216;

/**
 * What a codec keeps outside of the heap of its thread: the frame that it makes, the same read back, tables of the search,
 * and, of codecs that make buffers of their own, one that waits to be given back.
 */
export function codecBytesOf(compression: Compression, frameBytes: number): number {
  return compression === 'None' ? 0 : 3 * frameBytes + SEARCH_BYTES;
}

/** For the segments of a file list. */
export function manifestCodec(): FrameCodec {
  return zstdCodec(manifestSettings);
}

/** What it answers is what it was given, and others use that too: nothing of it can be given back. */
const uncompressed: FrameCodec = {
  leavesBuffers: false,
  encode: (raw) => raw,
  decode: ofLength,
  decodeInto: copyInto,
  stepper: () => wholeStepper(copyInto),
  // Nothing was made of it that could be wrong.
  reads: (stored, raw) => stored === raw || stored.equals(raw),
  release: () => undefined,
};

function copyInto(stored: Buffer, into: Buffer): void {
  ofLength(stored, into.length);
  const isThere = stored.buffer === into.buffer && stored.byteOffset === into.byteOffset;
  if (!isThere) stored.copy(into);
}

export function archiveName(compression: Compression): string {
  if (compression === 'Fast') return 'archive.tar.lz4';
  return compression === 'None' ? 'archive.tar' : 'archive.tar.zst';
}

/**
 * Encodes and at once decodes again: what a faulty memory or compressor made never reaches the disk as good.
 * One more try, since a flipped bit seldom comes twice.
 */
export function encodeChecked(codec: FrameCodec, raw: Buffer): Buffer {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const stored = codec.encode(raw);
    if (codec.reads(stored, raw)) return stored;
  }
  throw new DeviceError(
    'corrupt',
    'The compressed data could not be read back. The memory or the processor of this computer may be faulty.',
  );
}
