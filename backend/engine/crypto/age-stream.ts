import { DeviceError } from '../device-error.ts';
import type { ByteSource } from './byte-source.ts';
import { CHACHA_TAG_BYTES, type ChaCha, chacha } from './chacha.ts';

/**
 * The payload of an age file (age-encryption.org/v1): chunks of 64 KiB, each sealed for itself with its number as
 * nonce and a mark on the last one. So a chunk is found by reckoning, and none can be swapped or cut off.
 */
const CHUNK_BYTES = 65_536;
const SEALED_CHUNK_BYTES = CHUNK_BYTES + CHACHA_TAG_BYTES;
const NONCE_BYTES = 12;

/** How an age file begins (its header and the nonce of its payload), and the key of the payload. */
export interface AgeStart {
  readonly begin: Uint8Array;
  readonly payloadKey: Uint8Array;
}

/** Seals what is pushed into it, chunk by chunk, in the order of the bytes. */
export class AgeWriter {
  readonly #write: (sealed: Uint8Array) => void;
  readonly #cipher: ChaCha;
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  #filled = 0;
  #chunks = 0;

  /** `write` gets the beginning of the file at once, then chunks that are its own. */
  constructor(start: AgeStart, write: (sealed: Uint8Array) => void) {
    this.#cipher = chacha(start.payloadKey);
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
    this.#write(this.#cipher.seal(nonce(this.#chunks, isLast), plain));
    this.#chunks += 1;
    this.#filled = 0;
  }
}

/** The plain bytes of an age file, at any place. `sealed` is closed with it. */
export class AgeSource implements ByteSource {
  readonly #sealed: ByteSource;
  readonly #start: AgeStart;
  readonly #cipher: ChaCha;
  readonly #chunk = Buffer.alloc(SEALED_CHUNK_BYTES);
  #current = -1;
  #plain: Uint8Array = new Uint8Array(0);

  constructor(sealed: ByteSource, start: AgeStart) {
    this.#sealed = sealed;
    this.#start = start;
    this.#cipher = chacha(start.payloadKey);
  }

  get size(): number {
    return Math.max(0, this.#payloadBytes() - this.#chunkCount() * CHACHA_TAG_BYTES);
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
    const plain = this.#cipher.open(nonce(index, index === count - 1), this.#chunk.subarray(0, read));
    if (plain === null) {
      throw new DeviceError('corrupt', `Piece ${index + 1} of the encrypted file is not what was written.`);
    }
    this.#current = index;
    this.#plain = plain;
    return plain;
  }
}

/** Eleven bytes of number, big endian, and the mark of the last chunk. */
function nonce(index: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(NONCE_BYTES);
  bytes.writeUIntBE(index, 5, 6);
  bytes[NONCE_BYTES - 1] = isLast ? 1 : 0;
  return bytes;
}
