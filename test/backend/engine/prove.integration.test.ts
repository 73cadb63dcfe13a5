import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  ensureClientKey,
  type RestoreProofRequest,
  startBackup,
  startRestoreProof,
  startStoreThread,
} from '../../../backend/engine/index.ts';
import { Sampler } from '../../../backend/engine/prove/sample.ts';
import { buildAwkwardTree } from '../../support/awkward-tree.ts';
import { chainSteps, prepareChainTree } from '../../support/chain-steps.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

const all = { seed: '0badcafe', mostFiles: 1000, mostBytes: 2 ** 40 };
let fixture: Fixture;
let source: string;
let files: number;

beforeAll(async () => {
  fixture = await makeFixture('prove');
  source = path.join(fixture.folder, 'awkward');
  buildAwkwardTree(source);
  prepareChainTree(source);
});
afterAll(() => fixture.remove());

/** An empty folder for a proof. */
let scratch: string;
beforeEach(() => {
  scratch = path.join(fixture.folder, `scratch-${randomUUID()}`);
  fs.mkdirSync(scratch, { mode: 0o700 });
});

function prove(copyId: string, more: Partial<RestoreProofRequest> = {}) {
  const { storagePath } = fixture;
  const nothing = { key: null, chain: [], blocks: null };
  return startRestoreProof({ storagePath, copyId, scratch, sample: all, ...nothing, ...more }).result;
}

describe('a restore proof', () => {
  let copy: Copy;
  beforeAll(async () => {
    copy = await fixture.backUp(source);
    files = (await prove(copy.copyId, { scratch: fs.mkdtempSync(path.join(fixture.folder, 'first-')) }))
      .filesTotal;
  });

  test('of all files finds everything as it was: names, holes, links, attributes, times and depth', async () => {
    const result = await prove(copy.copyId);
    expect(result.failures).toEqual([]);
    expect(result.notes).toEqual([]);
    expect(result).toMatchObject({ files, filesTotal: files, tooLarge: 0 });
    expect(files).toBeGreaterThan(60);
  });

  test('chooses by its seed, so many files and so many bytes at most', async () => {
    const sample = { ...all, mostFiles: 7 };
    const sizes: number[] = [];
    for (const seed of ['00000001', '00000001', '00000002', '00000003']) {
      const own = fs.mkdtempSync(path.join(fixture.folder, 'seed-'));
      const result = await prove(copy.copyId, { scratch: own, sample: { ...sample, seed } });
      expect(result).toMatchObject({ files: 7, failures: [] });
      sizes.push(result.bytes);
    }
    expect(sizes[0]).toBe(sizes[1]);
    expect(new Set(sizes).size).toBeGreaterThan(1);
    const small = await prove(copy.copyId, { sample: { ...all, mostBytes: 1_500_000 } });
    expect(small.bytes).toBeLessThanOrEqual(1_500_000);
    expect(small.files).toBeGreaterThan(20);
    expect(small.tooLarge).toBeGreaterThan(3);
  });

  test('says so when no file fits into the sample', async () => {
    const big = path.join(fixture.folder, 'one big');
    fs.mkdirSync(big);
    fs.writeFileSync(path.join(big, 'large'), Buffer.alloc(5000, 'x'));
    const { copyId } = await fixture.backUp(big);
    const result = await prove(copyId, { sample: { ...all, mostBytes: 4999 } });
    expect(result).toEqual({ files: 0, bytes: 0, filesTotal: 1, tooLarge: 1, failures: [], notes: [] });
  });

  test('works on a resource that is one file, and on one without files', async () => {
    const file = path.join(fixture.folder, 'alone');
    fs.writeFileSync(file, 'alone');
    const { copyId } = await fixture.backUp(file);
    expect(await prove(copyId)).toMatchObject({ files: 1, bytes: 5, failures: [] });
    const empty = path.join(fixture.folder, 'empty');
    fs.mkdirSync(empty);
    const other = await fixture.backUp(empty);
    expect(await prove(other.copyId)).toMatchObject({ files: 0, filesTotal: 0, failures: [] });
  });

  test('names the file whose data are damaged (case 87)', async () => {
    const folder = path.join(fixture.folder, 'damaged');
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, 'good'), Buffer.alloc(9_000_000, 'good'));
    fs.writeFileSync(path.join(folder, 'hit'), Buffer.alloc(9_000_000, 'hit '));
    const hit = await fixture.backUp(folder, 'None');
    const archive = path.join(hit.path, hit.archiveFile);
    const at = fs.readFileSync(archive).lastIndexOf('hit hit hit');
    const fd = fs.openSync(archive, 'r+');
    fs.writeSync(fd, 'HIT', at - 500_000);
    fs.closeSync(fd);
    const result = await prove(hit.copyId);
    expect(result).toMatchObject({ files: 1, bytes: 9_000_000 });
    expect(result.failures).toEqual([
      { path: path.join(folder, 'hit'), reason: expect.stringContaining('damaged') },
    ]);
  });

  test('does not believe a restore: what lies in the scratch space is compared', async () => {
    // The restore leaves a file alone that is newer than it: here it meets one that somebody else made.
    const folder = path.join(fixture.folder, 'swapped');
    fs.mkdirSync(folder);
    for (const name of ['a', 'b']) fs.writeFileSync(path.join(folder, name), `content of ${name}`);
    const { copyId } = await fixture.backUp(folder);
    const job = startRestoreProof({
      storagePath: fixture.storagePath,
      copyId,
      scratch,
      sample: all,
      key: null,
      chain: [],
      blocks: null,
    });
    // Held between the restore and the comparison: the counters tell when all is written.
    const change = new Promise<void>((resolve) => {
      const look = setInterval(() => {
        if (job.progress().filesDone < 2) return;
        clearInterval(look);
        const target = path.join(scratch, 'swapped', 'a');
        fs.writeFileSync(target, 'content of X');
        resolve();
      }, 1);
    });
    const result = await job.result;
    await change;
    expect(result.failures.map((failure) => failure.path)).toEqual([path.join(folder, 'a')]);
    expect(result.failures[0]?.reason).toMatch(/another hash|bytes where/);
  });

  test('tells a scratch space that is away from a copy that cannot be restored', async () => {
    const away = path.join(fixture.folder, 'not there');
    await expect(prove(copy.copyId, { scratch: away })).rejects.toMatchObject({ kind: 'transient' });
  });
});

