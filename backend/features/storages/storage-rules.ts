import { posix, sep } from 'node:path';
import { counted } from '../bulk.ts';

/** The one written form of a folder: without `..`, doubled and closing slashes. */
export function normalisePath(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

export function isInside(path: string, folder: string): boolean {
  const prefix = folder.endsWith(sep) ? folder : `${folder}${sep}`;
  return path.startsWith(prefix);
}

/**
 * Why a folder cannot become a storage beside the others, or null. Storages do not lie inside one another: what one
 * of them cleans up would be the copies of the other.
 */
export function whyPathIsRefused(
  path: string,
  others: { readonly storages: readonly string[]; readonly dataDir: string },
): string | null {
  if (path === '/') return 'must be a folder below the root; choose one that holds backup copies only';
  for (const storage of others.storages) {
    if (path === storage) return 'is a storage already; choose another folder';
    if (isInside(path, storage)) return `lies inside the storage ${storage}; choose a folder outside of it`;
    if (isInside(storage, path)) return `contains the storage ${storage}; choose a folder beside it`;
  }
  if (path === others.dataDir || isInside(others.dataDir, path)) {
    return 'contains the data of this server; choose a folder of its own';
  }
  return null;
}

export interface StorageUse {
  readonly id: number;
  readonly path: string;
  readonly copies: number;
  /** Tasks that may be writing to it right now. */
  readonly runningTasks: number;
}

/** Why the storage cannot go, or null. */
export function whyStorageStays(storage: StorageUse): string | null {
  if (storage.copies > 0) {
    return `the storage ${storage.path} holds ${counted(storage.copies, 'backup copy', 'backup copies')}; delete them first`;
  }
  if (storage.runningTasks > 0) {
    return `the storage ${storage.path} may be used by ${counted(storage.runningTasks, 'running task')}; wait for the end`;
  }
  return null;
}
