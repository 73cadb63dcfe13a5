import { link, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory, writeNewFile } from '../../platform/files.ts';
import { errorCode } from '../../platform/native.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import {
  type ClientKey,
  type CopyCipher,
  clientKeyText,
  newClientKey,
  parseClientKey,
} from './client-key.ts';

/** Null when the file is not there. Throws DeviceError: `corrupt` when it holds no key. */
export async function readClientKey(file: string, cipher: CopyCipher): Promise<ClientKey | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw toDeviceError(error, `The key ${file} cannot be read`);
  }
  const key = await parseClientKey(cipher, text);
  if (key === null) throw new DeviceError('corrupt', `${file} is no key. Put back the key from its backup.`);
  return key;
}

/** The key in this file, made when there is none; `isNew` tells so. Two at the same time get the same key. */
export async function ensureClientKey(
  file: string,
  cipher: CopyCipher,
): Promise<{ readonly key: ClientKey; readonly isNew: boolean }> {
  const known = await readClientKey(file, cipher);
  if (known !== null) return { key: known, isNew: false };
  const made = await newClientKey(cipher);
  const isNew = await writeNew(file, clientKeyText(made));
  if (isNew) return { key: made, isNew };
  const other = await readClientKey(file, cipher);
  if (other === null)
    throw new DeviceError('transient', `The key ${file} was removed while it was being read.`);
  return { key: other, isNew };
}

/** The whole file or none, on the disk when it returns, and never over another one; false when there is one. */
async function writeNew(file: string, text: string): Promise<boolean> {
  const folder = path.dirname(file);
  const temporary = `${file}.${process.pid}.${process.hrtime.bigint()}.tmp`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeNewFile(temporary, text);
    // A link refuses to replace what is there, which a rename would do.
    await link(temporary, file);
    await syncDirectory(folder);
    await syncDirectory(path.dirname(folder));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw toDeviceError(error, `The key ${file} cannot be made`);
  } finally {
    await rm(temporary, { force: true });
  }
}
