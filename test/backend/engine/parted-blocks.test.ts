import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MANIFEST_NAME } from '../../../backend/engine/archive/manifest-format.ts';
import {
  type ClientKey,
  ensureClientKey,
  type StoreThread,
  startBackup,
  startRestore,
  startStoreThread,
  startVerify,
} from '../../../backend/engine/index.ts';
import { ManifestReader } from '../../../backend/engine/manifest/manifest-reader.ts';
import { isWorthParting } from '../../../backend/engine/verify/verify-part.ts';
import { flipBit } from '../../support/bit-flips.ts';
import { readBlockLayout } from '../../support/block-layout.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { readCopyBlocks } from '../../support/damaged-paths.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const mib = 1_048_576;
const flat = 5000;
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;
let storagePath: string;

/** A folder that goes on over several segments of the file list, small ones, and files of many blocks. */
beforeAll(async () => {
  folder = await makeTempDir('parted-blocks');
  source = path.join(folder.path, 'source');
  storagePath = path.join(folder.path, 'storage');
  fs.mkdirSync(storagePath);
  const wide = path.join(source, 'wide');
  fs.mkdirSync(wide, { recursive: true });
  for (let i = 0; i < flat; i += 1)
    fs.writeFileSync(path.join(wide, `file ${i}`), randomBytes(4000 + (i % 900)));
  for (let i = 0; i < 40; i += 1) {
    const deep = path.join(source, `part ${i % 4}`, `folder ${i}`);
    fs.mkdirSync(path.join(deep, 'empty'), { recursive: true });
    for (let k = 0; k < 20; k += 1) fs.writeFileSync(path.join(deep, `file ${k}`), randomBytes(3000));
    fs.linkSync(path.join(deep, 'file 1'), path.join(deep, 'another name'));
  }
  fs.writeFileSync(path.join(source, 'long'), randomBytes(700_000));
  fs.writeFileSync(path.join(source, 'empty file'), '');
});
afterAll(() => folder.remove());

interface Made {
  readonly store: StoreThread;
  readonly device: string;
  readonly copyId: string;
  readonly copyPath: string;
  readonly key: ClientKey | null;
}

/** Store and copy, gone with the store's end. */
async function withCopy(
  algorithm: 'blake3' | 'sha2',
  cipher: 'aes-256-gcm' | null,
  look: (made: Made) => Promise<void>,
): Promise<void> {
  const device = path.join(folder.path, `${randomUUID()}.img`);
  fs.writeFileSync(device, '');
  fs.truncateSync(device, 96 * mib);
  const create = { blockBytes: 131_072, algorithm, hashBits: 256 } as const;
  const store = await startStoreThread(device, { indexFile: `${device}.index`, create });
  const copyId = randomUUID();
  try {
    const keyFolder = path.join(folder.path, 'keys');
    const key = cipher === null ? null : (await ensureClientKey(keyFolder, cipher)).key;
    const request = { source, storagePath, copyId, compression: 'Optimal', blocks: store, key } as const;
    const { path: copyPath } = await startBackup(request).result;
    await look({ store, device, copyId, copyPath, key });
  } finally {
    await store.close();
    fs.rmSync(device);
  }
}

/** Less than two threads need. */
const forOne = { bytes: 80 * mib, isStrict: false };

const verify = ({ store, copyId, key }: Made, memory: typeof forOne | null = null) =>
  startVerify({ storagePath, copyId, blocks: store, key, memory });
const restore = ({ store, copyId, key }: Made, destination: string) =>
  startRestore({ storagePath, copyId, destination, onExisting: 'replace', forbidden: [], blocks: store, key })
    .result;

async function verdict(made: Made, memory: typeof forOne | null = null) {
  const { status, findings, findingsTotal } = await verify(made, memory).result;
  const items = findings.map(({ item, message }) => `${item}: ${message}`).toSorted();
  expect(items).toHaveLength(Math.min(findingsTotal, 1000));
  // Of more than are kept each thread keeps other ones.
  return { status, findingsTotal, items: findingsTotal > 1000 ? [] : items };
}

async function threadsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const threads: string[] = [];
  const note = (worker: Worker) => threads.push(String(Reflect.get(worker, 'threadName')));
  process.on('worker', note);
  await work();
  process.off('worker', note);
  return threads;
}

