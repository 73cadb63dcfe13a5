import type { ByteString } from '../../platform/byte-path.ts';

/** The item itself, or a folder that only leads to one. */
export type Wanted = 'item' | 'way';
export type Wants = (pathFromTop: ByteString) => Wanted | null;

/**
 * What is wanted of a copy: the selected items, all below them, and the folders that lead to them. Names are taken
 * as they are: brackets, stars and question marks mean themselves. An empty selection wants everything.
 */
export function createSelection(paths: readonly ByteString[]): Wants {
  if (paths.length === 0) return () => 'item';
  const selected = new Set(paths);
  const leading = new Set<ByteString>();
  for (const path of paths) {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      leading.add(path.slice(0, slash));
    }
  }
  const isBelow = createBelow(selected);
  return (path) => {
    if (selected.has(path) || isBelow(path)) return 'item';
    return leading.has(path) ? 'way' : null;
  };
}

/**
 * Whether a folder above a path is selected. Paths come folder by folder, so that the answer for the last folder serves
 * its items and the folders in it: else each item of a very deep tree would be looked up once for each folder above it.
 */
function createBelow(selected: ReadonlySet<ByteString>): (path: ByteString) => boolean {
  let last: { readonly folder: ByteString; readonly isWanted: boolean } = { folder: '', isWanted: false };
  const isWanted = (folder: ByteString): boolean => {
    for (let above = folder; above !== ''; above = folderOf(above)) {
      if (above === last.folder) return last.isWanted;
      if (selected.has(above)) return true;
    }
    return false;
  };
  return (path) => {
    const folder = folderOf(path);
    if (folder !== last.folder) last = { folder, isWanted: isWanted(folder) };
    return last.isWanted;
  };
}

function folderOf(path: ByteString): ByteString {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
