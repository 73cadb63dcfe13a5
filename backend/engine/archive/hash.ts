import { Blake3Hasher, blake3UrlSafeBase64 } from '@napi-rs/blake-hash';

/** BLAKE3 as base64 without padding: 43 characters. */
export const HASH_LENGTH = 43;

/**
 * One hasher, used again and again. It gives text and never buffers: a buffer made by an addon is only freed
 * when the event loop turns, which a thread that works synchronously never lets happen.
 */
export class ContentHash {
  readonly #hasher = new Blake3Hasher();

  /** In one call, which takes a third less time for a small file than three that keep a state between them. */
  of(bytes: Buffer): string {
    const text = blake3UrlSafeBase64(bytes).slice(0, HASH_LENGTH);
    return text.replaceAll('-', '+').replaceAll('_', '/');
  }

  start(): void {
    this.#hasher.reset();
  }

  update(bytes: Buffer): void {
    this.#hasher.update(bytes);
  }

  digest(): string {
    return this.#hasher.digest('base64').slice(0, HASH_LENGTH);
  }
}

export function hashBytes(hash: string): Buffer {
  return Buffer.from(hash, 'base64');
}
