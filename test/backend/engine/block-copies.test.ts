import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type NewBlockStore,
  type StoreThread,
  startBackup,
  startCleaning,
  startRepack,
  startRestore,
  startStoreThread,
  startVerify,
} from '../../../backend/engine/index.ts';
import { buildAwkwardTree } from '../../support/awkward-tree.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const mib = 1024 * 1024;
const usual: NewBlockStore = { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 };
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;
let storagePath: string;
let device: string;
let store: StoreThread | null = null;

beforeEach(async () => {
  folder = await makeTempDir('block-copies');
  [source, storagePath, device] = ['source', 'storage', 'device.img'].map((name) =>
    path.join(folder.path, name),
  ) as [string, string, string];
  fs.mkdirSync(source);
  fs.mkdirSync(storagePath);
});
afterEach(async () => {
  await store?.close();
  store = null;
  await rm(folder.path, { recursive: true, force: true });
});

async function open(create: NewBlockStore | null = usual, megabytes = 64): Promise<StoreThread> {
  if (create !== null) {
    fs.writeFileSync(device, '');
    fs.truncateSync(device, megabytes * mib);
  }
  const options = { indexFile: `${device}.index`, ...(create === null ? {} : { create }) };
  store = await startStoreThread(device, options);
  return store;
}

async function backUp(blocks: StoreThread, from = source, before: string | null = null) {
  const copyId = randomUUID();
  const request = { source: from, storagePath, copyId, compression: 'Optimal', blocks } as const;
  const base = before === null ? null : { copies: [{ copyId: before, storagePath }] };
  return { ...(await startBackup({ ...request, base }).result), copyId };
}

const restore = (blocks: StoreThread, copyId: string, destination: string, selection: string[] = []) =>
  startRestore({ storagePath, copyId, destination, selection, onExisting: 'replace', forbidden: [], blocks })
    .result;
const verify = (blocks: StoreThread, copyId: string, isMetadataOnly = false) =>
  startVerify({ storagePath, copyId, blocks, isMetadataOnly }).result;
const copyPaths = async () => fs.readdirSync(storagePath).map((name) => path.join(storagePath, name));

/** Flips one bit of the device where these bytes stand. */
function flipBit(bytes: Buffer): void {
  const at = fs.readFileSync(device).indexOf(bytes);
  expect(at).toBeGreaterThan(0);
  const fd = fs.openSync(device, 'r+');
  fs.writeSync(fd, Buffer.from([(bytes[7] ?? 0) ^ 4]), 0, 1, at + 7);
  fs.closeSync(fd);
}

it.each([
  { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 },
  { blockBytes: 131_072, algorithm: 'blake3', hashBits: 512 },
  { blockBytes: 65_536, algorithm: 'sha1', hashBits: 160 },
] as const)(
  'a tree with everything in it comes back from blocks as it was ($algorithm, $hashBits bits)',
  async (create) => {
    const blocks = await open(create, 128);
    const awkward = path.join(folder.path, 'awkward');
    buildAwkwardTree(awkward);
    const first = await backUp(blocks, awkward);
    expect(await verify(blocks, first.copyId)).toMatchObject({ status: 'trusted', findingsTotal: 0 });
    const out = path.join(folder.path, 'out');
    const result = await restore(blocks, first.copyId, out);
    expect(result.problems).toEqual([]);
    expect(compareTrees(awkward, path.join(out, 'awkward'))).toEqual([]);
    const again = await backUp(blocks, awkward);
    expect(again.archiveBytes).toBe(0);
  },
  60_000,
);

it('equal data are stored once, in one copy and over copies, wherever they stand', async () => {
  const blocks = await open();
  const data = randomBytes(3 * mib + 1234);
  for (const name of ['a', 'b/c', 'b/d']) {
    fs.mkdirSync(path.dirname(path.join(source, name)), { recursive: true });
    fs.writeFileSync(path.join(source, name), data);
  }
  const first = await backUp(blocks);
  expect(first.totals.sourceBytes).toBe(3 * data.length);
  expect(first.archiveBytes).toBeGreaterThan(data.length);
  expect(first.archiveBytes).toBeLessThan(data.length + 10_000);
  const second = await backUp(blocks);
  expect(second.archiveBytes).toBe(0);
  const elsewhere = path.join(folder.path, 'another name');
  fs.mkdirSync(elsewhere);
  fs.writeFileSync(path.join(elsewhere, 'same data'), data);
  expect((await backUp(blocks, elsewhere)).archiveBytes).toBeLessThan(10_000);
  await blocks.close();
  const reopened = await open(null);
  expect(await verify(reopened, second.copyId)).toMatchObject({ status: 'trusted' });
  const out = path.join(folder.path, 'out');
  await restore(reopened, second.copyId, out, ['b/d']);
  expect(fs.readFileSync(path.join(out, 'source/b/d')).equals(data)).toBe(true);
});

