import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import {
  ensureClientKey,
  startBackup,
  startProof,
  startRestore,
  startTransfer,
  startVerify,
} from '../../../backend/engine/index.ts';
import { FRAME_BYTES } from '../../../backend/engine/job/ring.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

let fixture: Fixture;
let source: string;
let target: string;

beforeEach(async () => {
  fixture = await makeFixture('transfer');
  source = path.join(fixture.folder, 'source');
  target = path.join(fixture.folder, 'elsewhere');
  fs.mkdirSync(path.join(source, 'sub'), { recursive: true });
  fs.mkdirSync(target);
  fs.writeFileSync(path.join(source, 'sub', 'empty'), '');
  fs.writeFileSync(path.join(source, 'random'), randomBytes(3_000_000));
});
afterEach(() => fixture.remove());

const begin = (copy: Copy, copyId: string = randomUUID()) => {
  const to = { storagePath: target, copyId };
  return { to, job: startTransfer({ from: { storagePath: fixture.storagePath, copyId: copy.copyId }, to }) };
};
const inTarget = () => fs.readdirSync(target);

test.each(['None', 'Fast', 'Best'] as const)(
  'a copy with compression %s is the same in every byte at its new place, and restores from there alone',
  async (compression) => {
    const copy = await fixture.backUp(source, compression);
    const { to, job } = begin(copy);
    const { bytes } = await job.result;
    expect(inTarget()).toEqual([`${to.copyId}.partial`]);
    expect(job.progress()).toMatchObject({ bytesDone: bytes, bytesTotal: bytes, transferredBytes: bytes });
    const proved = await startProof(to).result;
    expect(proved.path).toBe(path.join(target, to.copyId));
    expect(inTarget()).toEqual([to.copyId]);
    const differences = compareTrees(copy.path, proved.path);
    expect(differences.filter((line) => !line.includes(': mtime is'))).toEqual([]);
    expect((await startVerify(to).result).status).toBe('trusted');
    fs.rmSync(fixture.storagePath, { recursive: true });
    const destination = path.join(fixture.folder, 'out');
    await startRestore({ ...to, destination, onExisting: 'replace', forbidden: [] }).result;
    expect(compareTrees(source, path.join(destination, 'source'))).toEqual([]);
  },
);

test.each(['archive', 'file list'])(
  'a copy whose %s changed on the way or before gets no name, and the source stays',
  async (what) => {
    const copy = await fixture.backUp(source);
    const { to, job } = begin(copy);
    await job.result;
    const folder = path.join(target, inTarget()[0] ?? '');
    const name = fs.readdirSync(folder).find((file) => (file === copy.archiveFile) === (what === 'archive'));
    const fd = fs.openSync(path.join(folder, name ?? ''), 'r+');
    const byte = Buffer.alloc(1);
    fs.readSync(fd, byte, 0, 1, 100);
    fs.writeSync(fd, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, 100);
    fs.closeSync(fd);
    await expect(startProof(to).result).rejects.toMatchObject({ kind: 'corrupt' });
    expect(inTarget()).toEqual([]);
    expect((await fixture.verify(copy)).status).toBe('trusted');
  },
);

test('paused it stands still, continued it comes to its end', async () => {
  const copy = await fixture.backUp(source, 'None');
  const { job } = begin(copy);
  job.setLimit(4_000_000);
  while (job.progress().bytesDone === 0) await setImmediate();
  job.pause();
  const paused = new Promise((resolve) => setTimeout(resolve, 300));
  await expect(Promise.race([job.result, paused])).resolves.toBeUndefined();
  job.setLimit(0);
  job.resume();
  expect((await job.result).bytes).toBeGreaterThan(3_000_000);
});

test('stopped it leaves nothing', async () => {
  const copy = await fixture.backUp(source, 'None');
  const { job } = begin(copy);
  job.setLimit(1000);
  while (inTarget().length === 0) await setImmediate();
  job.stop();
  await expect(job.result).rejects.toMatchObject({ kind: 'cancelled' });
  expect(inTarget()).toEqual([]);
  const second = begin(copy);
  await second.job.result;
  const proof = startProof(second.to);
  proof.stop();
  await expect(proof.result).rejects.toMatchObject({ kind: 'cancelled' });
  expect(inTarget()).toEqual([]);
});

