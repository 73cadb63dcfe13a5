import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomFillSync,
} from 'node:crypto';
import { Blake3Hasher } from '@napi-rs/blake-hash';
import { releaseOwnBuffer } from '../../platform/collect-garbage.ts';
import { moved, tagFits } from './tag.ts';

/** Bytes that a sealed block is longer than its content: the salt, the byte of the encoding, the tag. */
export const BLOCK_SEAL_BYTES = 33;

const SALT_BYTES = 16;
const TAG_BYTES = 16;
const NAME_KEY_BYTES = 32;
const CIPHER = 'aes-256-gcm';
/** The key of each block is its own, so the nonce may be the same for all. */
const NONCE = Buffer.alloc(12);

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
  /** A key object, as that of each block: given bytes, Node 24 throws and catches an error for each call, which takes longer than all else. */
  readonly #sealKey: KeyObject;
  readonly #bound: Buffer;
  readonly #salts = new Salts();
  #plain = Buffer.alloc(0);
  /** What was opened last. */
  #last: Buffer | null = null;

  constructor(blockKey: Uint8Array, storeId: string, hashBytes: number) {
    this.#hashBytes = hashBytes;
    const hasher = (what: string) =>
      Blake3Hasher.newKeyed(Buffer.from(derived(blockKey, `strongroom block ${what} 1 ${storeId}`)));
    this.#first = hasher('name');
    this.#second = hashBytes > NAME_KEY_BYTES ? hasher('name, second half') : null;
    this.#sealKey = createSecretKey(derived(blockKey, `strongroom block seal 1 ${storeId}`));
    this.#bound = Buffer.from(`strongroom-block 1 ${storeId} `, 'utf8');
  }

  /** Writes the name of these bytes into `into`. */
  nameOf(raw: Buffer, into: Buffer): void {
    // Text, and not a buffer of the addon: see `blockHash`.
    this.#first.reset();
    const first = Buffer.from(this.#first.update(raw).digest('base64'), 'base64');
    first.copy(into, 0, 0, Math.min(first.length, this.#hashBytes));
    if (this.#second === null) return;
    this.#second.reset();
    into.write(this.#second.update(raw).digest('base64'), first.length, 'base64');
  }

  /** Seals how the content is encoded, and the content, into `into`; answers the length. */
  seal(name: Buffer, encoding: number, content: Uint8Array, into: Buffer): number {
    const salt = this.#salts.next();
    into.set(salt);
    const options = { authTagLength: TAG_BYTES };
    const cipher = createCipheriv(CIPHER, this.#keyOf(name, salt), NONCE, options);
    cipher.setAAD(Buffer.concat([this.#bound, name]));
    let at = SALT_BYTES;
    // In one piece: each further call of the cipher takes longer than this copy.
    at += moved(cipher.update(this.#together(encoding, content)), into, at);
    at += cipher.final().copy(into, at);
    at += cipher.getAuthTag().copy(into, at);
    return at;
  }

  #together(encoding: number, content: Uint8Array): Buffer {
    const bytes = content.length + 1;
    if (this.#plain.length < bytes) this.#plain = Buffer.allocUnsafeSlow(bytes);
    this.#plain[0] = encoding;
    this.#plain.set(content, 1);
    return this.#plain.subarray(0, bytes);
  }

  /** Null when it is not what was sealed under this name. The content is valid until the next is opened: in a tight loop it would pile up. */
  open(name: Buffer, sealed: Uint8Array): { readonly encoding: number; readonly content: Buffer } | null {
    if (this.#last !== null) releaseOwnBuffer(this.#last);
    const plain = this.#opened(name, sealed);
    this.#last = plain;
    return plain === null ? null : { encoding: plain[0] ?? -1, content: plain.subarray(1) };
  }

  /** Whether `sealed` opens as this content, so encoded; what it opens to is given back at once. */
  isSealed(name: Buffer, sealed: Uint8Array, encoding: number, content: Buffer): boolean {
    const plain = this.#opened(name, sealed);
    if (plain === null) return false;
    const isSame = plain[0] === encoding && plain.subarray(1).equals(content);
    releaseOwnBuffer(plain);
    return isSame;
  }

  /** The encoding, one byte, and the content behind it. */
  #opened(name: Buffer, sealed: Uint8Array): Buffer | null {
    if (sealed.length < BLOCK_SEAL_BYTES) return null;
    const salt = sealed.subarray(0, SALT_BYTES);
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv(CIPHER, this.#keyOf(name, salt), NONCE, options);
    decipher.setAAD(Buffer.concat([this.#bound, name]));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const plain = decipher.update(sealed.subarray(SALT_BYTES, -TAG_BYTES));
    return tagFits(decipher) ? plain : null;
  }

  #keyOf(name: Buffer, salt: Uint8Array): KeyObject {
    return createSecretKey(createHmac('sha256', this.#sealKey).update(salt).update(name).digest());
  }
}

function derived(key: Uint8Array, purpose: string): Uint8Array {
  return createHmac('sha256', key).update(purpose, 'utf8').digest();
}
