import { join } from 'node:path';

/** Below the data directory: what of copies on tape is looked into without their tapes, a folder for each copy. */
export function tapeListsFolder(dataDir: string): string {
  return join(dataDir, 'tape-lists');
}
