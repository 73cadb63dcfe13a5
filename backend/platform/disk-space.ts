import { access, constants, stat, statfs } from 'node:fs/promises';
import { isAnswering } from './answering.ts';
import { withinDeadline } from './within-deadline.ts';

/** Figures of the file system below a folder, in bytes. */
export interface DiskSpace {
  readonly totalBytes: number;
  readonly usedBytes: number;
  /** What this process may still write. */
  readonly freeBytes: number;
  /** Folders with the same device share their space. */
  readonly device: number;
}

/** The space of a writable folder; null when it is missing, no folder, not writable or does not answer. */
export async function readDiskSpace(folder: string): Promise<DiskSpace | null> {
  return (await isAnswering(folder)) ? withinDeadline(measure(folder), null) : null;
}

/** Whether it is a folder that answers; it may be read-only. */
export async function isFolderThere(folder: string): Promise<boolean> {
  if (!(await isAnswering(folder))) return false;
  // Whatever the reason is, the folder cannot be used, and callers say so.
  const isThere = stat(folder)
    .then((facts) => facts.isDirectory())
    .catch(() => false);
  return withinDeadline(isThere, false);
}

async function measure(folder: string): Promise<DiskSpace | null> {
  try {
    const [facts, figures] = await Promise.all([
      stat(folder),
      statfs(folder),
      access(folder, constants.R_OK | constants.W_OK | constants.X_OK),
    ]);
    if (!facts.isDirectory()) return null;
    const { bsize, blocks, bfree, bavail } = figures;
    return {
      totalBytes: blocks * bsize,
      usedBytes: (blocks - bfree) * bsize,
      freeBytes: bavail * bsize,
      device: facts.dev,
    };
  } catch {
    // Whatever the reason is (gone, no rights, input/output error): the folder cannot be used, and callers say so.
    return null;
  }
}
