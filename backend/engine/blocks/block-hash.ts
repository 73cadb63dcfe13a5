import { createHash } from 'node:crypto';
import { Blake2BHasher, Blake2BParam, Blake3Hasher, blake3UrlSafeBase64 } from '@napi-rs/blake-hash';
import { DeviceError } from '../device-error.ts';

export type BlockAlgorithm = 'sha2' | 'blake2b' | 'blake3' | 'sha1';

/** Where an algorithm stands in this list is its number on the device: never reorder. */
export const BLOCK_ALGORITHMS: readonly BlockAlgorithm[] = ['sha2', 'blake2b', 'blake3', 'sha1'];

const LENGTHS_BITS: Readonly<Record<BlockAlgorithm, readonly number[]>> = {
  sha2: [256, 512],
  blake2b: [256, 512],
  blake3: [256, 512],
  sha1: [160],
};

/** Writes the hash of `bytes` into `into` at `at`. */
export type BlockHash = (bytes: Buffer, into: Buffer, at?: number) => void;

/** The context under which the second half of a 512-bit BLAKE3 hash is derived; part of the format. */
const SECOND_HALF = 'strongroom 2026 block hash, second half';

/**
 * The hash function of a store. It asks for text and writes it into the caller's buffer: a buffer made by an addon is
 * freed only when the event loop turns, which a thread that works synchronously never lets happen.
 * Throws `permanent` for a length the algorithm does not have.
 */
export function blockHash(algorithm: BlockAlgorithm, lengthBits: number): BlockHash {
  if (!LENGTHS_BITS[algorithm].includes(lengthBits)) {
    const allowed = LENGTHS_BITS[algorithm].join(' or ');
    throw new DeviceError('permanent', `A hash of ${algorithm} has ${allowed} bits, not ${lengthBits}.`);
  }
  if (algorithm === 'blake3') return lengthBits === 256 ? blake3InOne : blake3(lengthBits);
  if (algorithm === 'blake2b') return blake2b(lengthBits / 8);
  const name = algorithm === 'sha1' ? 'sha1' : `sha${lengthBits}`;
  return (bytes, into, at = 0) => {
    into.write(createHash(name).update(bytes).digest('base64'), at, 'base64');
  };
}

function blake2b(lengthBytes: number): BlockHash {
  const params = new Blake2BParam();
  params.hashLength(lengthBytes);
  return (bytes, into, at = 0) => {
    into.write(Blake2BHasher.withParams(params).update(bytes).digest('base64'), at, 'base64');
  };
}

/** In one call, which for a small block takes a third less time than three that keep a state between them. */
function blake3InOne(bytes: Buffer, into: Buffer, at = 0): void {
  into.write(blake3UrlSafeBase64(bytes), at, 'base64url');
}

function blake3(lengthBits: number): BlockHash {
  const first = new Blake3Hasher();
  const second = lengthBits === 512 ? Blake3Hasher.newDeriveKey(SECOND_HALF) : null;
  return (bytes, into, at = 0) => {
    first.reset();
    into.write(first.update(bytes).digest('base64'), at, 'base64');
    if (second === null) return;
    second.reset();
    into.write(second.update(bytes).digest('base64'), at + 32, 'base64');
  };
}
