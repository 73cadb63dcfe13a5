import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  type ClientKey,
  COPY_CIPHERS,
  type CopyCipher,
  DeviceError,
  ensureClientKey,
  readClientKey,
} from '../engine/index.ts';

/** Whose copy it is, and what encrypts it (`nocrypt`, or a cipher). */
export interface LockedBy {
  readonly crypto: string;
  readonly clientHwid: string;
}

export type ClientKeys = ReturnType<typeof createClientKeys>;

/**
 * The keys of the client on this host. They lie in files of the data directory and nowhere else: not in the database,
 * not in a log, not in an answer.
 */
export function createClientKeys(dataDir: string) {
  const fileOf = (hwid: string, cipher: CopyCipher): string =>
    join(dataDir, 'client-keys', `${fileName(hwid)}.${cipher}.key`);

  const read = async ({ crypto, clientHwid }: LockedBy): Promise<ClientKey | null> => {
    const cipher = cipherOf(crypto);
    return cipher === null ? null : readClientKey(fileOf(clientHwid, cipher), cipher);
  };

  return {
    /** The key for a new copy, made at the first one; null for `nocrypt`. Throws DeviceError. */
    ensure: async ({ crypto, clientHwid }: LockedBy) => {
      const cipher = cipherOf(crypto);
      if (cipher === null) return null;
      const file = fileOf(clientHwid, cipher);
      return { ...(await ensureClientKey(file, cipher)), file };
    },

    /** Null for `nocrypt`, and when the key is not there. Throws DeviceError. */
    read,

    /** The key of a copy; null for `nocrypt`. Throws DeviceError, also when it is not there. */
    demand: async (copy: LockedBy): Promise<ClientKey | null> => {
      const cipher = cipherOf(copy.crypto);
      if (cipher === null) return null;
      const key = await read(copy);
      if (key !== null) return key;
      const file = fileOf(copy.clientHwid, cipher);
      throw new DeviceError('permission', `The key of this copy is not there; put back ${file}.`);
    },

    fileOf: ({ crypto, clientHwid }: LockedBy): string | null => {
      const cipher = cipherOf(crypto);
      return cipher === null ? null : fileOf(clientHwid, cipher);
    },
  };
}

function cipherOf(crypto: string): CopyCipher | null {
  if (crypto === 'nocrypt') return null;
  const cipher = COPY_CIPHERS.find((known) => known === crypto);
  if (cipher !== undefined) return cipher;
  throw new DeviceError(
    'permanent',
    `This server cannot work with copies that are encrypted with ${crypto}.`,
  );
}

/** What identifies a client is given from outside: it must not lead to another folder. */
function fileName(hwid: string): string {
  const isSafe = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(hwid);
  return isSafe ? hwid : createHash('sha256').update(hwid).digest('hex');
}
