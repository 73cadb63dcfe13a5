import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BLOCK_ENCODINGS } from '../../../backend/engine/blocks/record.ts';
import { BLOCK_SEAL_BYTES, BlockSeal, blockKeyOf } from '../../../backend/engine/crypto/block-seal.ts';
import {
  type ClientKey,
  ensureClientKey,
  type NewBlockStore,
  openManifest,
  readStoreId,
  type StoreThread,
  startBackup,
  startCleaning,
  startRepack,
  startRestore,
  startStoreThread,
  startVerify,
} from '../../../backend/engine/index.ts';
import { buildAwkwardTree } from '../../support/awkward-tree.ts';
import { flipBit } from '../../support/bit-flips.ts';
import { readBlockLayout } from '../../support/block-layout.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const mib = 1024 * 1024;
const usual: NewBlockStore = { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 };
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;
let storagePath: string;
let device: string;
let store: StoreThread;
let key: ClientKey;
let otherKey: ClientKey;

beforeEach(async () => {
  folder = await makeTempDir('encrypted-blocks');
  [source, storagePath, device] = ['source', 'storage', 'device.img'].map((name) =>
    path.join(folder.path, name),
  ) as [string, string, string];
  fs.mkdirSync(source);
  fs.mkdirSync(storagePath);
  key = await keyNamed('client');
  otherKey = await keyNamed('other');
});
afterEach(async () => {
  await store.close();
  await rm(folder.path, { recursive: true, force: true });
});

const keyNamed = async (name: string, cipher: 'aes-256-gcm' | 'age' = 'aes-256-gcm') =>
  (await ensureClientKey(path.join(folder.path, 'keys', `${name}.${cipher}`), cipher)).key;

async function open(create: NewBlockStore = usual, megabytes = 48): Promise<void> {
  fs.writeFileSync(device, '');
  fs.truncateSync(device, megabytes * mib);
  store = await startStoreThread(device, { indexFile: `${device}.index`, create });
}

interface How {
  readonly with?: ClientKey | null;
  readonly from?: string;
  readonly before?: string;
}

async function backUp(how: How = {}) {
  const copyId = randomUUID();
  const base = how.before === undefined ? null : { copies: [{ copyId: how.before, storagePath }] };
  const used = how.with === undefined ? key : how.with;
  const request = { source: how.from ?? source, storagePath, copyId, base, blocks: store, key: used };
  return { ...(await startBackup({ ...request, compression: 'Optimal' }).result), copyId };
}

const verify = (copyId: string, used: ClientKey | null = key) =>
  startVerify({ storagePath, copyId, blocks: store, key: used }).result;
const restore = (copyId: string, destination: string, used: ClientKey | null = key) =>
  startRestore({
    storagePath,
    copyId,
    destination,
    onExisting: 'replace',
    forbidden: [],
    blocks: store,
    key: used,
  }).result;
const trusted = { status: 'trusted', findingsTotal: 0 };
const flushed = async (): Promise<Buffer> => {
  await store.call('sync', null);
  return fs.readFileSync(device);
};

it.each([
  { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 },
  { blockBytes: 131_072, algorithm: 'blake3', hashBits: 512 },
  { blockBytes: 65_536, algorithm: 'sha1', hashBits: 160 },
] as const)(
  'an encrypted tree with everything in it comes back from blocks as it was ($algorithm, $hashBits bits)',
  async (create) => {
    await open(create, 128);
    const awkward = path.join(folder.path, 'awkward');
    buildAwkwardTree(awkward);
    fs.writeFileSync(path.join(awkward, 'does not compress'), randomBytes(3 * create.blockBytes));
    const first = await backUp({ from: awkward });
    expect(await verify(first.copyId)).toMatchObject(trusted);
    const out = path.join(folder.path, 'out');
    expect((await restore(first.copyId, out)).problems).toEqual([]);
    expect(compareTrees(awkward, path.join(out, 'awkward'))).toEqual([]);
    expect((await backUp({ from: awkward })).archiveBytes).toBe(0);
  },
  60_000,
);

