import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { AEAD_NONCE_BYTES, AEAD_TAG_BYTES } from '../../platform/aead.ts';
import { gcm } from '../../platform/ciphers.ts';
import { errorCode } from '../../platform/native.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import { openAgeFile, startAgeFile } from './age-header.ts';
import type { AgeStart } from './age-stream.ts';
import { blockKeyOf } from './block-seal.ts';
import { openFileSource } from './byte-source.ts';
import { CLIENT_KEY_BYTES, type ClientKey, COPY_CIPHERS, type CopyCipher } from './client-key.ts';
import type { CopySecret } from './copy-secret.ts';
import type { EarlierKey } from './gcm.ts';
import { LOCK_NAME } from './lock-name.ts';

const FORMAT = 'strongroom-key';
const MOST_LOCK_BYTES = 65_536;
const WRAPPED_BYTES = AEAD_NONCE_BYTES + CLIENT_KEY_BYTES + AEAD_TAG_BYTES;

export interface CopyLock {
  readonly cipher: CopyCipher;
  /** Of the client's key that opens it. */
  readonly keyId: string;
  /** `aes-256-gcm`: bound to every piece of the copy; `age`: empty. */
  readonly sealId: string;
  /** Nonce, wrapped key and tag; `age`: empty. */
  readonly wrapped: Buffer;
  /** The same of the keys that sealed the first frames of a copy whose work was cut off and gone on with, oldest first. */
  readonly earlier: readonly EarlierLock[];
}

/** A wrapped key, in base64, and the number of the frame before which it counts. */
export interface EarlierLock {
  readonly end: number;
  readonly wrapped: string;
}

/**
 * The secret of a new copy, the text of its `key.json`, and its wrapped key in base64 (`age`: null). `earlier`: the keys of frames that are
 * there already. Throws `corrupt` when the client's key does not open one of them.
 */
export async function lockCopy(
  key: ClientKey,
  sealId: string,
  earlier: readonly EarlierLock[] = [],
): Promise<{ readonly secret: CopySecret; readonly lockText: string; readonly wrapped: string | null }> {
  const head = { format: FORMAT, cipher: key.cipher, keyId: key.id };
  if (key.cipher === 'age') {
    const archive = await startAgeFile(key.recipient);
    const manifest = await startAgeFile(key.recipient);
    const lockText = `${JSON.stringify({ ...head, version: 1, recipient: key.recipient })}\n`;
    return { secret: { cipher: 'age', archive, manifest }, lockText, wrapped: null };
  }
  const dataKey = randomBytes(CLIENT_KEY_BYTES);
  const bytes = Buffer.alloc(WRAPPED_BYTES);
  const nonce = randomBytes(AEAD_NONCE_BYTES);
  bytes.set(nonce);
  gcm().seal(key.key, nonce, bound(sealId), dataKey, bytes.subarray(AEAD_NONCE_BYTES));
  const wrapped = bytes.toString('base64');
  const ends = earlier.map(({ end, wrapped: each }) => [end, each]);
  // Whoever knows version 1 only would take one key for all frames.
  const lock = { ...head, version: earlier.length === 0 ? 1 : 2, seal: sealId, key: wrapped };
  const lockText = `${JSON.stringify(earlier.length === 0 ? lock : { ...lock, earlier: ends })}\n`;
  const earlierKeys = earlierKeysOf(key.key, { sealId, earlier });
  const blockKey = blockKeyOf(key.key);
  return { secret: { cipher: 'aes-256-gcm', sealId, dataKey, earlierKeys, blockKey }, lockText, wrapped };
}

/** Null when the copy is not encrypted. Throws DeviceError. */
export function readCopyLock(copyPath: string): CopyLock | null {
  let text: string;
  try {
    const file = path.join(copyPath, LOCK_NAME);
    if (fs.statSync(file).size > MOST_LOCK_BYTES) throw damagedLock();
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw toDeviceError(error, 'The key of this copy cannot be read');
  }
  return parseLock(text);
}

function parseLock(text: string): CopyLock {
  const lock = parsed(text);
  if (lock.format !== FORMAT) throw damagedLock();
  if (lock.version !== 1 && lock.version !== 2) {
    throw new DeviceError('permanent', `This copy was encrypted by a newer version (${lock.version}).`);
  }
  const cipher = COPY_CIPHERS.find((known) => known === lock.cipher);
  if (cipher === undefined || typeof lock.keyId !== 'string') throw damagedLock();
  if (cipher === 'age')
    return { cipher, keyId: lock.keyId, sealId: '', wrapped: Buffer.alloc(0), earlier: [] };
  if (typeof lock.seal !== 'string' || typeof lock.key !== 'string') throw damagedLock();
  const earlier = lock.version === 1 ? [] : earlierOf(lock.earlier);
  const wrapped = Buffer.from(lock.key, 'base64');
  return { cipher, keyId: lock.keyId, sealId: lock.seal, wrapped, earlier };
}

