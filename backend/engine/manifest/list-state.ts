import { ContentHash, hashBytes } from '../archive/hash.ts';
import type { ByteSource } from '../crypto/byte-source.ts';

const CHUNK_BYTES = 1_048_576;
const HASH_BYTES = 32;

/**
 * All of a file list against the hash at its end: `short` when bytes are missing, `changed` when they are not what was
 * written. `beforeChunk` is called before each MiB: it may throw, or let others have their turn. Throws what reading
 * throws.
 */
export async function listState(
  file: ByteSource,
  beforeChunk: () => unknown,
): Promise<'good' | 'short' | 'changed'> {
  const end = Math.max(0, file.size - HASH_BYTES);
  const hash = new ContentHash();
  const chunk = Buffer.alloc(CHUNK_BYTES);
  hash.start();
  for (let at = 0; at < end; at += CHUNK_BYTES) {
    await beforeChunk();
    const part = chunk.subarray(0, Math.min(CHUNK_BYTES, end - at));
    if (file.read(part, at) !== part.length) return 'short';
    hash.update(part);
  }
  const recorded = Buffer.alloc(HASH_BYTES);
  if (file.read(recorded, end) !== HASH_BYTES) return 'short';
  return hashBytes(hash.digest()).equals(recorded) ? 'good' : 'changed';
}
