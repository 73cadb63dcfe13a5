export const AEAD_KEY_BYTES = 32;
export const AEAD_NONCE_BYTES = 12;
export const AEAD_TAG_BYTES = 16;

/** Of NIST SP 800-38D and RFC 8439. */
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

export const MAC_BYTES = 32;

/** Writes HMAC-SHA-256 (RFC 2104) into `into`. */
export type Mac = (key: Uint8Array, message: Uint8Array, into: Uint8Array) => void;
