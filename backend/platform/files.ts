import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Files that are either whole or not there. The order is: temporary name in the same folder, write, fsync of the
 * file, rename, fsync of the folder. Without the last step a power cut can undo the rename.
 */
export async function writeFileAtomic(
  file: string,
  data: string | Uint8Array,
  options: { readonly mode?: number } = {},
): Promise<void> {
  const temporary = path.join(
    path.dirname(file),
    `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`,
  );
  try {
    await writeNewFile(temporary, data, options.mode);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(path.dirname(file));
}

/** A file that was not there, its bytes on the disk when it returns; its name is not before the folder is synced. */
export async function writeNewFile(file: string, data: string | Uint8Array, mode = 0o600): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(data);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes renames and new names in a folder durable. An fsync error is final: it is thrown, never retried. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot open a folder for fsync; NTFS journals its names itself.
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The same for worker threads, which call synchronously. */
export function syncDirectorySync(directory: string): void {
  if (process.platform === 'win32') return;
  const fd = fs.openSync(directory, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Writes all bytes, going on after short writes. A write that makes no progress is an I/O error. */
export function writeAllSync(fd: number, data: Uint8Array, position: number | null = null): void {
  let done = 0;
  while (done < data.length) {
    const at = position === null ? null : position + done;
    const written = fs.writeSync(fd, data, done, data.length - done, at);
    if (written <= 0)
      throw Object.assign(new Error('write made no progress'), { code: 'EIO', syscall: 'write' });
    done += written;
  }
}

/** Reads until the buffer is full or the file ends; returns the bytes read. */
export function readFullySync(fd: number, into: Uint8Array, position: number): number {
  let done = 0;
  while (done < into.length) {
    const count = fs.readSync(fd, into, done, into.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}
