import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EngineJob, startBackup, startRestore } from '../../../backend/engine/index.ts';
import { Control, Throttle } from '../../../backend/engine/job/control.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

const mib = 1_048_576;
let fixture: Fixture;
let source: string;
let copy: Copy;

beforeAll(async () => {
  fixture = await makeFixture('throttle');
  source = path.join(fixture.folder, 'source');
  await mkdir(source);
  await writeFile(path.join(source, 'big'), randomBytes(2 * mib));
  for (let file = 0; file < 64; file += 1) {
    await writeFile(path.join(source, `small-${file}`), randomBytes(mib / 64));
  }
  copy = await fixture.backUp(source, 'None');
});
afterAll(() => fixture.remove());

const backUp = (copyId: string = randomUUID()) =>
  startBackup({ source, storagePath: fixture.storagePath, copyId, compression: 'None' });
const restore = (name: string) =>
  startRestore({
    storagePath: fixture.storagePath,
    copyId: copy.copyId,
    destination: path.join(fixture.folder, name),
    onExisting: 'replace',
    forbidden: [fixture.storagePath],
  });

const work: readonly (readonly [string, () => EngineJob<unknown>])[] = [
  ['a backup', () => backUp()],
  ['a restore', () => restore(`out-${randomUUID()}`)],
];
const until = async (isIt: () => boolean) => {
  while (!isIt()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe.each(work)('%s with a limit', (_name, start) => {
  it('of 1 MiB a second takes more than two seconds for 3 MiB', async () => {
    const begun = performance.now();
    const job = start();
    job.setLimit(mib);
    await job.result;
    expect(performance.now() - begun).toBeGreaterThan(2000);
  });

  it('that is lifted while it runs goes on at full speed', async () => {
    const job = start();
    // Hours, if it were to stay.
    job.setLimit(100);
    await until(() => job.progress().bytesDone > 0 || job.progress().filesTotal !== null);
    job.setLimit(0);
    await job.result;
  });

  it('can be given a limit while it runs', async () => {
    const job = start();
    job.setLimit(mib);
    await until(() => job.progress().transferredBytes > 0);
    job.setLimit(1);
    const { transferredBytes } = job.progress();
    await new Promise((resolve) => setTimeout(resolve, 300));
    // A piece or two may have been on their way.
    expect(job.progress().transferredBytes - transferredBytes).toBeLessThanOrEqual(2 * mib);
    job.stop();
    await expect(job.result).rejects.toMatchObject({ kind: 'cancelled' });
  });

  it('is stopped at once, from a pause too, though the next byte is not due for hours', async () => {
    for (const isPaused of [false, true]) {
      const job = start();
      job.setLimit(1);
      await until(() => job.progress().filesTotal !== null);
      if (isPaused) job.pause();
      job.stop();
      await expect(job.result).rejects.toMatchObject({ kind: 'cancelled' });
    }
    expect((await readdir(fixture.storagePath)).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });
});

it('the progress of a slow backup is what was let through, and not what was read ahead', async () => {
  const frameBytes = 131_072;
  const job = startBackup({
    source,
    storagePath: fixture.storagePath,
    copyId: randomUUID(),
    compression: 'None',
    frameBytes,
  });
  job.setLimit(mib / 2);
  const seen: number[] = [];
  await until(() => {
    const { bytesDone, transferredBytes } = job.progress();
    seen.push(bytesDone);
    // Only the frame that is being filled is ahead; the buffers hold half a dozen of them.
    expect(bytesDone - transferredBytes).toBeLessThanOrEqual(frameBytes + 65_536);
    return transferredBytes > mib / 2;
  });
  expect(seen.every((bytes, at) => bytes >= (seen[at - 1] ?? 0))).toBe(true);
  expect(seen.at(-1)).toBeGreaterThan(mib / 4);
  job.setLimit(0);
  await job.result;
  expect(job.progress().bytesDone).toBe(3 * mib);
});

describe('a throttle', () => {
  it('sleeps instead of turning round', () => {
    const control = Control.create();
    control.set('limit', 1000);
    const throttle = new Throttle(control);
    const cpuBefore = process.threadCpuUsage();
    const begun = performance.now();
    throttle.spend(1000);
    expect(performance.now() - begun).toBeGreaterThan(700);
    const { user, system } = process.threadCpuUsage(cpuBefore);
    expect((user + system) / 1000).toBeLessThan(100);
  });

  it('saves up no more than a moment of what was not used', async () => {
    const control = Control.create();
    control.set('limit', 2000);
    const throttle = new Throttle(control);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    const begun = performance.now();
    throttle.spend(2000);
    expect(performance.now() - begun).toBeGreaterThan(700);
  });

  it('lets everything pass without a limit, at once', () => {
    const throttle = new Throttle(Control.create());
    for (let piece = 0; piece < 1000; piece += 1) throttle.spend(2 ** 40);
  });
});

describe('what was slowed down', () => {
  it('is whole', async () => {
    const copyId = randomUUID();
    const job = backUp(copyId);
    job.setLimit(4 * mib);
    await job.result;
    expect((await fixture.verify({ ...copy, copyId })).status).toBe('trusted');
    const back = restore('whole');
    back.setLimit(4 * mib);
    await back.result;
    for (const name of ['big', 'small-7']) {
      const restored = await readFile(path.join(fixture.folder, 'whole', 'source', name));
      expect(restored.equals(await readFile(path.join(source, name)))).toBe(true);
    }
  });
});
