import { AEAD_NONCE_BYTES, AEAD_TAG_BYTES } from '../../platform/aead.ts';
import { DeviceError } from '../device-error.ts';
import type { ByteSource } from './byte-source.ts';
import { chacha } from './chacha.ts';

/**
 * The payload of an age file (age-encryption.org/v1): chunks of 64 KiB, each sealed for itself with its number as
 * nonce and a mark on the last one. So a chunk is found by reckoning, and none can be swapped or cut off.
 */
const CHUNK_BYTES = 65_536;
const SEALED_CHUNK_BYTES = CHUNK_BYTES + AEAD_TAG_BYTES;
/** Only the nonce is bound to a chunk. */
const NOTHING = Buffer.alloc(0);

/** How an age file begins (its header and the nonce of its payload), and the key of the payload. */
export interface AgeStart {
  readonly begin: Uint8Array;
  readonly payloadKey: Uint8Array;
}

/** Seals what is pushed into it, chunk by chunk, in the order of the bytes. */
export class AgeWriter {
  readonly #write: (sealed: Uint8Array) => void;
  readonly #key: Uint8Array;
  readonly #cipher = chacha();
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  #filled = 0;
  #chunks = 0;

  /** `write` gets the beginning of the file at once, then chunks that are its own. */
  constructor(start: AgeStart, write: (sealed: Uint8Array) => void) {
    this.#key = start.payloadKey;
    this.#write = write;
    write(start.begin);
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      // A full chunk stays until more comes: only the last one carries the mark.
      if (this.#filled === CHUNK_BYTES) this.#seal(false);
      const part = bytes.subarray(at, at + CHUNK_BYTES - this.#filled);
      this.#chunk.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
    }
  }

  end(): void {
    this.#seal(true);
  }

  #seal(isLast: boolean): void {
    const plain = this.#chunk.subarray(0, this.#filled);
    const sealed = Buffer.allocUnsafe(plain.length + AEAD_TAG_BYTES);
    this.#cipher.seal(this.#key, nonce(this.#chunks, isLast), NOTHING, plain, sealed);
    this.#write(sealed);
    this.#chunks += 1;
    this.#filled = 0;
  }
}

/** The plain bytes of an age file, at any place. `sealed` is closed with it. */
export class AgeSource implements ByteSource {
  readonly #sealed: ByteSource;
  readonly #start: AgeStart;
  readonly #cipher = chacha();
  readonly #chunk = Buffer.alloc(SEALED_CHUNK_BYTES);
  readonly #room = Buffer.alloc(CHUNK_BYTES);
  #current = -1;
  #plain = this.#room.subarray(0, 0);

  constructor(sealed: ByteSource, start: AgeStart) {
    this.#sealed = sealed;
    this.#start = start;
  }

  get size(): number {
    return Math.max(0, this.#payloadBytes() - this.#chunkCount() * AEAD_TAG_BYTES);
  }

  read(into: Buffer, offset: number): number {
    let done = 0;
    while (done < into.length) {
      const at = offset + done;
      const plain = this.#open(Math.floor(at / CHUNK_BYTES));
      const part = plain.subarray(at % CHUNK_BYTES, (at % CHUNK_BYTES) + into.length - done);
      if (part.length === 0) break;
      into.set(part, done);
      done += part.length;
    }
    return done;
  }

  close(): void {
    this.#sealed.close();
  }

  #payloadBytes(): number {
    return Math.max(0, this.#sealed.size - this.#start.begin.length);
  }

  #chunkCount(): number {
    return Math.ceil(this.#payloadBytes() / SEALED_CHUNK_BYTES);
  }

  #open(index: number): Uint8Array {
    if (index === this.#current) return this.#plain;
    const count = this.#chunkCount();
    if (index >= count) return new Uint8Array(0);
    const offset = this.#start.begin.length + index * SEALED_CHUNK_BYTES;
    const read = this.#sealed.read(this.#chunk, offset);
    const sealed = this.#chunk.subarray(0, read);
    // Where it fails, what is there is no longer the chunk that was.
    this.#current = -1;
    const { payloadKey } = this.#start;
    if (!this.#cipher.open(payloadKey, nonce(index, index === count - 1), NOTHING, sealed, this.#room)) {
      throw new DeviceError('corrupt', `Piece ${index + 1} of the encrypted file is not what was written.`);
    }
    this.#current = index;
    this.#plain = this.#room.subarray(0, read - AEAD_TAG_BYTES);
    return this.#plain;
  }
}

/** Eleven bytes of number, big endian, and the mark of the last chunk. */
function nonce(index: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(AEAD_NONCE_BYTES);
  bytes.writeUIntBE(index, 5, 6);
  bytes[AEAD_NONCE_BYTES - 1] = isLast ? 1 : 0;
  return bytes;
}