function earlierOf(value: unknown): readonly EarlierLock[] {
  if (!Array.isArray(value)) throw damagedLock();
  return value.map((each: unknown) => {
    const [end, wrapped]: readonly unknown[] = Array.isArray(each) ? each : [];
    if (typeof end !== 'number' || typeof wrapped !== 'string') throw damagedLock();
    return { end, wrapped };
  });
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object') return value as Readonly<Record<string, unknown>>;
  } catch {
    // Told below, as any other text that is no lock.
  }
  throw damagedLock();
}

/**
 * Opens a copy with its client's key, before anything else is done with it; null for a copy that is not encrypted.
 * Throws `permission` when the key is not there or is another one, and `corrupt` when it is the right one but what it
 * should open is damaged.
 */
export async function unlockCopy(copyPath: string, key: ClientKey | null): Promise<CopySecret | null> {
  const lock = readCopyLock(copyPath);
  if (lock === null) {
    if (key === null || !fs.existsSync(copyPath)) return null;
    // The files of age carry all that opens them; the lock only tells which key it was.
    if (key.cipher === 'age') return openAge(copyPath, key.identity);
    throw new DeviceError(
      'corrupt',
      `The file ${LOCK_NAME} of this copy is missing; its data cannot be read.`,
    );
  }
  if (key === null) {
    throw new DeviceError(
      'permission',
      `This copy is encrypted (${lock.cipher}) and needs its client's key.`,
    );
  }
  if (key.id !== lock.keyId || key.cipher !== lock.cipher) {
    const shown = /^[0-9a-f]{1,64}$/.test(lock.keyId) ? lock.keyId : 'unknown';
    throw new DeviceError(
      'permission',
      `This copy was encrypted with another key (${shown}) than the client's present one (${key.id}). Put back the right key.`,
    );
  }
  if (key.cipher === 'age') return openAge(copyPath, key.identity);
  const { sealId } = lock;
  const dataKey = unwrap(key.key, lock);
  if (dataKey === null) throw damagedLock();
  const earlierKeys = earlierKeysOf(key.key, lock);
  return { cipher: 'aes-256-gcm', sealId, dataKey, earlierKeys, blockKey: blockKeyOf(key.key) };
}

async function openAge(copyPath: string, identity: string): Promise<CopySecret> {
  const names = fs.readdirSync(copyPath).filter((name) => name.endsWith('.age'));
  const startOf = async (prefix: string): Promise<AgeStart | null> => {
    const name = names.find((each) => each.startsWith(prefix));
    if (name === undefined) return null;
    const file = openFileSource(path.join(copyPath, name));
    try {
      return await openAgeFile(file, identity);
    } finally {
      file.close();
    }
  };
  return { cipher: 'age', archive: await startOf('archive.tar'), manifest: await startOf('manifest.') };
}

function earlierKeysOf(
  key: Uint8Array,
  { sealId, earlier }: Pick<CopyLock, 'sealId' | 'earlier'>,
): readonly EarlierKey[] {
  return earlier.map(({ end, wrapped }) => {
    const dataKey = unwrap(key, { sealId, wrapped: Buffer.from(wrapped, 'base64') });
    if (dataKey === null) throw damagedLock();
    return { end, dataKey };
  });
}

function unwrap(
  key: Uint8Array,
  { wrapped, sealId }: Pick<CopyLock, 'wrapped' | 'sealId'>,
): Uint8Array | null {
  if (wrapped.length !== WRAPPED_BYTES) return null;
  const nonce = wrapped.subarray(0, AEAD_NONCE_BYTES);
  const dataKey = Buffer.alloc(CLIENT_KEY_BYTES);
  return gcm().open(key, nonce, bound(sealId), wrapped.subarray(AEAD_NONCE_BYTES), dataKey) ? dataKey : null;
}

function bound(sealId: string): Buffer {
  return Buffer.from(`strongroom-key 1 ${sealId}`, 'utf8');
}

function damagedLock(): DeviceError {
  return new DeviceError('corrupt', `The file ${LOCK_NAME} of this copy is not what was written.`);
}