const isTwo = availableParallelism() > 1;

it.each([
  ['blake3', null],
  ['blake3', 'aes-256-gcm'],
] as const)(
  'a large copy on blocks is verified and comes back by two threads, each file once (%s, %s)',
  async (algorithm, cipher) => {
    await withCopy(algorithm, cipher, async (made) => {
      const alone = verify(made, forOne);
      expect(await threadsOf(() => alone.result)).toEqual(['verifier']);
      const job = verify(made);
      const threads = await threadsOf(() => job.result);
      expect(threads).toEqual(isTwo ? ['verifier', 'second verifier'] : ['verifier']);
      const result = await job.result;
      expect(result).toMatchObject({ status: 'trusted', findings: [], findingsTotal: 0 });
      expect(result.bytesRead).toBe((await alone.result).bytesRead);
      expect(job.progress()).toMatchObject(alone.progress());
      expect(job.progress().bytesDone).toBe(job.progress().bytesTotal);
      const out = path.join(folder.path, randomUUID());
      let restored: Awaited<ReturnType<typeof restore>> | undefined;
      const writers = await threadsOf(async () => {
        restored = await restore(made, out);
      });
      expect(writers).toEqual(isTwo ? ['restorer', 'second restorer'] : ['restorer']);
      expect(restored).toMatchObject({ outcome: 'complete', problemsTotal: 0 });
      expect(compareTrees(source, path.join(out, 'source'))).toEqual([]);
      fs.rmSync(out, { recursive: true });
    });
  },
  120_000,
);

it.each(['blake3', 'sha2'] as const)(
  'damaged blocks are told of each file that needs them, by either thread, and all else comes back (%s)',
  async (algorithm) => {
    await withCopy(algorithm, null, async (made) => {
      const { records, hashBytes } = readBlockLayout(made.device);
      const hit = records.filter((_, index) => index % 601 === 7);
      expect(hit.length).toBeGreaterThan(10);
      for (const { position } of hit) flipBit(made.device, position + 32 + hashBytes + 1, 3);
      const expected = readCopyBlocks(made.copyPath).itemsIn(new Set(hit.map(({ hash }) => hash)));
      const found = await verify(made).result;
      expect(found.status).not.toBe('trusted');
      expect(found.findings.map(({ item }) => item).toSorted()).toEqual(expected);
      const out = path.join(folder.path, randomUUID());
      const { problems } = await restore(made, out);
      const lost = problems.map((problem) => problem.path);
      // A further name of a file that is lost.
      const needed = lost.map((item) => item.replace(/(folder \d+)\/file 1$/, '$1/another name'));
      expect(needed.filter((item) => !expected.includes(item))).toEqual([]);
      expect(lost.length).toBeGreaterThan(3);
      const differences = compareTrees(source, path.join(out, 'source'));
      const isOfLost = (difference: string) =>
        lost.some((item) => difference.startsWith(`${path.relative(source, item)}:`));
      expect(differences.filter((difference) => !isOfLost(difference))).toEqual([]);
      fs.rmSync(out, { recursive: true });
    });
  },
  120_000,
);

it('of a damaged file list two threads tell what one tells, each damage once', async () => {
  await withCopy('blake3', null, async (made) => {
    const reader = new ManifestReader(made.copyPath);
    const { totals } = reader.file.header;
    const segments = (['rows', 'frames', 'folders'] as const).flatMap((kind) => reader.file.segments(kind));
    reader.close();
    expect(isWorthParting(totals)).toBe(true);
    expect(segments.filter(({ kind }) => kind === 'rows').length).toBeGreaterThan(2);
    const manifest = path.join(made.copyPath, MANIFEST_NAME);
    for (const { kind, first, offset } of segments) {
      flipBit(manifest, offset + 20, 2);
      const alone = await verdict(made, forOne);
      expect(alone.findingsTotal, `${kind} from ${first}`).toBeGreaterThan(0);
      expect(await verdict(made), `${kind} from ${first}`).toEqual(alone);
      flipBit(manifest, offset + 20, 2);
    }
    expect(await verdict(made)).toEqual({ status: 'trusted', findingsTotal: 0, items: [] });
  });
}, 180_000);
