import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startBackup } from '../../../backend/engine/index.ts';
import { giveBackShared, takeShared } from '../../../backend/engine/job/kept-memory.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
beforeEach(async () => {
  folder = await makeTempDir('kept-memory');
});
afterEach(() => folder.remove());

it('memory that was given back is used again, with its beginning cleared; other memory is left alone', () => {
  const first = takeShared(4096, 16);
  new Uint8Array(first).fill(7);
  const second = takeShared(4096, 16);
  expect(second).not.toBe(first);
  giveBackShared(first);
  // Twice is once, and what comes from elsewhere does not come in.
  giveBackShared(first);
  giveBackShared(new SharedArrayBuffer(4096));
  expect(takeShared(8192, 16)).not.toBe(first);
  const again = takeShared(4096, 16);
  expect(again).toBe(first);
  expect([...new Uint8Array(again, 0, 17)]).toEqual([...Array.from({ length: 16 }, () => 0), 7]);
  expect(takeShared(4096, 16)).not.toBe(first);
});

it('no more is kept of each size than a few jobs at once need', () => {
  const sizes = Array.from({ length: 6 }, () => [12_345, 54_321]).flat();
  const taken = sizes.map((bytes) => takeShared(bytes, 0));
  for (const memory of taken) giveBackShared(memory);
  const again = sizes.map((bytes) => takeShared(bytes, 0)).filter((memory) => taken.includes(memory));
  expect(again.map(({ byteLength }) => byteLength).sort()).toEqual([
    ...Array.from({ length: 4 }, () => 12_345),
    ...Array.from({ length: 4 }, () => 54_321),
  ]);
});

it('jobs that follow each other share memory, so that many small ones do not make a process large', async () => {
  const source = join(folder.path, 'source');
  const storagePath = join(folder.path, 'pool');
  for (const path of [source, storagePath]) await mkdir(path);
  await writeFile(join(source, 'letter.txt'), 'x'.repeat(10_000));
  const backUp = (number: number) =>
    startBackup({
      source,
      storagePath,
      copyId: `copy-${number}`,
      compression: 'Optimal',
      key: null,
      blocks: null,
      base: null,
    }).result;
  await backUp(0);
  const before = process.memoryUsage().arrayBuffers;
  for (let number = 1; number <= 12; number += 1) await backUp(number);
  // One job has some megabytes.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1_048_576);
});
