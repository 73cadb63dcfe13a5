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
  return (path) => {
    if (selected.has(path)) return 'item';
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      if (selected.has(path.slice(0, slash))) return 'item';
    }
    return leading.has(path) ? 'way' : null;
  };
}