it('equal data are stored once for a client, and again for another client and for a copy without encryption', async () => {
  await open();
  fs.writeFileSync(path.join(source, 'one'), randomBytes(400_000));
  fs.copyFileSync(path.join(source, 'one'), path.join(source, 'two'));
  const own = await backUp();
  expect(own.archiveBytes).toBeGreaterThan(400_000);
  expect(own.archiveBytes).toBeLessThan(420_000);
  expect((await backUp()).archiveBytes).toBe(0);
  expect((await backUp({ with: otherKey })).archiveBytes).toBe(own.archiveBytes);
  const plain = await backUp({ with: null });
  expect(plain.archiveBytes).toBeGreaterThan(400_000);
  expect((await backUp({ with: null })).archiveBytes).toBe(0);
  const records = readBlockLayout(device).records.map(({ hash }) => hash);
  expect(new Set(records).size).toBe(records.length);
});

/** As a fault of the memory would leave it: what lies under the name of these bytes opens, and is other bytes. */
async function putWrong(right: Buffer): Promise<void> {
  if (key.cipher !== 'aes-256-gcm') throw new Error('not a key of blocks');
  const seal = new BlockSeal(blockKeyOf(key.key), store.facts.storeId, store.facts.hashBytes);
  const name = Buffer.alloc(store.facts.hashBytes);
  seal.nameOf(right, name);
  const wrong = Buffer.from(right);
  wrong[17] = (wrong[17] ?? 0) ^ 1;
  const sealed = Buffer.alloc(wrong.length + BLOCK_SEAL_BYTES);
  seal.seal(name, BLOCK_ENCODINGS.indexOf('raw'), wrong, sealed);
  const hashes = Uint8Array.from(name);
  expect([...(await store.call('forget', { hashes, isSure: true }))]).toEqual([1]);
  const facts = Uint32Array.of(sealed.length, wrong.length, BLOCK_ENCODINGS.indexOf('sealed'));
  await store.call('put', { hashes, facts, bytes: Uint8Array.from(sealed) });
}

it.each(['a verification', 'a restore'])(
  '%s finds a block that opens and is not what its name says, and the next backup brings it anew (cases 88 and 90)',
  async (what) => {
    await open();
    const data = randomBytes(5000);
    fs.writeFileSync(path.join(source, 'one'), data);
    fs.writeFileSync(path.join(source, 'other'), randomBytes(5000));
    const { copyId } = await backUp();
    await putWrong(data);
    // Asked for the block only, the store sees nothing wrong.
    expect((await backUp()).archiveBytes).toBe(0);
    if (what === 'a verification') {
      const found = await verify(copyId);
      expect(found.status).toBe('suspicious');
      expect(found.findings.map(({ item }) => item)).toEqual([path.join(source, 'one')]);
    } else {
      const out = path.join(folder.path, 'out');
      const restored = await restore(copyId, out);
      expect(restored.problems.map(({ path: where }) => path.basename(where))).toEqual(['one']);
      expect(fs.existsSync(path.join(out, 'source', 'one'))).toBe(false);
      expect(fs.existsSync(path.join(out, 'source', 'other'))).toBe(true);
    }
    expect((await backUp()).archiveBytes).toBeGreaterThan(5000);
    expect(await verify(copyId)).toMatchObject(trusted);
  },
);