describe('cut off in the middle', () => {
  /** Stopped when about half of it has arrived; what the folder holds then. */
  const cutOff = async (from: Copy) => {
    const to = { storagePath: target, copyId: randomUUID() };
    const request = {
      from: { storagePath: fixture.storagePath, copyId: from.copyId },
      to,
      isResumable: true,
    };
    const job = startTransfer(request);
    job.setLimit(12_000_000);
    while (job.progress().transferredBytes < 10_000_000) await setImmediate();
    job.stop();
    await expect(job.result).rejects.toMatchObject({ kind: 'cancelled' });
    return { to, request, folder: path.join(target, `${to.copyId}.partial`) };
  };
  const sizes = (folder: string) =>
    new Map(fs.readdirSync(folder).map((name) => [name, fs.statSync(path.join(folder, name)).size]));

  it.each([null, 'aes-256-gcm', 'age'] as const)(
    'it goes on with what has arrived and is right, with encryption %s (case 85)',
    async (cipher) => {
      fs.writeFileSync(path.join(source, 'more'), randomBytes(20_000_000));
      const keyFile = path.join(fixture.folder, 'key');
      const key = cipher === null ? null : (await ensureClientKey(keyFile, cipher)).key;
      const copyId = randomUUID();
      const made = { source, storagePath: fixture.storagePath, copyId, compression: 'None', key } as const;
      const copy = { ...(await startBackup(made).result), copyId };
      const { to, request, folder } = await cutOff(copy);
      const archive = [...sizes(folder).keys()].find((name) => name.startsWith('archive.')) ?? '';
      const arrived = sizes(folder).get(archive) ?? 0;
      expect(arrived).toBeGreaterThan(1_000_000);
      const whole = [...sizes(copy.path).values()].reduce((sum, size) => sum + size, 0);
      // Of the source only what is missing is read: none of what was sent before could be.
      const fd = fs.openSync(path.join(copy.path, archive), 'r+');
      const original = Buffer.alloc(1_000_000);
      fs.readSync(fd, original, 0, original.length, 0);
      fs.writeSync(fd, Buffer.alloc(original.length), 0, original.length, 0);
      const job = startTransfer(request);
      const { bytes, sentBytes } = await job.result;
      fs.writeSync(fd, original, 0, original.length, 0);
      fs.closeSync(fd);
      expect(bytes).toBe(whole);
      expect(job.progress()).toMatchObject({ bytesDone: whole, transferredBytes: sentBytes });
      // No more than the frame, or the piece of the sums, that was not whole.
      expect(sentBytes).toBeLessThanOrEqual(whole - arrived + FRAME_BYTES);
      expect(sentBytes).toBeGreaterThan(0);
      const proved = await startProof(to).result;
      expect((await startVerify({ ...to, key }).result).status).toBe('trusted');
      const differences = compareTrees(copy.path, proved.path);
      expect(differences.filter((line) => !line.includes(': mtime is'))).toEqual([]);
    },
  );

  it('what has arrived wrong is sent again from there on, what does not belong there goes', async () => {
    fs.writeFileSync(path.join(source, 'more'), randomBytes(9_000_000));
    const copy = await fixture.backUp(source, 'None');
    const { to, request, folder } = await cutOff(copy);
    const job = startTransfer(request);
    await job.result;
    const fd = fs.openSync(path.join(folder, copy.archiveFile), 'r+');
    fs.writeSync(fd, Buffer.from('wrong'), 0, 5, 12_000_000);
    fs.closeSync(fd);
    fs.writeFileSync(path.join(folder, 'stray'), 'no file of the copy');
    const { bytes, sentBytes } = await startTransfer(request).result;
    const size = fs.statSync(path.join(copy.path, copy.archiveFile)).size;
    expect(sentBytes).toBe(size - FRAME_BYTES);
    expect(sentBytes).toBeLessThan(bytes);
    await startProof(to).result;
    expect((await startVerify(to).result).status).toBe('trusted');
  });

  it('one that has its name already, since only the row was missing, is proved again and not sent', async () => {
    const copy = await fixture.backUp(source);
    const to = { storagePath: target, copyId: randomUUID() };
    const request = {
      from: { storagePath: fixture.storagePath, copyId: copy.copyId },
      to,
      isResumable: true,
    };
    await startTransfer(request).result;
    await startProof(to).result;
    expect(await startTransfer(request).result).toMatchObject({ sentBytes: 0 });
    await startProof(to).result;
    expect(inTarget()).toEqual([to.copyId]);
  });
});

test('what cannot be is told, and nothing is left', async () => {
  const copy = await fixture.backUp(source);
  fs.rmSync(target, { recursive: true });
  await expect(begin(copy).job.result).rejects.toMatchObject({ kind: 'notFound' });
  fs.mkdirSync(target);
  fs.symlinkSync('/etc/passwd', path.join(copy.path, 'link'));
  await expect(begin(copy).job.result).rejects.toMatchObject({ kind: 'corrupt' });
  fs.unlinkSync(path.join(copy.path, 'link'));
  // More than any disk of this host has room for.
  const huge = path.join(copy.path, copy.archiveFile);
  fs.truncateSync(huge, 2 ** 43);
  const refused = begin(copy).job.result;
  await expect(refused).rejects.toMatchObject({ kind: 'noSpace', message: expect.stringMatching(/\d{13}/) });
  fs.rmSync(copy.path, { recursive: true });
  await expect(begin(copy).job.result).rejects.toMatchObject({ kind: 'notFound' });
  expect(inTarget()).toEqual([]);
});

test('a source that shrinks while it is read is no copy', async () => {
  const copy = await fixture.backUp(source, 'None');
  const { to, job } = begin(copy);
  job.setLimit(1_500_000);
  while (job.progress().bytesDone === 0) await setImmediate();
  execFileSync('truncate', ['-s', '1200000', path.join(copy.path, copy.archiveFile)]);
  job.setLimit(0);
  await job.result;
  await expect(startProof(to).result).rejects.toMatchObject({ kind: 'corrupt' });
  expect(inTarget()).toEqual([]);
});
