import { Blake3Hasher } from '@napi-rs/blake-hash';

/** BLAKE3 as base64 without padding: 43 characters. */
export const HASH_LENGTH = 43;

/**
 * One hasher, used again and again. It gives text and never buffers: a buffer made by an addon is only freed
 * when the event loop turns, which a thread that works synchronously never lets happen.
 */
export class ContentHash {
  readonly #hasher = new Blake3Hasher();

  of(bytes: Buffer): string {
    this.#hasher.reset();
    this.#hasher.update(bytes);
    return this.digest();
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