it('neither the device nor the folder of the copy tells contents, names or hashes of contents', async () => {
  await open();
  const marker = 'PLAINLY-READABLE-MARKER';
  const text = Buffer.alloc(3 * 8192, `${marker} of the content. `);
  const data = randomBytes(3 * 8192);
  fs.writeFileSync(path.join(source, `${marker} name`), text);
  fs.writeFileSync(path.join(source, 'data'), data);
  const { copyId } = await backUp();
  const stored = [
    await flushed(),
    ...fs
      .readdirSync(path.join(storagePath, copyId))
      .map((name) => fs.readFileSync(path.join(storagePath, copyId, name))),
  ];
  const pieces = [0, 1, 2].flatMap((index) =>
    [text, data].map((bytes) => bytes.subarray(index * 8192, (index + 1) * 8192)),
  );
  const secrets = [
    Buffer.from(marker),
    ...pieces.map((piece) => piece.subarray(0, 32)),
    ...[...pieces, text, data].flatMap((piece) =>
      ['sha256', 'sha512'].map((name) => createHash(name).update(piece).digest().subarray(0, 20)),
    ),
  ];
  for (const secret of secrets) {
    for (const bytes of stored) {
      for (const form of [secret, secret.toString('hex'), secret.toString('base64').slice(0, 24)]) {
        expect(bytes.indexOf(form)).toBe(-1);
      }
    }
  }
  // The same search finds all of it in a copy that is not encrypted.
  await backUp({ with: null });
  const plain = await flushed();
  expect(plain.indexOf(data.subarray(0, 32))).toBeGreaterThan(0);
  const [piece] = pieces;
  const hash = createHash('sha256')
    .update(piece ?? data)
    .digest();
  expect(plain.indexOf(hash.subarray(0, 20))).toBeGreaterThan(0);
});

it('the same block is never sealed twice with the same key and nonce', async () => {
  await open();
  fs.writeFileSync(path.join(source, 'data'), randomBytes(8192));
  await backUp();
  const first = await flushed();
  const layout = readBlockLayout(device);
  for (const { position } of layout.records) flipBit(device, position + 40, 0);
  const [only] = fs.readdirSync(storagePath);
  expect((await verify(String(only), null)).status).toBe('suspicious');
  await backUp();
  const second = await flushed();
  const again = readBlockLayout(device).records;
  expect(again.length).toBe(layout.records.length);
  for (const { hash, position, storedBytes } of layout.records) {
    const anew = again.find((record) => record.hash === hash);
    const stored = first.subarray(position + 64, position + 64 + storedBytes);
    const sealed = second.subarray((anew?.position ?? 0) + 64, (anew?.position ?? 0) + 64 + storedBytes);
    expect(sealed.length).toBe(stored.length);
    expect(sealed.equals(stored)).toBe(false);
  }
});

