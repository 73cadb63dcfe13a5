import { createCipheriv, createDecipheriv, createSecretKey, getCiphers } from 'node:crypto';
import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { releaseOwnBuffer } from '../../platform/collect-garbage.ts';
import { tagFits } from './tag.ts';

export const CHACHA_TAG_BYTES = 16;
const CIPHER = 'chacha20-poly1305';
const TAG = { authTagLength: CHACHA_TAG_BYTES } as const;

/** ChaCha20-Poly1305 of short messages with one key; the tag follows the bytes. No nonce may seal twice. */
export interface ChaCha {
  seal(nonce: Uint8Array, plain: Uint8Array): Uint8Array;
  /** Null when the message is not what was sealed with this key and nonce. */
  open(nonce: Uint8Array, sealed: Uint8Array): Uint8Array | null;
}

export function nativeChaCha(bytes: Uint8Array): ChaCha {
  // Given bytes, Node 24 throws and catches an error in each call.
  const key = createSecretKey(bytes);
  return {
    seal: (nonce, plain) => {
      const cipher = createCipheriv(CIPHER, key, nonce, TAG);
      const body = cipher.update(plain);
      const sealed = Buffer.concat([body, cipher.final(), cipher.getAuthTag()]);
      releaseOwnBuffer(body);
      return sealed;
    },
    open: (nonce, sealed) => {
      if (sealed.length < CHACHA_TAG_BYTES) return null;
      const decipher = createDecipheriv(CIPHER, key, nonce, TAG);
      decipher.setAuthTag(sealed.subarray(-CHACHA_TAG_BYTES));
      const plain = decipher.update(sealed.subarray(0, -CHACHA_TAG_BYTES));
      return tagFits(decipher) ? plain : null;
    },
  };
}

export function scriptedChaCha(key: Uint8Array): ChaCha {
  return {
    seal: (nonce, plain) => chacha20poly1305(key, nonce).encrypt(plain),
    open: (nonce, sealed) => {
      if (sealed.length < CHACHA_TAG_BYTES) return null;
      try {
        return chacha20poly1305(key, nonce).decrypt(sealed);
      } catch {
        // Lengths are right, so what it refuses is the tag.
        return null;
      }
    },
  };
}

/** The runtime's own where it has one (Node), else the library's (Electron has none), which is some 15 times slower. */
export function chacha(key: Uint8Array): ChaCha {
  return getCiphers().includes(CIPHER) ? nativeChaCha(key) : scriptedChaCha(key);
}
