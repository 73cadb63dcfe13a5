import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BackupResult, type ChainPlace, startBackup } from '../../../backend/engine/index.ts';
import { buildAwkwardTree } from '../../support/awkward-tree.ts';
import { chainSteps, prepareChainTree } from '../../support/chain-steps.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await makeFixture('chain');
});
afterAll(() => fixture.remove());

async function backUpOn(source: string, base: readonly Copy[]): Promise<Copy> {
  const copyId = randomUUID();
  const { storagePath } = fixture;
  const copies = base.map((copy): ChainPlace => ({ copyId: copy.copyId, storagePath }));
  const job = startBackup({ source, storagePath, copyId, compression: 'Optimal', base: { copies } });
  return { ...(await job.result), copyId };
}

/** A plain copy of the tree as it is now, with all that a restore must bring back. */
function keepState(source: string, name: string): string {
  const state = path.join(fixture.folder, name);
  execFileSync('cp', ['-a', source, state]);
  return state;
}

describe.each(['incremental', 'differential'] as const)('a chain of %s copies', (kind) => {
  const copies: Copy[] = [];
  const states: string[] = [];

  test('stores only what is new', async () => {
    const source = path.join(fixture.folder, `tree of ${kind}`);
    buildAwkwardTree(source);
    prepareChainTree(source);
    copies.push(await fixture.backUp(source));
    states.push(keepState(source, `${kind} 0`));
    for (const [index, { name, change }] of chainSteps.entries()) {
      change(source);
      const made = await backUpOn(source, kind === 'incremental' ? copies : copies.slice(0, 1));
      expect(made.skipped, name).toEqual(copies[0]?.skipped ?? []);
      expect(made.reuse.unread, name).toBe(0);
      expect(made.archiveBytes, name).toBeLessThan((copies[0] as BackupResult).archiveBytes * 0.6);
      copies.push(made);
      states.push(keepState(source, `${kind} ${index + 1}`));
    }
    const [full, , renamed, touched] = copies;
    // Names and rights alone bring no content again, however the files are called now.
    expect(renamed?.reuse.bytes).toBeGreaterThan((full?.totals.sourceBytes ?? 0) - 3_000_000);
    expect(touched?.reuse.bytes).toBeGreaterThan((full?.totals.sourceBytes ?? 0) - 9_000_000);
    if (kind === 'incremental') expect(copies.at(-1)?.reuse.files).toBe(filesWithContent(copies.at(-1)));
  });

  test.each([0, 1, 2, 3, 4, 5])(
    'brings back the tree of the moment of copy %i, byte for byte',
    async (index) => {
      const copy = copies[index];
      const state = states[index];
      if (copy === undefined || state === undefined) throw new Error('there is no such copy');
      const destination = path.join(fixture.folder, `restored ${kind} ${index}`);
      const restored = await fixture.restore(copy, destination);
      expect(restored.problems).toEqual([]);
      expect(compareTrees(state, path.join(destination, `tree of ${kind}`))).toEqual([]);
      execFileSync('rm', ['-rf', '--', destination]);
      const verified = await fixture.verify(copy);
      expect(verified.findings).toEqual([]);
      expect(verified.status).toBe('trusted');
    },
  );

  test('a single file comes back from the copy that holds it', async () => {
    const last = copies.at(-1);
    if (last === undefined) throw new Error('there is no copy');
    const destination = path.join(fixture.folder, `picked ${kind}`);
    const restored = await fixture.restore(last, destination, { selection: ['chain/another folder/file 7'] });
    expect(restored).toMatchObject({ outcome: 'complete', filesRestored: 1 });
    const found = path.join(destination, `tree of ${kind}`, 'chain', 'another folder', 'file 7');
    expect(fs.readFileSync(found, 'utf8')).toBe('content 7 '.repeat(507));
  });

  test('verification names the copy that is missing, and the copy is broken', async () => {
    const [full, , , last] = copies;
    if (full === undefined || last === undefined) throw new Error('there is no copy');
    const hidden = `${full.path} hidden`;
    fs.renameSync(full.path, hidden);
    try {
      const verified = await fixture.verify(last);
      expect(verified.status).toBe('broken');
      expect(verified.findings.map(({ item }) => item)).toEqual([`earlier copy ${full.copyId}`]);
      const refused = backUpOn(path.join(fixture.folder, `tree of ${kind}`), [full]);
      await expect(refused).rejects.toThrow(full.copyId);
      const restored = await fixture.restore(last, path.join(fixture.folder, `without the full ${kind}`));
      expect(restored.outcome).toBe('withProblems');
      expect(restored.problems.some(({ reason }) => reason.includes(full.copyId))).toBe(true);
    } finally {
      fs.renameSync(hidden, full.path);
    }
  });
});

function filesWithContent(copy: Copy | undefined): number {
  if (copy === undefined) throw new Error('there is no copy');
  const out = execFileSync('zstd', ['-dc', path.join(copy.path, 'manifest.ndjson.zst')], { maxBuffer: 1e9 });
  const rows = out.toString('utf8').split('\n');
  return rows.filter((row) => /^\["(?:[^"\\]|\\.)*","f",/.test(row)).length;
}