test('a limit of memory bounds the heap of each of its threads, and too small a one is refused', async () => {
  const { copyId } = await fixture.backUp(source);
  const heaps: number[] = [];
  const note = ({ resourceLimits }: Worker) => heaps.push(Number(resourceLimits?.maxOldGenerationSizeMb));
  process.on('worker', note);
  try {
    await prove(copyId, { memory: { bytes: 256 * 2 ** 20, isStrict: true } });
  } finally {
    process.off('worker', note);
  }
  expect(heaps).toEqual([240, 240, 240]);
  const other = fs.mkdtempSync(path.join(fixture.folder, 'little-'));
  const little = prove(copyId, { scratch: other, memory: { bytes: 2 ** 20, isStrict: true } });
  await expect(little).rejects.toThrow(/memory_threshold allows 1 MiB/);
  expect(fs.readdirSync(other)).toEqual([]);
});

test('a chain restores through the copies that it builds on', async () => {
  const { storagePath } = fixture;
  const tree = path.join(fixture.folder, 'chain');
  buildAwkwardTree(tree);
  prepareChainTree(tree);
  const chain: { copyId: string; storagePath: string }[] = [];
  for (const step of [null, ...chainSteps.slice(0, 3)]) {
    step?.change(tree);
    const copyId = randomUUID();
    const base = chain.length === 0 ? null : { copies: [...chain] };
    await startBackup({ source: tree, storagePath, copyId, compression: 'Fast', base }).result;
    const own = fs.mkdtempSync(path.join(fixture.folder, 'link-'));
    const result = await prove(copyId, { chain, scratch: own, sample: { ...all, mostFiles: 60 } });
    expect(result).toMatchObject({ files: 60, failures: [] });
    chain.push({ copyId, storagePath });
  }
  // Without its base nothing that lies there comes back.
  const last = chain.at(-1)?.copyId ?? '';
  fs.rmSync(path.join(storagePath, chain[0]?.copyId ?? ''), { recursive: true });
  const result = await prove(last, { chain, sample: { ...all, mostFiles: 60 } });
  expect(result.failures.length).toBeGreaterThan(5);
  expect(result.failures[0]?.reason).toContain('earlier copy');
});

test.each(['aes-256-gcm', 'age'] as const)(
  'an encrypted copy (%s) is proved with the key and not without',
  async (cipher) => {
    const { key } = await ensureClientKey(path.join(fixture.folder, `key.${cipher}`), cipher);
    const { storagePath } = fixture;
    const copyId = randomUUID();
    await startBackup({ source, storagePath, copyId, compression: 'Optimal', key }).result;
    expect(await prove(copyId, { key })).toMatchObject({ files, failures: [] });
    const own = fs.mkdtempSync(path.join(fixture.folder, 'locked-'));
    await expect(prove(copyId, { scratch: own })).rejects.toMatchObject({ kind: 'permission' });
    expect(fs.readdirSync(own)).toEqual([]);
  },
);

test('a copy on blocks is proved, holes and attributes too', async () => {
  const device = path.join(fixture.folder, 'device.img');
  fs.writeFileSync(device, '');
  fs.truncateSync(device, 256 * 1024 * 1024);
  const create = { blockBytes: 65_536, algorithm: 'blake3', hashBits: 256 } as const;
  const blocks = await startStoreThread(device, { indexFile: `${device}.index`, create });
  try {
    const copyId = randomUUID();
    const { storagePath } = fixture;
    await startBackup({ source, storagePath, copyId, compression: 'Optimal', blocks }).result;
    expect(await prove(copyId, { blocks })).toMatchObject({ files, failures: [] });
  } finally {
    await blocks.close();
  }
});

test('every file is as likely as any other, whatever the seed', () => {
  const chosen = new Map<number, number>();
  for (let round = 0; round < 2000; round += 1) {
    const seed = ((round * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0');
    const sampler = new Sampler<{ ordinal: number; sizeBytes: number }>({
      seed,
      mostFiles: 10,
      mostBytes: 1e9,
    });
    for (let ordinal = 0; ordinal < 200; ordinal += 1) {
      const file = { ordinal, sizeBytes: 1 };
      sampler.offer(file, () => file);
    }
    const files = sampler.chosen();
    expect(files).toHaveLength(10);
    for (const { ordinal } of files) chosen.set(ordinal, (chosen.get(ordinal) ?? 0) + 1);
  }
  // 100 of 2,000 are expected for each; six standard deviations are 58.
  const counts = Array.from({ length: 200 }, (_, ordinal) => chosen.get(ordinal) ?? 0);
  expect(Math.min(...counts)).toBeGreaterThan(42);
  expect(Math.max(...counts)).toBeLessThan(158);
});