it('another key, or none, is told before any work', async () => {
  await open();
  fs.writeFileSync(path.join(source, 'data'), randomBytes(50_000));
  const { copyId, path: copyPath } = await backUp();
  const out = path.join(folder.path, 'out');
  const to = { storagePath, copyId: randomUUID() };
  const repack = (used: ClientKey | null) =>
    startRepack({
      from: { storagePath, copyId },
      to,
      compression: 'Fast',
      source: store,
      target: null,
      key: used,
    }).result;
  for (const [used, message] of [
    [otherKey, /encrypted with another key .*Put back the right key/],
    [null, /needs its client's key/],
  ] as const) {
    const refusal = { kind: 'permission', message: expect.stringMatching(message) };
    await expect(restore(copyId, out, used)).rejects.toMatchObject(refusal);
    await expect(repack(used)).rejects.toMatchObject(refusal);
    await expect(openManifest(copyPath, used)).rejects.toMatchObject(refusal);
  }
  await expect(verify(copyId, otherKey)).rejects.toMatchObject({ kind: 'permission' });
  await expect(backUp({ with: otherKey, before: copyId })).rejects.toMatchObject({ kind: 'permission' });
  expect(fs.existsSync(out)).toBe(false);
  expect(fs.readdirSync(storagePath)).toEqual([copyId]);
  // Nobody took a good block for damaged.
  expect(await verify(copyId)).toMatchObject(trusted);
});

it('damage is found with the key by its path and without it by its block, and the next backup heals it (case 88)', async () => {
  await open();
  fs.writeFileSync(path.join(source, 'one'), randomBytes(100_000));
  const first = await backUp();
  const spared = path.join(folder.path, 'spared');
  fs.mkdirSync(spared);
  fs.writeFileSync(path.join(spared, 'file'), randomBytes(50_000));
  const other = await backUp({ from: spared });
  const unkeyed = await verify(first.copyId, null);
  expect(unkeyed).toMatchObject({
    status: 'trusted',
    findings: [{ severity: 'warning', item: 'encrypted data' }],
  });
  expect(unkeyed.bytesRead).toBeGreaterThan(100_000);
  const large = (at: number) => {
    const record = readBlockLayout(device)
      .records.filter(({ storedBytes }) => storedBytes > 8192)
      .at(at);
    if (record === undefined) throw new Error('there is no such record');
    return record;
  };
  await store.call('sync', null);
  const { position, hash } = large(3);
  flipBit(device, position + 1000, 2);
  const found = await verify(first.copyId, null);
  expect(found.status).toBe('suspicious');
  expect(found.findings.map(({ item }) => item)).toEqual(['encrypted data', `block ${hash}`]);
  expect(await verify(other.copyId, null)).toMatchObject({ status: 'trusted' });
  const healing = await backUp();
  expect(healing.archiveBytes).toBe(8192 + 33);
  expect(await verify(first.copyId)).toMatchObject(trusted);
  await store.call('sync', null);
  flipBit(device, large(5).position + 1000, 2);
  const keyed = await verify(first.copyId);
  expect(keyed.findings.map(({ item }) => item)).toEqual([path.join(source, 'one')]);
  expect(await verify(other.copyId)).toMatchObject(trusted);
  expect((await backUp()).archiveBytes).toBe(8192 + 33);
  expect(await verify(first.copyId)).toMatchObject(trusted);
});

it('a record that was changed together with its check sum is found with the key, and healed', async () => {
  await open();
  fs.writeFileSync(path.join(source, 'one'), randomBytes(30_000));
  const first = await backUp();
  await store.call('sync', null);
  const record = readBlockLayout(device).records.find(({ storedBytes }) => storedBytes > 8192);
  if (record === undefined) throw new Error('there is no such record');
  flipBit(device, record.position + 2000, 1);
  const bytes = fs.readFileSync(device);
  const seed = crc32(bytes.subarray(16, 32));
  const whole = bytes.subarray(record.position, record.position + 64 + record.storedBytes);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(whole.subarray(32), crc32(whole.subarray(0, 28), seed)));
  const fd = fs.openSync(device, 'r+');
  fs.writeSync(fd, sum, 0, 4, record.position + 28);
  fs.closeSync(fd);
  expect(await verify(first.copyId, null)).toMatchObject({ status: 'trusted' });
  const found = await verify(first.copyId);
  expect(found.findings.map(({ item }) => item)).toEqual([path.join(source, 'one')]);
  expect((await backUp()).archiveBytes).toBe(8192 + 33);
  expect(await verify(first.copyId)).toMatchObject(trusted);
});

it('cleaning needs no key, keeps what encrypted copies have, and frees nothing when their lists are damaged', async () => {
  await open();
  fs.writeFileSync(path.join(source, 'kept'), randomBytes(2 * mib));
  const kept = await backUp();
  fs.writeFileSync(path.join(source, 'own'), randomBytes(12 * mib));
  const going = await backUp();
  const copyPaths = async () => fs.readdirSync(storagePath).map((name) => path.join(storagePath, name));
  const clean = () => startCleaning({ store, copyPaths }).result;
  expect(await readStoreId(kept.path)).toBe(store.facts.storeId);
  expect(await clean()).toMatchObject({ copies: 2, freedBytes: 0, missingBlocks: 0 });
  const names = path.join(going.path, 'blocks.ndjson');
  const written = fs.readFileSync(names);
  for (const wrong of [
    written.subarray(0, -100),
    Buffer.concat([written.subarray(0, 5000), written.subarray(5045)]),
  ]) {
    fs.writeFileSync(names, wrong);
    await expect(clean()).rejects.toThrow(/Nothing was cleaned/);
    const { status, findings } = await verify(going.copyId);
    expect([status, findings.map(({ item }) => item)]).toEqual(['suspicious', ['blocks.ndjson']]);
  }
  fs.rmSync(going.path, { recursive: true });
  const cleaned = await clean();
  expect(cleaned).toMatchObject({ copies: 1, missingBlocks: 0, damagedBlocks: 0 });
  expect(cleaned.freedBytes).toBeGreaterThan(9 * mib);
  expect(await verify(kept.copyId)).toMatchObject(trusted);
});

