import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSelection } from '../../../backend/engine/restore/selection.ts';

const names = fc.constantFrom('a', 'b', 'ab', '*', 'a b');
const paths = fc.array(names, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));

/** By every folder above, for each path anew. */
function expected(selected: readonly string[], path: string): string | null {
  const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);
  if (selected.length === 0 || selected.some((one) => isWithin(path, one))) return 'item';
  return selected.some((one) => isWithin(one, path)) ? 'way' : null;
}

describe('what is wanted of a copy', () => {
  it('is each selected item, all below it and the folders that lead to it, in whatever order they are asked for', () => {
    fc.assert(
      fc.property(
        fc.array(paths, { maxLength: 4 }),
        fc.array(paths, { maxLength: 40 }),
        (selected, asked) => {
          const wants = createSelection(selected);
          for (const path of asked) expect(wants(path), path).toBe(expected(selected, path));
        },
      ),
      { seed: 20_301_130, numRuns: 300 },
    );
  });

  it('is found in a tree of 4,000 folders in one another as quickly as in a flat one', () => {
    const wants = createSelection(['elsewhere']);
    const before = process.cpuUsage();
    let path = 'top';
    for (let depth = 0; depth < 4_000; depth += 1) {
      path += '/f';
      expect(wants(path)).toBeNull();
    }
    const { user } = process.cpuUsage(before);
    // Folder by folder above each of them it took half a minute.
    expect(user / 1e6).toBeLessThan(5);
  });
});
