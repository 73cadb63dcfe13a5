import { createCipheriv, createDecipheriv } from 'node:crypto';
import { moved, tagFits } from './tag.ts';

/** Which part of a copy a sealed piece is; bound to it, so that no piece passes for another. */
export const SEAL_FRAME = 1;
export const SEAL_SEGMENT = 2;
export const SEAL_INDEX = 3;

export const SEAL_TAG_BYTES = 16;
const NONCE_BYTES = 12;
/** Pieces for the processor's cache; whole frames would also make a large buffer of garbage each. */
const STEP_BYTES = 131_072;
const CIPHER = 'aes-256-gcm';
const TAG = { authTagLength: SEAL_TAG_BYTES } as const;

/** The key of the frames before number `end`, from the end of the key before it on. */
export interface EarlierKey {
  readonly end: number;
  readonly dataKey: Uint8Array;
}

/**
 * Seals and opens the pieces of one copy with the copy's own key. The nonce is the piece's kind and number, the key is
 * made for this copy alone, and a number is sealed once: so no nonce ever comes twice under one key. What was cut off and
 * is gone on with has a new key from there on, since nobody knows how much of the frame that follows was on the disk before.
 */
export class GcmSeal {
  readonly #key: Uint8Array;
  readonly #earlier: readonly EarlierKey[];
  readonly #sealId: string;

  /** `earlier`: oldest first. */
  constructor(key: Uint8Array, sealId: string, earlier: readonly EarlierKey[] = []) {
    this.#key = key;
    this.#earlier = earlier;
    this.#sealId = sealId;
  }

  /** Writes the sealed piece into `into` and answers its length: that of the plain bytes and a tag. */
  seal(kind: number, index: number, plain: Uint8Array, into: Buffer): number {
    if (into.length < plain.length + SEAL_TAG_BYTES)
      throw new Error('a sealed piece is larger than its place');
    const cipher = createCipheriv(CIPHER, this.#keyOf(kind, index), nonce(kind, index), TAG);
    cipher.setAAD(this.#bound(kind, index));
    let at = 0;
    for (let from = 0; from < plain.length; from += STEP_BYTES) {
      at += moved(cipher.update(plain.subarray(from, from + STEP_BYTES)), into, at);
    }
    at += cipher.final().copy(into, at);
    at += cipher.getAuthTag().copy(into, at);
    return at;
  }

  /** The plain bytes, in `into`; null when the piece is not what was sealed, or not this piece. */
  open(kind: number, index: number, sealed: Uint8Array, into: Buffer): Buffer | null {
    const length = sealed.length - SEAL_TAG_BYTES;
    if (length < 0 || into.length < length) return null;
    const decipher = createDecipheriv(CIPHER, this.#keyOf(kind, index), nonce(kind, index), TAG);
    decipher.setAAD(this.#bound(kind, index));
    decipher.setAuthTag(sealed.subarray(length));
    let at = 0;
    for (let from = 0; from < length; from += STEP_BYTES) {
      at += moved(decipher.update(sealed.subarray(from, Math.min(length, from + STEP_BYTES))), into, at);
    }
    return tagFits(decipher) ? into.subarray(0, at) : null;
  }

  #keyOf(kind: number, index: number): Uint8Array {
    const earlier = kind === SEAL_FRAME ? this.#earlier.find(({ end }) => index < end) : undefined;
    return earlier?.dataKey ?? this.#key;
  }

  #bound(kind: number, index: number): Buffer {
    return Buffer.from(`strongroom-seal 1 ${this.#sealId} ${kind} ${index}`, 'utf8');
  }
}

/** Four bytes of kind and eight of number, big endian. */
function nonce(kind: number, index: number): Buffer {
  const bytes = Buffer.alloc(NONCE_BYTES);
  bytes.writeUInt32BE(kind, 0);
  bytes.writeBigUInt64BE(BigInt(index), 4);
  return bytes;
}
