import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '../platform/files.ts';
import { errorCode } from '../platform/native.ts';
import { MANIFEST_NAME } from './archive/manifest-format.ts';
import { PARTIAL_SUFFIX } from './backup/backup.ts';
import { toDeviceError } from './device-error.ts';

const REMOVED_SUFFIX = '.removed';
const CHUNK_BYTES = 1_048_576;

export interface RemoveRequest {
  readonly storagePath: string;
  readonly copyId: string;
  /** Overwrites the files with zeros before they go. */
  readonly zeroing: boolean;
}

/**
 * Removes a copy, or what is left of it; false when nothing was there. It loses its name first, so that a removal
 * that is cut off never leaves half a copy that looks whole. Needs no free space.
 */
export async function removeCopy(request: RemoveRequest): Promise<boolean> {
  const folder = path.join(request.storagePath, request.copyId);
  try {
    const wasPartial = await removeFolder(`${folder}${PARTIAL_SUFFIX}`, request.zeroing);
    const wasMarked = await removeFolder(`${folder}${REMOVED_SUFFIX}`, request.zeroing);
    const isThere = await exists(folder);
    if (isThere) {
      await rename(folder, `${folder}${REMOVED_SUFFIX}`);
      await syncDirectory(request.storagePath);
      await removeFolder(`${folder}${REMOVED_SUFFIX}`, request.zeroing);
    }
    if (isThere || wasPartial || wasMarked) await syncDirectory(request.storagePath);
    return isThere || wasPartial || wasMarked;
  } catch (error) {
    throw toDeviceError(error, `The copy in ${folder} cannot be removed`);
  }
}

/** Half-made copies and removals that were cut off; answers the names of the copies that were cleaned up. */
export async function removePartials(storagePath: string): Promise<readonly string[]> {
  const cleaned: string[] = [];
  for (const name of await namesIn(storagePath)) {
    const suffix = [PARTIAL_SUFFIX, REMOVED_SUFFIX].find((ending) => name.endsWith(ending));
    if (suffix === undefined || !isCopyId(name.slice(0, -suffix.length))) continue;
    await removeFolder(path.join(storagePath, name), false);
    cleaned.push(name.slice(0, -suffix.length));
  }
  if (cleaned.length > 0) await syncDirectory(storagePath);
  return cleaned;
}

/** Names of the copies in a storage. */
export async function listCopies(storagePath: string): Promise<readonly string[]> {
  const copies: string[] = [];
  for (const name of await namesIn(storagePath)) {
    if (isCopyId(name) && (await exists(path.join(storagePath, name, MANIFEST_NAME)))) copies.push(name);
  }
  return copies;
}

/** Only folders whose names this server gives are ever touched. */
function isCopyId(name: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);
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

async function overwrite(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    const zeros = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; at < size; at += CHUNK_BYTES) {
      await handle.write(zeros, 0, Math.min(CHUNK_BYTES, size - at), at);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(target: string): Promise<boolean> {
  try {
    await stat(target);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
