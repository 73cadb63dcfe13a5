import { randomBytes } from 'node:crypto';
import { chmod, lstat, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { errorCode } from './native.ts';

/**
 * Removes a folder with all that is in it, whatever its names, depth and rights are: folders that shut their own owner
 * out are opened first, and each is moved to the top before it is emptied, so that no path becomes too long for a call.
 * Nothing is followed. A folder that is not there is no error.
 */
export async function removeTree(folder: string): Promise<void> {
  try {
    if (!(await lstat(folder)).isDirectory()) return await unlink(folder);
    await empty(folder);
    await rmdir(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

async function empty(top: string): Promise<void> {
  const prefix = `.remove-${randomBytes(8).toString('hex')}-`;
  const waiting = [Buffer.from(top)];
  let moved = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
      const path = Buffer.concat([folder, Buffer.from('/'), entry.name]);
      if (!entry.isDirectory()) {
        await unlink(path);
        continue;
      }
      moved += 1;
      const above = Buffer.from(`${top}/${prefix}${moved}`);
      // Only a folder that may be written to can be moved.
      await chmod(path, 0o700);
      await rename(path, above);
      waiting.push(above);
    }
    if (folder.toString() !== top) await rmdir(folder);
  }
}