it('one flipped bit is found in the copies that have it, with their paths and no others, and the next backup heals it', async () => {
  const blocks = await open();
  const data = randomBytes(100_000);
  fs.writeFileSync(path.join(source, 'one'), data);
  fs.writeFileSync(path.join(source, 'same'), data);
  fs.writeFileSync(path.join(source, 'other'), randomBytes(100_000));
  const hit = await backUp(blocks);
  const elsewhere = path.join(folder.path, 'elsewhere');
  fs.mkdirSync(elsewhere);
  fs.writeFileSync(path.join(elsewhere, 'file'), randomBytes(100_000));
  const spared = await backUp(blocks, elsewhere);
  flipBit(data.subarray(8192 * 3, 8192 * 3 + 64));
  const found = await verify(blocks, hit.copyId);
  expect(found.status).toBe('suspicious');
  expect(found.findings.map(({ item }) => item).sort()).toEqual(
    ['one', 'same'].map((name) => path.join(source, name)),
  );
  expect(await verify(blocks, spared.copyId)).toMatchObject({ status: 'trusted' });
  // The damaged block is unknown now, so the same data are sent once more, and all copies have them again.
  const healing = await backUp(blocks);
  expect(healing.archiveBytes).toBe(8192);
  expect(await verify(blocks, healing.copyId)).toMatchObject({ status: 'trusted' });
  expect(await verify(blocks, hit.copyId)).toMatchObject({ status: 'trusted' });
});

it('a verification of the metadata reads no data and still tells a block that is not there', async () => {
  const blocks = await open();
  const data = randomBytes(50_000);
  fs.writeFileSync(path.join(source, 'one'), data);
  fs.writeFileSync(path.join(source, 'two'), randomBytes(50_000));
  const { copyId } = await backUp(blocks);
  flipBit(data.subarray(8192, 8192 + 64));
  const unread = await verify(blocks, copyId, true);
  expect(unread.status).toBe('trusted');
  expect(unread.bytesRead).toBeLessThan(10_000);
  expect((await verify(blocks, copyId)).status).toBe('suspicious');
  const missing = await verify(blocks, copyId, true);
  expect(missing.status).toBe('broken');
  expect(missing.findings.map(({ item }) => item)).toEqual([path.join(source, 'one')]);
});

it('a device that is full ends the copy with the remedy, leaves nothing, and harms no other copy', async () => {
  const blocks = await open(usual, 8);
  fs.writeFileSync(path.join(source, 'small'), randomBytes(mib));
  const older = await backUp(blocks);
  const large = path.join(folder.path, 'large');
  fs.mkdirSync(large);
  fs.writeFileSync(path.join(large, 'data'), randomBytes(10 * mib));
  await expect(backUp(blocks, large)).rejects.toMatchObject({
    kind: 'noSpace',
    message: expect.stringMatching(/device\.img is full after \d+ new bytes.*Add a block device/),
  });
  expect(fs.readdirSync(storagePath)).toEqual([older.copyId]);
  expect(await verify(blocks, older.copyId)).toMatchObject({ status: 'trusted' });
  // What the failed one left behind is of no use to anybody.
  const cleaned = await startCleaning({ store: blocks, copyPaths }).result;
  // The newest segment and that of the older copy stay.
  expect(cleaned.freedBytes).toBeGreaterThanOrEqual(2 * mib);
  expect(await verify(blocks, older.copyId)).toMatchObject({ status: 'trusted' });
});

it('cleaning frees what deleted copies had alone, and nothing when a file list cannot be read', async () => {
  const blocks = await open();
  const shared = randomBytes(2 * mib);
  fs.writeFileSync(path.join(source, 'shared'), shared);
  const kept = await backUp(blocks);
  fs.writeFileSync(path.join(source, 'own'), randomBytes(20 * mib));
  const going = await backUp(blocks);
  const freeBefore = (await blocks.call('stats', null)).freeBytes;
  fs.renameSync(path.join(going.path, 'manifest.ndjson.zst'), path.join(folder.path, 'hidden'));
  const withoutList = startCleaning({ store: blocks, copyPaths }).result;
  await expect(withoutList).rejects.toThrow(/Nothing was cleaned/);
  fs.writeFileSync(path.join(going.path, 'manifest.ndjson.zst'), randomBytes(500));
  await expect(startCleaning({ store: blocks, copyPaths }).result).rejects.toThrow(/Nothing was cleaned/);
  fs.copyFileSync(path.join(folder.path, 'hidden'), path.join(going.path, 'manifest.ndjson.zst'));
  expect((await startCleaning({ store: blocks, copyPaths }).result).freedBytes).toBe(0);
  fs.rmSync(going.path, { recursive: true });
  const cleaned = await startCleaning({ store: blocks, copyPaths }).result;
  expect(cleaned).toMatchObject({ copies: 1, missingBlocks: 0, damagedBlocks: 0 });
  const { freeBytes } = await blocks.call('stats', null);
  expect(freeBytes - freeBefore).toBeGreaterThan(17 * mib);
  const out = path.join(folder.path, 'out');
  await restore(blocks, kept.copyId, out);
  expect(fs.readFileSync(path.join(out, 'source/shared')).equals(shared)).toBe(true);
});

