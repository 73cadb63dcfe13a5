import { AEAD_NONCE_BYTES, AEAD_TAG_BYTES } from '../../platform/aead.ts';
import { gcm } from '../../platform/ciphers.ts';

/** Which part of a copy a sealed piece is; bound to it, so that no piece passes for another. */
export const SEAL_FRAME = 1;
export const SEAL_SEGMENT = 2;
export const SEAL_INDEX = 3;

export const SEAL_TAG_BYTES = AEAD_TAG_BYTES;

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
  readonly #gcm = gcm();

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
    const key = this.#keyOf(kind, index);
    return this.#gcm.seal(key, nonce(kind, index), this.#bound(kind, index), plain, into);
  }

  /** The plain bytes, in `into`; null when the piece is not what was sealed, or not this piece. */
  open(kind: number, index: number, sealed: Uint8Array, into: Buffer): Buffer | null {
    const length = sealed.length - SEAL_TAG_BYTES;
    if (length < 0 || into.length < length) return null;
    const key = this.#keyOf(kind, index);
    const isOpen = this.#gcm.open(key, nonce(kind, index), this.#bound(kind, index), sealed, into);
    return isOpen ? into.subarray(0, length) : null;
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
  const bytes = Buffer.alloc(AEAD_NONCE_BYTES);
  bytes.writeUInt32BE(kind, 0);
  bytes.writeBigUInt64BE(BigInt(index), 4);
  return bytes;
}
