import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildAwkwardTree, buildBeyondLongestPath, isRoot } from '../../support/awkward-tree.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { type Fixture, makeFixture } from './fixture.ts';

const COMPRESSIONS = ['None', 'Fast', 'Optimal', 'Best'] as const;
const DECOMPRESS = { None: 'cat', Fast: 'lz4 -dc', Optimal: 'zstd -dc', Best: 'zstd -dc' } as const;

let fixture: Fixture;
let source: string;

beforeAll(async () => {
  if (!isRoot) process.stderr.write('not root: owners, device nodes and trusted attributes are not tested\n');
  fixture = await makeFixture('round-trip');
  source = path.join(fixture.folder, 'awkward');
  buildAwkwardTree(source);
});
afterAll(() => fixture.remove());

describe.each(COMPRESSIONS)('a copy with compression %s', (compression) => {
  test('verifies, and comes back the same in every respect, also the second time (cases 66, 70, 71, 80)', async () => {
    const copy = await fixture.backUp(source, compression);
    const verified = await fixture.verify(copy);
    expect(verified.findings).toEqual([]);
    expect(verified.status).toBe('trusted');
    const destination = path.join(fixture.folder, `out ${compression}`);
    for (const time of ['first', 'second']) {
      const restored = await fixture.restore(copy, destination);
      expect(restored.problems, time).toEqual([]);
      expect(restored.outcome).toBe('complete');
      expect(restored.filesRestored).toBe(copy.totals.files);
      expect(compareTrees(source, path.join(destination, 'awkward')), time).toEqual([]);
    }
  });

  test('is restored to the same tree, times by the second, by standard programs alone', async () => {
    const copy = await fixture.backUp(source, compression);
    const out = path.join(fixture.folder, `tar ${compression}`);
    fs.mkdirSync(out);
    const archive = path.join(copy.path, copy.archiveFile);
    const extract = `tar --xattrs --xattrs-include='*' --same-permissions --warning=no-timestamp -x -C "${out}"`;
    execFileSync('bash', ['-o', 'pipefail', '-c', `${DECOMPRESS[compression]} "${archive}" | ${extract}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(compareTrees(source, path.join(out, 'awkward'), { bySecond: true })).toEqual([]);
  });
});

test('folders whose paths no call can take come back', async () => {
  const beyond = path.join(fixture.folder, 'beyond');
  buildBeyondLongestPath(beyond);
  const copy = await fixture.backUp(beyond);
  expect(copy.totals.folders).toBe(1001);
  expect((await fixture.verify(copy)).status).toBe('trusted');
  const restored = await fixture.restore(copy, path.join(fixture.folder, 'beyond out'));
  expect(restored.problems).toEqual([]);
  expect(compareTrees(beyond, path.join(fixture.folder, 'beyond out', 'beyond'))).toEqual([]);
});

test('a single file is a resource like a folder', async () => {
  const file = path.join(source, 'contents', 'many holes');
  const copy = await fixture.backUp(file);
  const out = path.join(fixture.folder, 'single');
  const restored = await fixture.restore(copy, out, { newName: 'renamed' });
  expect(restored.problems).toEqual([]);
  expect(compareTrees(file, path.join(out, 'renamed'))).toEqual([]);
});
