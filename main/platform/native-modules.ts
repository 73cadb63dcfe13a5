import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** By path below the folder of resources: the SHA-256 (hex) that each native module had when the app was packed. */
const ListSchema = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/));

/**
 * The native modules that are missing or not those that were packed; empty where the app is not packed, which has no list.
 * Throws when the list itself cannot be read.
 */
export async function changedNativeModules(resources: string): Promise<readonly string[]> {
  const text = await readFile(join(resources, 'native-modules.json'), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return [];
  const list = Object.entries(ListSchema.parse(JSON.parse(text)));
  const found = await Promise.all(list.map(([path]) => hashOf(join(resources, path))));
  return list.filter(([, hash], at) => found[at] !== hash).map(([path]) => path);
}

/** Null for what cannot be read: it could not be loaded either. */
async function hashOf(path: string): Promise<string | null> {
  try {
    return createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  } catch {
    return null;
  }
}
