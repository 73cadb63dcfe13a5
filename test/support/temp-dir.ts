import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own for one test, and how to remove it. */
export async function makeTempDir(
  name = 'test',
): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), `strongroom-${name}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
