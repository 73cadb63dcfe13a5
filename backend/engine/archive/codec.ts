import { DeviceError } from '../device-error.ts';
import { type FrameCodec, ofLength } from './frame-codec.ts';
import { lz4Codec } from './lz4-codec.ts';
import { bestSettings, manifestSettings, optimalSettings, zstdCodec } from './zstd-codec.ts';

export type { FrameCodec } from './frame-codec.ts';

export type Compression = 'None' | 'Fast' | 'Optimal' | 'Best';

export const COMPRESSIONS: readonly Compression[] = ['None', 'Fast', 'Optimal', 'Best'];

export function codecFor(compression: Compression): FrameCodec {
  if (compression === 'Fast') return lz4Codec();
  if (compression === 'None') return uncompressed;
  return zstdCodec(compression === 'Optimal' ? optimalSettings : bestSettings);
}

/** For the segments of a file list. */
export function manifestCodec(): FrameCodec {
  return zstdCodec(manifestSettings);
}

/** What it answers is what it was given, and others use that too: nothing of it can be given back. */
const uncompressed: FrameCodec = {
  encode: (raw) => raw,
  decode: ofLength,
  decodeInto: (stored, into) => void ofLength(stored, into.length).copy(into),
  // Nothing was made of it that could be wrong.
  reads: (stored, raw) => stored === raw || stored.equals(raw),
  release: () => undefined,
};

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
