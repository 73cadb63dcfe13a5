import { chmod, chown, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createProofScratch, type ProofScratch } from '../../../../backend/features/tasks/proof-scratch.ts';
import { createLog } from '../../../../backend/platform/log.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let scratch: ProofScratch;
let lines: string[];
beforeEach(async () => {
  folder = await makeTempDir('scratch');
  lines = [];
  const log = createLog({ sinks: [(line) => lines.push(line)], now: () => 0 });
  scratch = createProofScratch({ scratchDir: join(folder.path, 'scratch'), dataDir: '/srv/data', log });
});
afterEach(() => folder.remove());

it('each proof has an empty folder of its own, which goes also when the work fails', async () => {
  const found = await Promise.all(
    [1, 2].map((one) =>
      scratch.within(async (own) => {
        await writeFile(join(own, 'file'), String(one));
        return own;
      }),
    ),
  );
  expect(new Set(found).size).toBe(2);
  await expect(scratch.within(() => Promise.reject(new Error('the work failed')))).rejects.toThrow(
    'the work failed',
  );
  expect(await readdir(scratch.folder)).toEqual([]);
});

it('what an earlier process left is removed, and nothing of another server', async () => {
  await scratch.within(async () => undefined);
  await mkdir(join(scratch.folder, 'proof-old', 'tree'), { recursive: true });
  await mkdir(join(folder.path, 'scratch', 'strongroom-0123456789abcdef', 'proof-other'), {
    recursive: true,
  });
  await scratch.clean();
  expect(await readdir(scratch.folder)).toEqual([]);
  expect(await readdir(join(folder.path, 'scratch', 'strongroom-0123456789abcdef'))).toEqual(['proof-other']);
  expect(lines.join('')).toContain('scratch space of cut-off proofs was removed');
});

it('a folder that somebody else has made in its place is neither used nor emptied', async () => {
  await scratch.within(async () => undefined);
  const kept = join(scratch.folder, 'kept');
  await mkdir(kept);
  const refused = async () => {
    await expect(scratch.within(async () => 'used')).rejects.toThrow(/others may write to it; remove it/);
    await scratch.clean();
    expect(await readdir(scratch.folder)).toEqual(['kept']);
  };
  await chmod(scratch.folder, 0o777);
  await refused();
  await chmod(scratch.folder, 0o700);
  if (process.getuid?.() === 0) {
    await chown(scratch.folder, 12_345, 12_345);
    await refused();
    await chown(scratch.folder, 0, 0);
  }
  const elsewhere = join(folder.path, 'elsewhere');
  await rename(scratch.folder, elsewhere);
  await symlink(elsewhere, scratch.folder);
  await refused();
});
