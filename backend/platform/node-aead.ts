import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { AEAD_TAG_BYTES, type Aead, type AeadName, type Mac } from './aead.ts';
import { releaseOwnBuffer } from './collect-garbage.ts';

const OPTIONS = { authTagLength: AEAD_TAG_BYTES } as const;
/** Pieces for the cache of the processor; whole frames would also make a large buffer of garbage each. */
const STEP_BYTES = 131_072;

/** By the runtime's own crypto. */
export function nodeAead(name: AeadName): Aead {
  // Both are ciphers of this kind; Node's types know of one call for each name only.
  const cipherName = name as 'aes-256-gcm';
  return {
    seal: (key, nonce, bound, plain, into) => {
      const cipher = createCipheriv(cipherName, keyOf(key), nonce, OPTIONS);
      cipher.setAAD(bound);
      let at = 0;
      for (let from = 0; from < plain.length; from += STEP_BYTES) {
        at += moved(cipher.update(plain.subarray(from, from + STEP_BYTES)), into, at);
      }
      at += moved(cipher.final(), into, at);
      return at + moved(cipher.getAuthTag(), into, at);
    },
    open: (key, nonce, bound, sealed, into) => {
      const length = sealed.length - AEAD_TAG_BYTES;
      if (length < 0) return false;
      const decipher = createDecipheriv(cipherName, keyOf(key), nonce, OPTIONS);
      decipher.setAAD(bound);
      decipher.setAuthTag(sealed.subarray(length));
      let at = 0;
      for (let from = 0; from < length; from += STEP_BYTES) {
        const piece = sealed.subarray(from, Math.min(length, from + STEP_BYTES));
        at += moved(decipher.update(piece), into, at);
      }
      return tagFits(decipher);
    },
  };
}

export const nodeMac: Mac = (key, message, into) =>
  void moved(createHmac('sha256', keyOf(key)).update(message).digest(), into, 0);

/** The last one of the thread: the same key seals many pieces, or makes the keys of many. */
let last: { readonly bytes: Buffer; readonly object: KeyObject } | null = null;

/** A key object: given bytes, Node 24 throws and catches an error for each call, which takes longer than all else. */
function keyOf(key: Uint8Array): KeyObject {
  if (last === null || !last.bytes.equals(key)) {
    const bytes = Buffer.from(key);
    last = { bytes, object: createSecretKey(bytes) };
  }
  return last.object;
}

/** Ends a decryption; false when its tag does not fit, which is the only thing that `final` can say. */
function tagFits(decipher: { final(): Buffer }): boolean {
  try {
    decipher.final();
    return true;
  } catch {
    return false;
  }
}

/** Copies what a cipher made, gives its memory back (in a tight loop it would pile up until V8 looks), and answers its length. */
function moved(made: Buffer, into: Uint8Array, at: number): number {
  const length = made.copy(into, at);
  releaseOwnBuffer(made);
  return length;
}
