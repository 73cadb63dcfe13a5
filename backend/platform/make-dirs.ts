import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder with the folders above it, like `mkdir -p`.
 *
 * Not with Node's own `recursive`: where nothing can be made (below `/proc`) that one tries for ever and never comes
 * back. Here the failure of the outermost missing folder is thrown.
 */
export function makeDirs(path: string, mode: number): void {
  const missing: string[] = [];
  for (let folder = path; !isFolder(folder) && dirname(folder) !== folder; folder = dirname(folder)) {
    missing.unshift(folder);
  }
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode });
    } catch (error) {
      // Somebody else may have made it meanwhile; a file in its place stays an error.
      if (!isFolder(folder)) throw error;
    }
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
