import fs from 'node:fs';
import type { ByteString } from '../platform/byte-path.ts';
import { errorCode } from '../platform/native.ts';

/** Numbers of users or groups by name, from the system's own files. */
export function readOwnerIds(file: string): ReadonlyMap<ByteString, number> {
  const ids = new Map<ByteString, number>();
  for (const line of textOf(file).split('\n')) {
    const [name, , id] = line.split(':');
    if (name !== undefined && id !== undefined && /^\d+$/.test(id) && !ids.has(name))
      ids.set(name, Number(id));
  }
  return ids;
}

function textOf(file: string): string {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch (error) {
    // Systems without these files have numbers only, which are kept in any case.
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
