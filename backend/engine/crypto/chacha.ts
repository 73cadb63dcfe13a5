import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import type { Aead } from '../../platform/aead.ts';
import { nativeChaCha } from '../../platform/ciphers.ts';

/** By the system or the runtime where either has it, else by a library in JavaScript (Electron without a library of the system), which is some 15 times slower. */
export function chacha(): Aead {
  return nativeChaCha() ?? scriptedChaCha;
}

export const scriptedChaCha: Aead = {
  seal: (key, nonce, bound, plain, into) => {
    const sealed = chacha20poly1305(key, nonce, bound).encrypt(plain);
    into.set(sealed);
    return sealed.length;
  },
  open: (key, nonce, bound, sealed, into) => {
    try {
      into.set(chacha20poly1305(key, nonce, bound).decrypt(sealed));
      return true;
    } catch {
      // Of lengths that are right, what it refuses is the tag.
      return false;
    }
  },
};
