import {
  AEAD_KEY_BYTES,
  AEAD_NONCE_BYTES,
  AEAD_TAG_BYTES,
  type Aead,
  type AeadName,
  MAC_BYTES,
  type Mac,
} from './aead.ts';
import { loadSystemLibrary, type SystemLibrary, thereIs } from './system-library.ts';

export interface SystemCrypto {
  readonly aeads: Readonly<Record<AeadName, Aead>>;
  readonly mac: Mac;
}

let found: SystemCrypto | null | undefined;

/**
 * The crypto library of the system (OpenSSL), called as it is. Node makes a cipher, a key and new memory for each piece, which for a block of
 * some kilobytes takes longer than the work itself, and Electron has no ChaCha20 at all. Here the contexts live as long as the thread. Measured
 * with 9,000 bytes: 3.0 against 10.0 µs to seal, 0.6 against 2.6 for a code; with 131,072: 28 against 71.
 *
 * Null where there is none, or one that does another thing. Loads on first use.
 */
export function systemCrypto(): SystemCrypto | null {
  if (found === undefined) found = load();
  return found;
}

/** OpenSSL 3, and 1.1, whose calls are the same. */
const LIBRARIES = ['libcrypto.so.3', 'libcrypto.so.1.1'];
/** EVP_CTRL_AEAD_GET_TAG and EVP_CTRL_AEAD_SET_TAG of evp.h. */
const GET_TAG = 0x10;
const SET_TAG = 0x11;
/** Lengths are int there. */
const MOST_BYTES = 0x7fff_ffff;

/** For the thread. Where a call tells how much it has written; neither cipher holds anything back. */
const written = Buffer.alloc(4);
const tag = Buffer.alloc(AEAD_TAG_BYTES);

function load(): SystemCrypto | null {
  if (process.platform !== 'linux') return null;
  for (const name of LIBRARIES) {
    const library = new Library();
    try {
      const bound = library.bind(name);
      if (isRight(bound)) {
        // A thread's memory of the library is not given back by its end.
        process.once('exit', () => library.free());
        return bound;
      }
    } catch {
      // No such library, one without these calls, or no koffi for this system: the runtime does the same work.
    }
    library.free();
  }
  return null;
}

/** Memory of the library is C's: what was made is given back by `free`. */
class Library {
  readonly #frees: (() => void)[] = [];

