import { nodeAead, nodeMac } from './node-aead.ts';
import { systemCrypto } from './system-crypto.ts';

export const AEAD_TAG_BYTES = 16;
export const AEAD_NONCE_BYTES = 12;

/** Of NIST SP 800-38D and RFC 8439. Keys have 32 bytes. */
export type AeadName = 'aes-256-gcm' | 'chacha20-poly1305';

/** Seals bytes and binds others to them, from and into memory of the caller. */
export interface Aead {
  /**
   * Writes what `plain` is sealed to, and the tag behind it, into `into`, which has room for both and is no part of the memory of `plain`;
   * answers their length. No nonce comes twice with one key.
   */
  readonly seal: (
    key: Uint8Array,
    nonce: Uint8Array,
    bound: Uint8Array,
    plain: Uint8Array,
    into: Uint8Array,
  ) => number;
  /** Writes the plain bytes into `into`; false when `sealed` is not what was sealed so: what `into` holds then is of no use. */
  readonly open: (
    key: Uint8Array,
    nonce: Uint8Array,
    bound: Uint8Array,
    sealed: Uint8Array,
    into: Uint8Array,
  ) => boolean;
}

/** Writes the 32 bytes of HMAC-SHA-256 (RFC 2104) into `into`. */
export type Mac = (key: Uint8Array, message: Uint8Array, into: Uint8Array) => void;

/** By the library of the system, else by the runtime; null where neither has it. */
export function aead(name: AeadName): Aead | null {
  return systemCrypto()?.aeads[name] ?? nodeAead(name);
}

export function mac(): Mac {
  return systemCrypto()?.mac ?? nodeMac;
}
