import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unlockCopy } from '../../../backend/engine/crypto/copy-lock.ts';
import {
  type ClientKey,
  ensureClientKey,
  type RepackResult,
  type StoreThread,
  startBackup,
  startRepack,
  startStoreThread,
  startVerify,
} from '../../../backend/engine/index.ts';
import { flipBit } from '../../support/bit-flips.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const mib = 1024 * 1024;
const frameBytes = mib / 4;
const data = randomBytes(4 * mib);

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let store: StoreThread;
let key: ClientKey;
let from: { readonly storagePath: string; readonly copyId: string };
let to: { readonly storagePath: string; readonly copyId: string };
let keyFile: string;

beforeEach(async () => {
  folder = await makeTempDir('encrypted-resume');
  const [source, storagePath, device] = ['source', 'storage', 'device.img'].map((name) =>
    path.join(folder.path, name),
  ) as [string, string, string];
  fs.mkdirSync(source);
  fs.mkdirSync(storagePath);
  fs.writeFileSync(path.join(source, 'data'), data);
  fs.writeFileSync(device, '');
  fs.truncateSync(device, 48 * mib);
  const create = { blockBytes: 65_536, algorithm: 'blake3', hashBits: 256 } as const;
  store = await startStoreThread(device, { indexFile: `${device}.index`, create });
  keyFile = path.join(folder.path, 'client.key');
  key = (await ensureClientKey(keyFile, 'aes-256-gcm')).key;
  from = { storagePath, copyId: randomUUID() };
  to = { storagePath, copyId: randomUUID() };
  await startBackup({ ...from, source, compression: 'None', blocks: store, key }).result;
});
afterEach(async () => {
  await store.close();
  await folder.remove();
});

const partial = () => path.join(to.storagePath, `${to.copyId}.partial`);
const archive = () => path.join(partial(), 'archive.tar.sealed');
const packed = (used: ClientKey = key) =>
  startRepack({
    from,
    to,
    compression: 'None',
    frameBytes,
    source: store,
    target: null,
    key: used,
    isResumable: true,
  });

/** An attempt that is stopped when its archive has so many bytes. */
async function cutOffAt(bytes: number): Promise<void> {
  const job = packed();
  job.setLimit(4 * mib);
  const ended = job.result.then(
    () => 'whole',
    () => 'stopped',
  );
  while (!fs.existsSync(archive()) || fs.statSync(archive()).size < bytes) await setImmediate();
  job.stop();
  expect(await ended).toBe('stopped');
}

/** Sealed frames that the journal names. */
const noted = (): number =>
  fs
    .readFileSync(path.join(partial(), 'frames.begun'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('[')).length;

/** For whoever has the key, for whoever has none, and for the script of the documentation. */
async function isRight({ path: made, sentBytes, archiveBytes, manifestBytes }: RepackResult): Promise<void> {
  const sizes = fs.readdirSync(made).map((name) => fs.statSync(path.join(made, name)).size);
  expect(archiveBytes + manifestBytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
  expect(sentBytes).toBeGreaterThan(0);
  const files = ['archive.tar.sealed', 'key.json', 'manifest.ndjson.zst.sealed', 'sums.ndjson'];
  expect(fs.readdirSync(made).toSorted()).toEqual(files);
  expect(await startVerify({ ...to, key }).result).toMatchObject({ status: 'trusted', findingsTotal: 0 });
  expect(await startVerify({ ...to, key: null }).result).toMatchObject({ status: 'trusted' });
  const program = path.resolve(import.meta.dirname, '../../../docs/open-sealed-copy.mjs');
  const tar = execFileSync(process.execPath, [program, keyFile, made, 'archive'], { maxBuffer: 64 * mib });
  expect(execFileSync('tar', ['-xO'], { input: tar, maxBuffer: 64 * mib }).equals(data)).toBe(true);
}

it('an encrypted archive that was cut off twice is gone on with: each attempt seals with a key of its own, and no frame that is right is made again (cases 85, 101)', async () => {
  await cutOffAt(mib);
  const first = noted();
  expect(first).toBeGreaterThanOrEqual(3);
  // What was being written: bytes of a frame that nobody knows to be there.
  fs.appendFileSync(archive(), randomBytes(70_000));
  await cutOffAt(2 * mib);
  const second = noted();
  expect(second).toBeGreaterThan(first + 1);
  // The last one was not written as it was noted.
  const kept = second - 1;
  flipBit(archive(), kept * (frameBytes + 16) + 100, 3);
  const begun = fs.readFileSync(archive()).subarray(0, kept * (frameBytes + 16));
  const made = await packed().result;
  expect(made.sentBytes).toBe(made.archiveBytes + made.manifestBytes - begun.length);
  const whole = fs.readFileSync(path.join(made.path, 'archive.tar.sealed'));
  expect(whole.subarray(0, begun.length).equals(begun)).toBe(true);
  await isRight(made);
  const lock = JSON.parse(fs.readFileSync(path.join(made.path, 'key.json'), 'utf8'));
  expect(lock.version).toBe(2);
  expect(lock.earlier.map(([end]: readonly unknown[]) => end)).toEqual([first, kept]);
  const secret = await unlockCopy(made.path, key);
  if (secret?.cipher !== 'aes-256-gcm') throw new Error('the copy is not encrypted');
  const keys = [secret.dataKey, ...secret.earlierKeys.map(({ dataKey }) => dataKey)];
  expect(new Set(keys.map((each) => Buffer.from(each).toString('hex'))).size).toBe(3);
  // Anybody who packs it anew finds all of it: nothing in it is new to the store.
  const again = { storagePath: to.storagePath, copyId: randomUUID() };
  const session = await store.call('openSession', null);
  const back = startRepack({ from: to, to: again, compression: 'None', source: null, target: store, key });
  expect((await back.result).archiveBytes).toBe(0);
  await store.call('endSession', session);
}, 30_000);

it('an encrypted archive that was begun is made anew when its journal does not tell what opens it (case 85)', async () => {
  await cutOffAt(mib);
  const file = path.join(partial(), 'frames.begun');
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  fs.writeFileSync(file, lines.filter((line) => !line.startsWith('"')).join('\n'));
  const made = await packed().result;
  expect(made.sentBytes).toBe(made.archiveBytes + made.manifestBytes);
  expect(JSON.parse(fs.readFileSync(path.join(made.path, 'key.json'), 'utf8')).version).toBe(1);
  expect(await startVerify({ ...to, key }).result).toMatchObject({ status: 'trusted', findingsTotal: 0 });
}, 30_000);
