import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openManifest, startBackup } from '../../../backend/engine/index.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

let root = '';
let remove: () => Promise<void> = async () => undefined;
let source = '';
let storagePath = '';

beforeEach(async () => {
  const folder = await makeTempDir('leave-out');
  root = folder.path;
  remove = folder.remove;
  source = join(root, 'source');
  storagePath = join(root, 'storage');
  mkdirSync(source);
  mkdirSync(storagePath);
});
afterEach(() => remove());

async function pathsIn(copyPath: string): Promise<readonly string[]> {
  const manifest = await openManifest(copyPath);
  try {
    const below = (folder: string): readonly string[] =>
      manifest
        .list({ folder, offset: 0, limit: 1000 })
        .items.flatMap(({ path, entry }) => (entry.childFolderId === null ? [path] : [path, ...below(path)]));
    return below(source).map((path) => path.slice(source.length + 1));
  } finally {
    manifest.close();
  }
}

it('a folder that is left out is left out under every name that leads to it', async () => {
  mkdirSync(join(source, 'keep'));
  mkdirSync(join(source, 'data'));
  writeFileSync(join(source, 'data', 'secret'), 'x');
  symlinkSync(source, join(root, 'alias'));
  const excludes = [join(root, 'alias', 'data')];
  const made = await startBackup({ source, storagePath, copyId: 'copy', compression: 'Optimal', excludes })
    .result;
  expect(await pathsIn(made.path)).toEqual(['keep']);
  expect(made.skipped.map((item) => item.class)).toEqual(['rule']);
  expect(made.totals.skipped).toBe(0);
});

it('a storage inside the resource does not back itself up', async () => {
  const inside = join(source, 'storage');
  mkdirSync(inside);
  writeFileSync(join(source, 'file'), 'x');
  const made = await startBackup({ source, storagePath: inside, copyId: 'copy', compression: 'None' }).result;
  expect(await pathsIn(made.path)).toEqual(['file']);
});

it('a folder that is swapped for a link while the backup runs leads nowhere (case 73)', async () => {
  mkdirSync(join(source, 'a'));
  mkdirSync(join(source, 'z'));
  mkdirSync(join(root, 'outside'));
  writeFileSync(join(root, 'outside', 'victim'), 'must not be in the copy');
  writeFileSync(join(source, 'z', 'mine'), 'x');
  const block = randomBytes(16 * 1024 * 1024);
  for (let i = 0; i < 8; i += 1) writeFileSync(join(source, 'a', `large-${i}`), block);
  const job = startBackup({ source, storagePath, copyId: 'copy', compression: 'None' });
  await new Promise<void>((resolve) => {
    const off = job.onProgress((progress) => {
      if (progress.bytesDone === 0) return;
      off();
      resolve();
    });
  });
  job.pause();
  renameSync(join(source, 'z'), join(root, 'was-z'));
  symlinkSync(join(root, 'outside'), join(source, 'z'));
  job.resume();
  const made = await job.result;
  const paths = await pathsIn(made.path);
  expect(paths).toContain('a/large-7');
  expect(paths.filter((path) => path.includes('victim'))).toEqual([]);
});

it('file systems that the kernel makes up are left out where the tree crosses into them', async (context) => {
  if (process.getuid?.() !== 0) context.skip('needs root to mount');
  const mounted = join(source, 'proc');
  mkdirSync(mounted);
  writeFileSync(join(source, 'file'), 'x');
  execFileSync('mount', ['-t', 'proc', 'proc', mounted]);
  try {
    const made = await startBackup({ source, storagePath, copyId: 'copy', compression: 'Optimal' }).result;
    expect(await pathsIn(made.path)).toEqual(['file', 'proc']);
    expect(made.totals.changed).toBe(0);
  } finally {
    execFileSync('umount', [mounted]);
  }
});

it('a resource that is not there, or no absolute path, is refused by name', async () => {
  const missing = startBackup({
    source: join(root, 'gone'),
    storagePath,
    copyId: 'copy',
    compression: 'None',
  });
  await expect(missing.result).rejects.toMatchObject({
    kind: 'notFound',
    message: expect.stringContaining('gone'),
  });
  const relative = startBackup({ source: 'gone', storagePath, copyId: 'copy', compression: 'None' });
  await expect(relative.result).rejects.toThrow('absolute');
});
