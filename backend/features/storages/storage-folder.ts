import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../platform/native.ts';

/** Makes sure that a folder is there and can be written to; answers why not, or null. */
export async function prepareFolder(path: string): Promise<string | null> {
  try {
    await makeFolder(path);
    if (!(await stat(path)).isDirectory()) return 'is not a folder; name a folder or one that can be created';
    const probe = join(path, `.strongroom-${randomUUID()}`);
    await writeFile(probe, '', { flag: 'wx', mode: 0o600 });
    await rm(probe);
    return null;
  } catch (error) {
    return reasonOf(errorCode(error));
  }
}

/** Node's own `recursive` never returns below /proc, so the missing parents are made one by one. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}

/** The path with symbolic links followed as far as it exists, so that two names of one folder are recognised. */
export async function resolveExisting(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    // A part that does not exist yet is no link; a part that cannot be read is judged when the folder is prepared.
    if (parent === path || errorCode(error) === '') return path;
    return join(await resolveExisting(parent), path.slice(parent.length));
  }
}

function reasonOf(errno: string): string {
  switch (errno) {
    case 'EACCES':
    case 'EPERM':
      return 'cannot be created or written by the backup server; change its rights or choose another folder';
    case 'EEXIST':
    case 'ENOTDIR':
      return 'is not a folder, or lies below a file; name a folder or one that can be created';
    case 'EROFS':
      return 'lies on a read-only file system; choose another folder';
    case 'ENOENT':
      return 'cannot be created there; choose another folder';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'lies on a full disk; free some space or choose another folder';
    case 'ENAMETOOLONG':
      return 'is too long for this file system; choose a shorter path';
    case 'ELOOP':
      return 'has too many symbolic links; name the folder itself';
    default:
      return `cannot be used (${errno || 'unknown reason'}); choose another folder`;
  }
}
