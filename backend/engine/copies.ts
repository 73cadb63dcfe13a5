import fs from 'node:fs';
import { lstat, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '../platform/files.ts';
import { errorCode } from '../platform/native.ts';
import { MANIFEST_NAME } from './archive/manifest-format.ts';
import { PARTIAL_SUFFIX } from './backup/backup.ts';
import { COPY_CIPHERS } from './crypto/client-key.ts';
import { storedName } from './crypto/copy-secret.ts';
import { DeviceError, toDeviceError } from './device-error.ts';

const REMOVED_SUFFIX = '.removed';
/** Its data were to be overwritten: a removal that is cut off must not forget that. */
const ZEROED_SUFFIX = '.zeroed';
const LEFT_OVER_SUFFIXES = [PARTIAL_SUFFIX, REMOVED_SUFFIX, ZEROED_SUFFIX];
const CHUNK_BYTES = 1_048_576;
const ARCHIVE_PREFIX = 'archive.';
const manifestNames = [null, ...COPY_CIPHERS].map((cipher) => storedName(MANIFEST_NAME, cipher));

export interface RemoveRequest {
  readonly storagePath: string;
  readonly copyId: string;
  /** Overwrites the files with zeros before they go. */
  readonly zeroing: boolean;
}

/**
 * Removes a copy, or what is left of it; false when nothing was there. It loses its name first, so that a removal
 * that is cut off never leaves half a copy that looks whole. Needs no free space. A storage that is not there is an
 * error (`notFound`): its copies are not gone, they are only out of reach.
 */
export async function removeCopy(request: RemoveRequest): Promise<boolean> {
  const { storagePath, copyId, zeroing } = request;
  const folder = path.join(storagePath, checkedCopyId(copyId));
  const doomed = `${folder}${zeroing ? ZEROED_SUFFIX : REMOVED_SUFFIX}`;
  try {
    await stat(storagePath);
    let isAny = false;
    for (const suffix of LEFT_OVER_SUFFIXES) {
      const isZeroed = zeroing || suffix === ZEROED_SUFFIX;
      if (await removeFolder(`${folder}${suffix}`, isZeroed)) isAny = true;
    }
    if (await exists(folder)) {
      isAny = true;
      await rename(folder, doomed);
      await syncDirectory(storagePath);
      await removeFolder(doomed, zeroing);
    }
    if (isAny) await syncDirectory(storagePath);
    return isAny;
  } catch (error) {
    throw toDeviceError(error, `The copy in ${folder} cannot be removed`);
  }
}

/**
 * Half-made copies but those of `kept`, and removals that were cut off; answers the names of the copies that were
 * cleaned up. Ends between two folders once it is not `isWanted` any more.
 */
export async function removePartials(
  storagePath: string,
  kept: ReadonlySet<string> = new Set(),
  isWanted: () => boolean = () => true,
): Promise<readonly string[]> {
  const cleaned: string[] = [];
  for (const name of await namesIn(storagePath)) {
    if (!isWanted()) break;
    const suffix = LEFT_OVER_SUFFIXES.find((ending) => name.endsWith(ending));
    const copyId = name.slice(0, -(suffix?.length ?? 0));
    if (suffix === undefined || !isCopyId(copyId)) continue;
    if (suffix === PARTIAL_SUFFIX && kept.has(copyId)) continue;
    await removeFolder(path.join(storagePath, name), suffix === ZEROED_SUFFIX);
    cleaned.push(copyId);
  }
  if (cleaned.length > 0) await syncDirectory(storagePath);
  return cleaned;
}

/** Names of the copies in a storage. */
export async function listCopies(storagePath: string): Promise<readonly string[]> {
  const copies: string[] = [];
  for (const name of await namesIn(storagePath)) {
    if (isCopyId(name) && (await hasManifest(path.join(storagePath, name)))) copies.push(name);
  }
  return copies;
}

/** Names of the copies in a storage whose data lie as blocks elsewhere: they have a file list and no archive. */
export async function listBlockCopies(storagePath: string): Promise<readonly string[]> {
  const copies: string[] = [];
  for (const name of await namesIn(storagePath)) {
    if (!isCopyId(name)) continue;
    // One that is removed meanwhile holds nothing.
    const files = await readdir(path.join(storagePath, name)).catch((): string[] => []);
    const hasList = manifestNames.some((each) => files.includes(each));
    if (hasList && !files.some((file) => file.startsWith(ARCHIVE_PREFIX))) copies.push(name);
  }
  return copies;
}

async function hasManifest(copyPath: string): Promise<boolean> {
  for (const name of manifestNames) if (await exists(path.join(copyPath, name))) return true;
  return false;
}

/** Only folders whose names this server gives are ever touched. */
function isCopyId(name: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);
}

/** The name is one component, so it can never mean a folder outside the storage, or the storage itself. */
function checkedCopyId(copyId: string): string {
  if (isCopyId(copyId)) return copyId;
  throw new DeviceError('permanent', `${JSON.stringify(copyId)} is not the name of a copy.`);
}

async function namesIn(storagePath: string): Promise<readonly string[]> {
  try {
    return await readdir(storagePath);
  } catch (error) {
    throw toDeviceError(error, `The storage ${storagePath} cannot be read`);
  }
}

async function removeFolder(folder: string, zeroing: boolean): Promise<boolean> {
  if (!(await exists(folder))) return false;
  if (zeroing) {
    for (const name of await readdir(folder)) await overwrite(path.join(folder, name));
  }
  await rm(folder, { recursive: true, force: true });
  return true;
}

/** Neither follows a link nor touches a file that has a name elsewhere too: such data are not the copy's own. */
async function overwrite(file: string): Promise<void> {
  if (!(await lstat(file)).isFile()) return;
  const handle = await open(file, fs.constants.O_RDWR | fs.constants.O_NOFOLLOW);
  try {
    const { size, nlink } = await handle.stat();
    if (nlink > 1) return;
    const zeros = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; at < size; ) {
      const { bytesWritten } = await handle.write(zeros, 0, Math.min(CHUNK_BYTES, size - at), at);
      at += bytesWritten;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(target: string): Promise<boolean> {
  try {
    await lstat(target);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
