import { hkdfSync, randomBytes } from 'node:crypto';
import type { AgeStart } from './age-stream.ts';
import type { ByteSource } from './byte-source.ts';

/** The last line of a header begins so; 43 characters of its MAC and a line feed follow. */
const LAST_LINE = '\n--- ';
const MAC_LINE_BYTES = LAST_LINE.length + 43 + 1;
const PAYLOAD_NONCE_BYTES = 16;
/** One recipient takes 200 bytes; whoever added more with the age program has room too. */
const MOST_HEADER_BYTES = 65_536;

/** Loaded when it is needed: it reckons with curves while it loads. */
const library = () => import('age-encryption');

/** The beginning of a new age file for one recipient, with a key of its own. */
export async function startAgeFile(recipient: string): Promise<AgeStart> {
  const keys: Uint8Array[] = [];
  const { Encrypter } = await library();
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  // The library gives a file's key to its recipients only; this one adds nothing to the file but learns it.
  encrypter.addRecipient({
    wrapFileKey: (fileKey) => {
      keys.push(Uint8Array.from(fileKey));
      return [];
    },
  });
  const empty = Buffer.from(await encrypter.encrypt(new Uint8Array(0)));
  const [fileKey] = keys;
  const length = headerLength(empty);
  if (fileKey === undefined || length === null) throw new Error('no header was made for the encrypted file');
  const nonce = randomBytes(PAYLOAD_NONCE_BYTES);
  return {
    begin: Buffer.concat([empty.subarray(0, length), nonce]),
    payloadKey: payloadKey(fileKey, nonce),
  };
}

/** Null when the header is damaged or is for another identity. */
export async function openAgeFile(file: ByteSource, identity: string): Promise<AgeStart | null> {
  const bytes = Buffer.alloc(Math.min(file.size, MOST_HEADER_BYTES));
  const read = file.read(bytes, 0);
  const length = headerLength(bytes.subarray(0, read));
  if (length === null || read < length + PAYLOAD_NONCE_BYTES) return null;
  const { Decrypter } = await library();
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  try {
    const fileKey = await decrypter.decryptHeader(Uint8Array.from(bytes.subarray(0, length)));
    const nonce = bytes.subarray(length, length + PAYLOAD_NONCE_BYTES);
    return {
      begin: Buffer.from(bytes.subarray(0, length + PAYLOAD_NONCE_BYTES)),
      payloadKey: payloadKey(fileKey, nonce),
    };
  } catch {
    // Whatever the library finds wrong with a header, the answer is the same: it does not open.
    return null;
  }
}

function headerLength(bytes: Buffer): number | null {
  const at = bytes.indexOf(LAST_LINE, 0, 'latin1');
  return at < 0 || at + MAC_LINE_BYTES > bytes.length ? null : at + MAC_LINE_BYTES;
}

function payloadKey(fileKey: Uint8Array, nonce: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', fileKey, nonce, 'payload', 32));
}