/** What happened within the last second before a copy began is looked at again; so its files must be older. */
const old = new Date('2021-05-04T03:02:01.5Z');

it('a copy after another one reads only what changed, and needs that one no more', async () => {
  const blocks = await open(usual, 128);
  const awkward = path.join(folder.path, 'awkward');
  buildAwkwardTree(awkward);
  fs.writeFileSync(path.join(awkward, 'changing'), 'before');
  fs.writeFileSync(path.join(awkward, 'going'), 'soon gone');
  fs.writeFileSync(path.join(awkward, 'large'), randomBytes(5 * mib + 17));
  fs.renameSync(path.join(awkward, 'large'), path.join(awkward, 'moving'));
  // The change times cannot be set, only waited for.
  await expect
    .poll(() => Date.now() - fs.lstatSync(path.join(awkward, 'moving')).ctimeMs, { timeout: 5000 })
    .toBeGreaterThan(1500);
  const first = await backUp(blocks, awkward);
  fs.writeFileSync(path.join(awkward, 'changing'), 'after');
  fs.rmSync(path.join(awkward, 'going'));
  fs.chmodSync(path.join(awkward, 'names'), 0o711);
  const second = await backUp(blocks, awkward, first.copyId);
  expect(second.reuse.files).toBeGreaterThan(20);
  expect(second.reuse.bytes).toBeGreaterThan(5 * mib);
  expect(second.archiveBytes).toBeLessThan(50_000);
  fs.rmSync(first.path, { recursive: true });
  await startCleaning({ store: blocks, copyPaths }).result;
  expect(await verify(blocks, second.copyId)).toMatchObject({ status: 'trusted', findingsTotal: 0 });
  const out = path.join(folder.path, 'out');
  expect((await restore(blocks, second.copyId, out)).problems).toEqual([]);
  expect(compareTrees(awkward, path.join(out, 'awkward'))).toEqual([]);
  const third = await backUp(blocks, awkward, second.copyId);
  expect(third.reuse.files).toBeGreaterThan(20);
  expect(third.archiveBytes).toBe(0);
}, 60_000);

it('a file whose blocks are damaged is read again, although it did not change', async () => {
  const blocks = await open();
  const data = randomBytes(100_000);
  for (const name of ['one', 'two']) {
    fs.writeFileSync(path.join(source, name), name === 'one' ? data : randomBytes(100_000));
    fs.utimesSync(path.join(source, name), old, old);
  }
  await expect
    .poll(() => Date.now() - fs.lstatSync(path.join(source, 'two')).ctimeMs, { timeout: 5000 })
    .toBeGreaterThan(1500);
  const first = await backUp(blocks);
  flipBit(data.subarray(8192 * 2, 8192 * 2 + 64));
  expect((await verify(blocks, first.copyId)).status).toBe('suspicious');
  const second = await backUp(blocks, source, first.copyId);
  expect(second.reuse).toMatchObject({ files: 1, bytes: 100_000 });
  expect(second.archiveBytes).toBe(8192);
  expect((await verify(blocks, second.copyId)).status).toBe('trusted');
  expect((await verify(blocks, first.copyId)).status).toBe('trusted');
});

