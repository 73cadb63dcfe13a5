import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own for one test, and how to remove it. `parent`: where it is made. */
export async function makeTempDir(
  name = 'test',
  parent = tmpdir(),
): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const path = await mkdtemp(join(parent, `strongroom-${name}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** In memory where there is such a place: for what commits very often and is not about disks, since each commit waits for one. */
export const memoryParent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
