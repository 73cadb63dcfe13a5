import { createHmac, randomFillSync } from 'node:crypto';
import { Blake3Hasher } from '@napi-rs/blake-hash';
import { AEAD_KEY_BYTES, AEAD_NONCE_BYTES, AEAD_TAG_BYTES } from '../../platform/aead.ts';
import { gcm, mac } from '../../platform/ciphers.ts';

/** Bytes that a sealed block is longer than its content: the salt, the byte of the encoding, the tag. */
export const BLOCK_SEAL_BYTES = 33;

const SALT_BYTES = 16;
const NAME_KEY_BYTES = 32;
/** The key of each block is its own, so the nonce may be the same for all. */
const NONCE = Buffer.alloc(AEAD_NONCE_BYTES);

/** Random bytes, drawn for many blocks at once: that takes as long as for one. None is given out twice. */
class Salts {
  readonly #drawn = Buffer.alloc(256 * SALT_BYTES);
  #used = this.#drawn.length;

  next(): Uint8Array {
    if (this.#used === this.#drawn.length) {
      randomFillSync(this.#drawn);
      this.#used = 0;
    }
    this.#used += SALT_BYTES;
    return this.#drawn.subarray(this.#used - SALT_BYTES, this.#used);
  }
}

/** From the client's key: what names and seals its blocks, in whatever store. */
export function blockKeyOf(clientKey: Uint8Array): Uint8Array {
  return derived(clientKey, 'strongroom block key 1');
}

/**
 * Names and seals the blocks of one client in one store. A name is a keyed hash of the content: equal contents of this
 * client have the same name, and nobody without the key can tell from a name what it names, nor whether another client
 * has the same. Each sealing has a key of its own, made from the name and a random salt, so no key ever seals twice.
 */
export class BlockSeal {
  readonly #hashBytes: number;
  readonly #first: Blake3Hasher;
  readonly #second: Blake3Hasher | null;
  readonly #sealKey: Uint8Array;
  readonly #gcm = gcm();
  readonly #mac = mac();
  /** What is bound to a block: the store, and behind that the name. */
  readonly #bound: Buffer;
  /** What the key of a block is made from: the salt and the name. */
  readonly #keyed: Buffer;
  readonly #key = Buffer.alloc(AEAD_KEY_BYTES);
  readonly #salts = new Salts();
  /** What is to be sealed, or was opened last. */
  #plain = Buffer.alloc(0);

  constructor(blockKey: Uint8Array, storeId: string, hashBytes: number) {
    this.#hashBytes = hashBytes;
    const hasher = (what: string) =>
      Blake3Hasher.newKeyed(Buffer.from(derived(blockKey, `strongroom block ${what} 1 ${storeId}`)));
    this.#first = hasher('name');
    this.#second = hashBytes > NAME_KEY_BYTES ? hasher('name, second half') : null;
    this.#sealKey = derived(blockKey, `strongroom block seal 1 ${storeId}`);
    const store = Buffer.from(`strongroom-block 1 ${storeId} `, 'utf8');
    this.#bound = Buffer.concat([store, Buffer.alloc(hashBytes)]);
    this.#keyed = Buffer.alloc(SALT_BYTES + hashBytes);
  }

  /** Writes the name of these bytes into `into` at `at`. */
  nameOf(raw: Buffer, into: Buffer, at = 0): void {
    // Text, and not a buffer of the addon: see `blockHash`.
    this.#first.reset();
    const firstBytes = Math.min(NAME_KEY_BYTES, this.#hashBytes);
    into.write(this.#first.update(raw).digest('base64'), at, firstBytes, 'base64');
    if (this.#second === null) return;
    this.#second.reset();
    into.write(this.#second.update(raw).digest('base64'), at + firstBytes, NAME_KEY_BYTES, 'base64');
  }

  /** Seals how the content is encoded, and the content, into `into`; answers the length. */
  seal(name: Buffer, encoding: number, content: Uint8Array, into: Buffer): number {
    const salt = this.#salts.next();
    into.set(salt);
    this.#prepare(name, salt);
    const plain = this.#together(encoding, content);
    const sealed = into.subarray(SALT_BYTES);
    return SALT_BYTES + this.#gcm.seal(this.#key, NONCE, this.#bound, plain, sealed);
  }

  /** In one piece: each further call of the cipher takes longer than this copy. */
  #together(encoding: number, content: Uint8Array): Buffer {
    const plain = this.#room(content.length + 1);
    plain[0] = encoding;
    plain.set(content, 1);
    return plain;
  }

  #room(bytes: number): Buffer {
    if (this.#plain.length < bytes) this.#plain = Buffer.allocUnsafeSlow(bytes);
    return this.#plain.subarray(0, bytes);
  }

  /** Null when it is not what was sealed under this name. The content is valid until the next block is sealed or opened. */
  open(name: Buffer, sealed: Uint8Array): { readonly encoding: number; readonly content: Buffer } | null {
    const plain = this.#opened(name, sealed);
    return plain === null ? null : { encoding: plain[0] ?? -1, content: plain.subarray(1) };
  }

  /** Whether `sealed` opens as this content, so encoded. */
  isSealed(name: Buffer, sealed: Uint8Array, encoding: number, content: Buffer): boolean {
    const plain = this.#opened(name, sealed);
    return plain !== null && plain[0] === encoding && plain.subarray(1).equals(content);
  }

  /** The encoding, one byte, and the content behind it. */
  #opened(name: Buffer, sealed: Uint8Array): Buffer | null {
    if (sealed.length < BLOCK_SEAL_BYTES) return null;
    this.#prepare(name, sealed.subarray(0, SALT_BYTES));
    const plain = this.#room(sealed.length - SALT_BYTES - AEAD_TAG_BYTES);
    const isOpen = this.#gcm.open(this.#key, NONCE, this.#bound, sealed.subarray(SALT_BYTES), plain);
    return isOpen ? plain : null;
  }

  /** Makes the block's key, and binds its name. */
  #prepare(name: Buffer, salt: Uint8Array): void {
    // A shorter one would be bound with the end of the name before it.
    if (name.length !== this.#hashBytes) throw new Error('the name of a block has a wrong length');
    this.#bound.set(name, this.#bound.length - name.length);
    this.#keyed.set(salt);
    this.#keyed.set(name, SALT_BYTES);
    this.#mac(this.#sealKey, this.#keyed, this.#key);
  }
}

function derived(key: Uint8Array, purpose: string): Uint8Array {
  return createHmac('sha256', key).update(purpose, 'utf8').digest();
}
