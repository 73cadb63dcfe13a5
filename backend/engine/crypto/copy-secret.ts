import path from 'node:path';
import { DeviceError } from '../device-error.ts';
import { AgeSource, type AgeStart } from './age-stream.ts';
import { BlockSeal } from './block-seal.ts';
import { type ByteSource, openFileSource } from './byte-source.ts';
import type { CopyCipher } from './client-key.ts';
import { type EarlierKey, GcmSeal, SEAL_TAG_BYTES } from './gcm.ts';

/** What opens one copy, and no other: made on the client's side, handed to the workers that need it, never stored. */
export type CopySecret =
  | {
      readonly cipher: 'aes-256-gcm';
      readonly sealId: string;
      /** Of the manifest, and of the frames behind those of `earlierKeys`. */
      readonly dataKey: Uint8Array;
      /** Of the attempts that were cut off before the one that made the copy whole, oldest first. */
      readonly earlierKeys: readonly EarlierKey[];
      /** Of the client, for the blocks that its copies share. */
      readonly blockKey: Uint8Array;
    }
  /** A file whose beginning is damaged has none. */
  | { readonly cipher: 'age'; readonly archive: AgeStart | null; readonly manifest: AgeStart | null };

export type CopyPart = 'archive' | 'manifest';

const SUFFIXES = { 'aes-256-gcm': '.sealed', age: '.age' } as const;

/** The name of a file of a copy, after what encrypts it. */
export function storedName(plainName: string, cipher: CopyCipher | null): string {
  return cipher === null ? plainName : `${plainName}${SUFFIXES[cipher]}`;
}

/** Throws the system's error when the file cannot be opened, and `corrupt` when its beginning is damaged. */
export function openStored(
  copyPath: string,
  plainName: string,
  part: CopyPart,
  secret: CopySecret | null,
): ByteSource {
  const name = storedName(plainName, secret?.cipher ?? null);
  const file = openFileSource(path.join(copyPath, name));
  if (secret?.cipher !== 'age') return file;
  const start = secret[part];
  if (start !== null) return new AgeSource(file, start);
  file.close();
  throw new DeviceError('corrupt', `The beginning of ${name} is not what was written.`);
}

/** The pieces of a copy that are sealed each for itself; whatever is not passes as it is. */
export interface PieceSeal {
  /** Bytes that a sealed piece is longer. */
  readonly extraBytes: number;
  /** Seals `plain` into `into`; answers the length. */
  readonly seal: (kind: number, index: number, plain: Uint8Array, into: Buffer) => number;
  /** Null when the piece is not what was sealed. The bytes are valid until the next call. */
  readonly open: (kind: number, index: number, sealed: Buffer) => Buffer | null;
}

/** age gives whoever encrypts a public key only, and a block is named with a key that is secret. */
export function noBlocksOfAge(): DeviceError {
  return new DeviceError(
    'permanent',
    'A copy that age encrypts cannot go to block devices: each of its files is sealed as a whole, so it has no blocks to share. Use aes-256-gcm, or a pool of type File system.',
  );
}

/** What names and seals the blocks of an encrypted copy in a store; null when nothing does. */
export function blockSealOf(
  secret: CopySecret | null,
  store: { readonly storeId: string; readonly hashBytes: number },
): BlockSeal | null {
  if (secret?.cipher !== 'aes-256-gcm') return null;
  return new BlockSeal(secret.blockKey, store.storeId, store.hashBytes);
}

/** Null when the pieces of the copy are not sealed one by one. */
export function pieceSealOf(secret: CopySecret | null): PieceSeal | null {
  if (secret?.cipher !== 'aes-256-gcm') return null;
  const gcm = new GcmSeal(secret.dataKey, secret.sealId, secret.earlierKeys);
  let scratch = Buffer.alloc(0);
  return {
    extraBytes: SEAL_TAG_BYTES,
    seal: (kind, index, plain, into) => gcm.seal(kind, index, plain, into),
    open: (kind, index, sealed) => {
      if (scratch.length < sealed.length) scratch = Buffer.alloc(sealed.length);
      return gcm.open(kind, index, sealed, scratch);
    },
  };
}
