import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from './errors.ts';
import { makeDirs } from './make-dirs.ts';
import { errorCode } from './native.ts';

/** The data directory cannot be used; `message` is one line with the remedy. */
export class DataDirUnusable extends Error {
  override readonly name = 'DataDirUnusable';
}

/** Makes the directory if it is missing, and proves that files can be written in it. Answers its absolute path. */
export function prepareDataDir(path: string): string {
  const dataDir = resolve(path);
  try {
    makeDirs(dataDir, 0o700);
    if (!statSync(dataDir).isDirectory()) throw new Error('it is not a directory');
    const probe = join(dataDir, `.probe-${randomBytes(6).toString('hex')}`);
    writeWhole(probe, 'probe\n');
    unlinkSync(probe);
  } catch (error) {
    throw new DataDirUnusable(`the data directory ${dataDir} cannot be used: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  return dataDir;
}

/** Writes a small file that only the owner may read, and waits until it is on the disk. Refuses an existing one. */
export function writeWhole(path: string, text: string): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function reasonOf(error: unknown): string {
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return 'no permission to write there; change its owner, or choose another --data-dir';
    case 'EROFS':
      return 'the file system is read-only; choose another --data-dir';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full; free some space, or choose another --data-dir';
    case 'ENOENT':
      return 'it cannot be made there; choose another --data-dir';
    case 'EEXIST':
    case 'ENOTDIR':
      return 'it is not a directory; choose another --data-dir';
    default:
      return messageOf(error);
  }
}
