import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProof, startRestore, startTransfer, startVerify } from '../../../backend/engine/index.ts';
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