it('a copy after another one reads only what changed', async () => {
  await open();
  for (const name of ['one', 'two']) fs.writeFileSync(path.join(source, name), randomBytes(100_000));
  // The change times cannot be set, only waited for.
  await expect
    .poll(() => Date.now() - fs.lstatSync(path.join(source, 'two')).ctimeMs, { timeout: 5000 })
    .toBeGreaterThan(1500);
  const first = await backUp();
  fs.writeFileSync(path.join(source, 'two'), 'changed');
  const second = await backUp({ before: first.copyId });
  expect(second.reuse).toMatchObject({ files: 1, bytes: 100_000 });
  expect(second.archiveBytes).toBeLessThan(10_000);
  expect(await verify(second.copyId)).toMatchObject(trusted);
});

it('a copy goes from an archive to blocks and back, and stays encrypted', async () => {
  await open(usual, 128);
  const awkward = path.join(folder.path, 'awkward');
  buildAwkwardTree(awkward);
  const ids = [randomUUID(), randomUUID(), randomUUID()] as const;
  const place = (index: 0 | 1 | 2) => ({ storagePath, copyId: ids[index] });
  await startBackup({ source: awkward, ...place(0), compression: 'Fast', key }).result;
  const direct = await backUp({ from: awkward });
  expect(direct.archiveBytes).toBeGreaterThan(1000);
  const there = {
    from: place(0),
    to: place(1),
    compression: 'Optimal',
    source: null,
    target: store,
    key,
  } as const;
  expect((await startRepack(there).result).archiveBytes).toBe(0);
  expect(await verify(ids[1])).toMatchObject(trusted);
  const back = {
    from: place(1),
    to: place(2),
    compression: 'Fast',
    source: store,
    target: null,
    key,
  } as const;
  const { path: backPath } = await startRepack(back).result;
  expect(await startVerify({ ...place(2), key }).result).toMatchObject(trusted);
  expect(fs.readdirSync(backPath).toSorted()).toEqual([
    'archive.tar.lz4.sealed',
    'key.json',
    'manifest.ndjson.zst.sealed',
    'sums.ndjson',
  ]);
  const out = path.join(folder.path, 'out');
  expect((await restore(ids[1], out)).problems).toEqual([]);
  expect(compareTrees(awkward, path.join(out, 'awkward'))).toEqual([]);
}, 60_000);

it('age is refused with the reason before anything is written', async () => {
  await open();
  fs.writeFileSync(path.join(source, 'data'), 'data');
  const age = await keyNamed('client', 'age');
  const refusal = { kind: 'permanent', message: expect.stringMatching(/age .*Use aes-256-gcm/) };
  await expect(backUp({ with: age })).rejects.toMatchObject(refusal);
  expect(fs.readdirSync(storagePath)).toEqual([]);
  const copyId = randomUUID();
  await startBackup({ source, storagePath, copyId, compression: 'Fast', key: age }).result;
  const from = { storagePath, copyId };
  const to = { storagePath, copyId: randomUUID() };
  const job = startRepack({ from, to, compression: 'Fast', source: null, target: store, key: age });
  await expect(job.result).rejects.toMatchObject(refusal);
  expect(fs.readdirSync(storagePath)).toEqual([copyId]);
});
