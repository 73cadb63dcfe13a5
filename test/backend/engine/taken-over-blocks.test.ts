import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type StoreThread,
  startBackup,
  startRepack,
  startRestore,
  startStoreThread,
  startVerify,
} from '../../../backend/engine/index.ts';
import { ManifestReader } from '../../../backend/engine/manifest/manifest-reader.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const blockBytes = 8192;
/** Around whole blocks of a tar stream and of the store. */
const sizes = [1, 511, 512, 513, 0, 1024, 8191, 8192, 8193, 20_000, 2];
const folders = ['one', 'one/two', 'three'];

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;
let storagePath: string;
let blocks: StoreThread;

beforeAll(async () => {
  folder = await makeTempDir('taken-over');
  [source, storagePath] = ['source', 'storage'].map((name) => path.join(folder.path, name)) as [
    string,
    string,
  ];
  fs.mkdirSync(storagePath);
  for (const name of folders) {
    fs.mkdirSync(path.join(source, name), { recursive: true });
    for (let turn = 0; turn < 3; turn += 1) {
      for (const size of sizes) fs.writeFileSync(fileOf(name, turn, size), randomBytes(size));
    }
  }
  const device = path.join(folder.path, 'device.img');
  fs.writeFileSync(device, '');
  fs.truncateSync(device, 64 * 1024 * 1024);
  const create = { blockBytes, algorithm: 'blake3', hashBits: 256 } as const;
  blocks = await startStoreThread(device, { indexFile: `${device}.index`, create });
}, 60_000);
afterAll(async () => {
  await blocks.close();
  await folder.remove();
});

const fileOf = (name: string, turn: number, size: number): string =>
  path.join(source, name, `${turn} file of ${size}`);

async function backUp(before: string | null) {
  const copyId = randomUUID();
  const base = before === null ? null : { copies: [{ copyId: before, storagePath }] };
  const result = await startBackup({ source, storagePath, copyId, compression: 'Optimal', blocks, base })
    .result;
  return { ...result, copyId };
}

/** What happened within a second before a copy began is looked at again. */
async function untilOld(file: string): Promise<void> {
  await expect.poll(() => Date.now() - fs.lstatSync(file).ctimeMs, { timeout: 5000 }).toBeGreaterThan(1500);
}

function hashesOf(copyPath: string): readonly string[] {
  const reader = new ManifestReader(copyPath);
  const hashes = [...reader.frames.blockHashes()].flat();
  reader.close();
  return hashes;
}

/** By the engine, and by tar alone out of an archive made of the blocks. */
async function expectWhole(copyId: string): Promise<void> {
  expect(await startVerify({ storagePath, copyId, blocks }).result).toMatchObject({ status: 'trusted' });
  const out = path.join(folder.path, `out-${copyId}`);
  await startRestore({ storagePath, copyId, destination: out, onExisting: 'replace', forbidden: [], blocks })
    .result;
  expect(compareTrees(source, path.join(out, 'source'))).toEqual([]);
  const packed = path.join(folder.path, `packed-${copyId}`);
  fs.mkdirSync(packed);
  const from = { storagePath, copyId };
  const to = { storagePath: packed, copyId };
  await startRepack({ from, to, compression: 'None', source: blocks, target: null }).result;
  const untarred = path.join(folder.path, `untarred-${copyId}`);
  fs.mkdirSync(untarred);
  execFileSync('tar', ['-xpf', path.join(packed, copyId, 'archive.tar'), '-C', untarred]);
  expect(compareTrees(source, path.join(untarred, 'source'), { bySecond: true })).toEqual([]);
}

it('unchanged files are taken over with their headers, and what changes between them stays in its place', async () => {
  await untilOld(fileOf('three', 2, 2));
  const first = await backUp(null);
  const again = await backUp(first.copyId);
  expect(again.archiveBytes).toBe(0);
  expect(again.reuse.files).toBe(folders.length * 3 * sizes.length);
  expect(hashesOf(again.path)).toEqual(hashesOf(first.path));
  await expectWhole(again.copyId);

  fs.rmSync(fileOf('one', 0, 511));
  fs.appendFileSync(fileOf('one', 1, 512), 'longer by an odd number');
  fs.writeFileSync(path.join(source, 'one', '1 file of 5110'), 'between two others');
  fs.chmodSync(fileOf('one', 2, 8192), 0o600);
  fs.renameSync(fileOf('one/two', 0, 8193), path.join(source, 'three', 'moved here'));
  fs.truncateSync(fileOf('one/two', 1, 20_000), 0);
  fs.rmSync(fileOf('three', 1, 1024));
  fs.mkdirSync(fileOf('three', 1, 1024));
  fs.linkSync(fileOf('three', 2, 513), path.join(source, 'three', '2 file of 5130'));
  await untilOld(fileOf('three', 2, 513));
  const changed = await backUp(again.copyId);
  await expectWhole(changed.copyId);

  const later = await backUp(changed.copyId);
  expect(later.archiveBytes).toBe(0);
  expect(hashesOf(later.path)).toEqual(hashesOf(changed.path));
  await expectWhole(later.copyId);
}, 120_000);

it('a file whose blocks stand in several segments of the table is taken over, and so are those around it', async () => {
  const large = path.join(source, 'three', 'large');
  // More than two segments of 4,096 lines, each block unlike the others.
  const content = Buffer.alloc(9000 * blockBytes);
  for (let at = 0; at < content.length; at += blockBytes) content.writeUInt32LE(at, at);
  fs.writeFileSync(large, content);
  await untilOld(large);
  const first = await backUp(null);
  const again = await backUp(first.copyId);
  expect(again.archiveBytes).toBe(0);
  expect(hashesOf(again.path)).toEqual(hashesOf(first.path));
  await expectWhole(again.copyId);

  // All that follows stands elsewhere in the table now.
  fs.writeFileSync(path.join(source, 'one', 'a new one'), 'in front of all others');
  await untilOld(path.join(source, 'one', 'a new one'));
  const moved = await backUp(again.copyId);
  expect(moved.reuse.bytes).toBeGreaterThan(content.length);
  const later = await backUp(moved.copyId);
  expect(later.archiveBytes).toBe(0);
  expect(hashesOf(later.path)).toEqual(hashesOf(moved.path));
  await expectWhole(later.copyId);
}, 120_000);