  bind(name: string): SystemCrypto {
    const lib = loadSystemLibrary(name);
    const calls = cipherCalls(lib);
    const aeadBy = (fetched: string, constant: string): Aead => {
      const cipher = cipherOf(lib, fetched, constant);
      return aeadOf(calls, cipher, [this.#context(calls), this.#context(calls)]);
    };
    return {
      aeads: {
        'aes-256-gcm': aeadBy('AES-256-GCM', 'EVP_aes_256_gcm'),
        'chacha20-poly1305': aeadBy('ChaCha20-Poly1305', 'EVP_chacha20_poly1305'),
      },
      mac: this.#mac(lib),
    };
  }

  free(): void {
    for (const free of this.#frees.splice(0)) free();
  }

  #context({ newContext, freeContext }: CipherCalls): unknown {
    const context = thereIs(newContext());
    this.#frees.push(() => freeContext(context));
    return context;
  }

  #mac(lib: SystemLibrary): Mac {
    const context = thereIs(lib.func('void* HMAC_CTX_new()')());
    const free = lib.func('void HMAC_CTX_free(void*)');
    this.#frees.push(() => free(context));
    const init = lib.func('int HMAC_Init_ex(void*, const void*, int, void*, void*)');
    const update = lib.func('int HMAC_Update(void*, const void*, size_t)');
    const final = lib.func('int HMAC_Final(void*, void*, void*)');
    const sha256 = thereIs(lib.func('void* EVP_sha256()')());
    /** The same key makes the keys of many blocks: it is made ready once. */
    let ready: Buffer | null = null;
    return (key, message, into) => {
      if (into.length < MAC_BYTES) throw new Error('an authentication code has no room');
      if (ready?.equals(key)) sure(init(context, null, 0, null, null));
      else {
        sure(init(context, key, key.length, sha256, null));
        ready = Buffer.from(key);
      }
      sure(update(context, message, message.length));
      sure(final(context, into, written));
    };
  }
}

/** OpenSSL 3 looks algorithms up by name, which is done once here; 1.1 has them as constants. */
function cipherOf(lib: SystemLibrary, fetched: string, constant: string): unknown {
  try {
    return thereIs(lib.func('void* EVP_CIPHER_fetch(void*, const char*, const char*)')(null, fetched, null));
  } catch {
    return thereIs(lib.func(`void* ${constant}()`)());
  }
}

function cipherCalls(lib: SystemLibrary) {
  return {
    newContext: lib.func('void* EVP_CIPHER_CTX_new()'),
    freeContext: lib.func('void EVP_CIPHER_CTX_free(void*)'),
    sealInit: lib.func('int EVP_EncryptInit_ex(void*, void*, void*, const void*, const void*)'),
    sealUpdate: lib.func('int EVP_EncryptUpdate(void*, void*, void*, const void*, int)'),
    sealFinal: lib.func('int EVP_EncryptFinal_ex(void*, void*, void*)'),
    openInit: lib.func('int EVP_DecryptInit_ex(void*, void*, void*, const void*, const void*)'),
    openUpdate: lib.func('int EVP_DecryptUpdate(void*, void*, void*, const void*, int)'),
    openFinal: lib.func('int EVP_DecryptFinal_ex(void*, void*, void*)'),
    control: lib.func('int EVP_CIPHER_CTX_ctrl(void*, int, int, void*)'),
  };
}

type CipherCalls = ReturnType<typeof cipherCalls>;

function aeadOf(calls: CipherCalls, cipher: unknown, [sealing, opening]: readonly [unknown, unknown]): Aead {
  const { sealInit, sealUpdate, sealFinal, openInit, openUpdate, openFinal, control } = calls;
  const zeros = Buffer.alloc(AEAD_KEY_BYTES);
  sure(sealInit(sealing, cipher, null, zeros, zeros));
  sure(openInit(opening, cipher, null, zeros, zeros));
  return {
    seal: (key, nonce, bound, plain, into) => {
      checkSizes(key, nonce, plain.length, into.length - AEAD_TAG_BYTES);
      sure(sealInit(sealing, null, null, key, nonce));
      // The address of nothing would mean another call.
      if (bound.length > 0) sure(sealUpdate(sealing, null, written, bound, bound.length));
      if (plain.length > 0) sure(sealUpdate(sealing, into, written, plain, plain.length));
      sure(sealFinal(sealing, tag, written));
      sure(control(sealing, GET_TAG, AEAD_TAG_BYTES, tag));
      into.set(tag, plain.length);
      return plain.length + AEAD_TAG_BYTES;
    },
    open: (key, nonce, bound, sealed, into) => {
      const length = sealed.length - AEAD_TAG_BYTES;
      if (length < 0) return false;
      checkSizes(key, nonce, length, into.length);
      sure(openInit(opening, null, null, key, nonce));
      if (bound.length > 0) sure(openUpdate(opening, null, written, bound, bound.length));
      if (length > 0) sure(openUpdate(opening, into, written, sealed, length));
      tag.set(sealed.subarray(length));
      sure(control(opening, SET_TAG, AEAD_TAG_BYTES, tag));
      return openFinal(opening, tag, written) === 1;
    },
  };
}

function sure(result: unknown): void {
  if (result !== 1) throw new Error('the crypto library of the system refuses a call');
}

/** C reads and writes as much as it is told, whatever is there. */
function checkSizes(key: Uint8Array, nonce: Uint8Array, bytes: number, room: number): void {
  if (key.length !== AEAD_KEY_BYTES || nonce.length !== AEAD_NONCE_BYTES || bytes > MOST_BYTES)
    throw new Error('a key, a nonce or a piece to seal has a wrong length');
  if (room < bytes) throw new Error('what is sealed or opened has no room');
}

const SAMPLE = {
  key: Buffer.alloc(AEAD_KEY_BYTES, 'a key for the sample'),
  nonce: Buffer.alloc(AEAD_NONCE_BYTES, 'one nonce'),
  bound: Buffer.from('what is bound'),
  plain: Buffer.from(
    'a few words, more than one block of either cipher has room for, to see that they come back',
  ),
};
/** What the sample is to become: tags, which depend on all the rest, and the code of the words. */
const ANSWERS: Readonly<Record<AeadName, string>> = {
  'aes-256-gcm': '7bb7e5e193509a1e78b3cd6cbf28b04d',
  'chacha20-poly1305': '004946fda52f625f24729186d8d09e88',
};
const CODE = '608f6c516657259a8b9157ea9e6cec511c3a953338567567882479698908ee35';

/** A library that is called so and does another thing is found out before any data is given to it. */
function isRight({ aeads, mac }: SystemCrypto): boolean {
  const { key, plain } = SAMPLE;
  const code = Buffer.alloc(MAC_BYTES);
  mac(key, plain, code);
  return (
    code.toString('hex') === CODE &&
    Object.entries(ANSWERS).every(([name, tag]) => isRightAead(aeads[name as AeadName], tag))
  );
}

function isRightAead(aead: Aead, tag: string): boolean {
  const { key, nonce, bound, plain } = SAMPLE;
  const sealed = Buffer.alloc(plain.length + AEAD_TAG_BYTES);
  const back = Buffer.alloc(plain.length);
  if (aead.seal(key, nonce, bound, plain, sealed) !== sealed.length) return false;
  if (sealed.toString('hex', plain.length) !== tag) return false;
  if (!aead.open(key, nonce, bound, sealed, back) || !back.equals(plain)) return false;
  sealed.writeUInt8(sealed.readUInt8(0) ^ 1, 0);
  return !aead.open(key, nonce, bound, sealed, back);
}