it('of very many files only those are read of which a block is gone', async () => {
  const blocks = await open();
  const many = 1200;
  const contents = Array.from({ length: many }, () => randomBytes(200));
  for (const [index, content] of contents.entries()) {
    const file = path.join(source, String(index).padStart(5, '0'));
    fs.writeFileSync(file, content);
    fs.utimesSync(file, old, old);
  }
  const newest = path.join(source, String(many - 1).padStart(5, '0'));
  await expect.poll(() => Date.now() - fs.lstatSync(newest).ctimeMs, { timeout: 5000 }).toBeGreaterThan(1500);
  const first = await backUp(blocks);
  // Of the first, of one in the middle and of the last block that is asked for.
  const gone = [0, 700, many - 1].map((index) => contents[index] ?? Buffer.alloc(0));
  const hashes = Buffer.concat(gone.map((content) => createHash('sha256').update(content).digest()));
  expect([...(await blocks.call('forget', { hashes: Uint8Array.from(hashes), isSure: true }))]).toEqual([
    1, 1, 1,
  ]);
  const second = await backUp(blocks, source, first.copyId);
  expect(second.reuse).toMatchObject({ files: many - 3, bytes: 200 * (many - 3) });
  expect(second.archiveBytes).toBe(3 * 200);
  expect(await verify(blocks, second.copyId)).toMatchObject({ status: 'trusted', findingsTotal: 0 });
}, 60_000);

it('cleaning beside a running backup takes nothing that the backup was told is there (session)', async () => {
  const blocks = await open(usual, 128);
  fs.writeFileSync(path.join(source, 'a'), randomBytes(12 * mib));
  const first = await backUp(blocks);
  // From now on nothing refers to its blocks but the backup that runs.
  fs.rmSync(first.path, { recursive: true });
  fs.writeFileSync(path.join(source, 'b'), randomBytes(12 * mib));
  const session = await blocks.call('openSession', null);
  const copyId = randomUUID();
  const job = startBackup({ source, storagePath, copyId, compression: 'None', blocks });
  job.setLimit(6 * mib);
  let isOver = false;
  const end = job.result.finally(() => {
    isOver = true;
  });
  const whole = async () => (await copyPaths()).filter((name) => !name.endsWith('.partial'));
  await expect.poll(() => job.progress().transferredBytes, { timeout: 10_000 }).toBeGreaterThan(mib);
  let cleanings = 0;
  while (!isOver) {
    const cleaned = await startCleaning({ store: blocks, copyPaths: whole }).result;
    expect(cleaned).toMatchObject({ missingBlocks: 0 });
    cleanings += 1;
  }
  expect(cleanings).toBeGreaterThan(1);
  const { archiveBytes } = await end;
  expect(archiveBytes).toBeLessThan(13 * mib);
  await blocks.call('endSession', session);
  await startCleaning({ store: blocks, copyPaths: whole }).result;
  expect(await verify(blocks, copyId)).toMatchObject({ status: 'trusted', findingsTotal: 0 });
});

it('a copy goes from an archive to blocks and back, and is the same copy', async () => {
  const blocks = await open(usual, 128);
  const awkward = path.join(folder.path, 'awkward');
  buildAwkwardTree(awkward);
  const ids = [randomUUID(), randomUUID(), randomUUID()] as const;
  const place = (index: 0 | 1 | 2) => ({ storagePath, copyId: ids[index] });
  const first = await startBackup({ source: awkward, ...place(0), compression: 'Fast' }).result;
  const direct = await backUp(blocks, awkward);
  const there = await startRepack({
    from: place(0),
    to: place(1),
    compression: 'Optimal',
    source: null,
    target: blocks,
  }).result;
  // It is cut into the same blocks as a backup would be.
  expect(there.archiveBytes).toBe(0);
  expect(direct.archiveBytes).toBeGreaterThan(1000);
  expect(await verify(blocks, ids[1])).toMatchObject({ status: 'trusted', findingsTotal: 0 });
  await startRepack({ from: place(1), to: place(2), compression: 'Fast', source: blocks, target: null })
    .result;
  expect(await startVerify(place(2)).result).toMatchObject({ status: 'trusted', findingsTotal: 0 });
  const archive = (folderPath: string) => fs.readFileSync(path.join(folderPath, 'archive.tar.lz4'));
  expect(archive(path.join(storagePath, ids[2])).equals(archive(first.path))).toBe(true);
  const out = path.join(folder.path, 'out');
  expect((await restore(blocks, ids[1], out)).problems).toEqual([]);
  expect(compareTrees(awkward, path.join(out, 'awkward'))).toEqual([]);
}, 60_000);

it('a damaged copy is not packed anew', async () => {
  const blocks = await open();
  const data = randomBytes(50_000);
  fs.writeFileSync(path.join(source, 'one'), data);
  const { copyId } = await backUp(blocks);
  flipBit(data.subarray(8192, 8192 + 64));
  const to = { storagePath, copyId: randomUUID() };
  const job = startRepack({
    from: { storagePath, copyId },
    to,
    compression: 'None',
    source: blocks,
    target: null,
  });
  await expect(job.result).rejects.toMatchObject({
    kind: 'corrupt',
    message: expect.stringContaining('source/one'),
  });
  expect(fs.readdirSync(storagePath)).toEqual([copyId]);
});
