import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { BlockDevice } from '../../contract/block-devices/block-device.ts';
import { type HandClock, handClock, startTestApp, type TestApp } from './backend.ts';
import { compareTrees } from './compare-trees.ts';
import { makeSparseFile } from './loop-device.ts';
import { makeSmallFolder, type Queue, queueOf } from './queue.ts';
import { makeTempDir } from './temp-dir.ts';

export const mib = 1024 * 1024;
export const at = (day: number, hour: number) => new Date(2030, 0, day, hour).getTime();
export const pool = 'Blocks';

export let folder: Awaited<ReturnType<typeof makeTempDir>>;
export let app: TestApp;
export let queue: Queue;
export let clock: HandClock;
export let metadata: string;
export let cleanUps: (() => void)[];

/** Each test of the file has a server of its own, with a pool for metadata and a clock that stands at noon, outside of the service window. */
export function withBlockPools(): void {
  beforeEach(async () => {
    cleanUps = [];
    folder = await makeTempDir('block-pools');
    clock = handClock(at(15, 12));
    await mkdir(join(folder.path, 'data'));
    await start();
    metadata = join(folder.path, 'metadata');
    await mkdir(metadata);
    await queue.addPool('Metadata', metadata);
  });
  afterEach(async () => {
    await app.close();
    for (const cleanUp of cleanUps) cleanUp();
    await folder.remove();
  });
}

export async function start(): Promise<void> {
  app = await startTestApp({ started: true, clock, dataDir: join(folder.path, 'data') });
  await logIn();
}

/** Tokens do not outlive the jumps of the clock. */
export async function logIn(): Promise<void> {
  queue = queueOf((await app.loginAs('superuser')).send);
}

export const addPool = (more: object = {}) =>
  queue.good('POST', '/pools', {
    data: {
      pool_name: pool,
      pool_type: 'Block device',
      media_server: hostname(),
      meta_data_pool: 'Metadata',
      block_size: 65536,
      algorithm: 'blake3',
      hash_length: 256,
      ...more,
    },
  });

export async function addDevice(device: string, overwrites = false): Promise<number> {
  const draft = { device, pool, overwrite_file_system: overwrites };
  return (await queue.good<{ id: number }>('POST', '/storage_block_devices', { data: draft })).id;
}

export async function addFile(megabytes: number, name = 'device.img'): Promise<{ id: number; path: string }> {
  const path = join(folder.path, name);
  await makeSparseFile(path, megabytes * mib);
  return { path, id: await addDevice(path) };
}

export const device = (id: number) => queue.good<BlockDevice>('GET', `/storage_block_devices/${id}`);

export async function backUp(source: string, more: object = {}) {
  const task = await queue.ended(await queue.backup(source, { pool, ...more }));
  expect(task).toMatchObject({ status: 'done', error_message: null });
  return queue.copy(Number(task.repository_id));
}

export async function comesBack(copyId: number, source: string, name: string): Promise<void> {
  const out = join(folder.path, name);
  const task = await queue.ended(await queue.restore(copyId, out));
  expect(task).toMatchObject({ status: 'done', error_message: null });
  expect(compareTrees(source, join(out, source.slice(source.lastIndexOf('/') + 1)))).toEqual([]);
}

export async function verified(copyId: number) {
  await queue.ended(await queue.verify(copyId));
  return queue.copy(copyId);
}

/** In the next service window; ends when the cleaning is noted. */
export async function cleanInWindow(day: number): Promise<void> {
  clock.set(at(day, 3));
  await logIn();
  const lastTime = async () =>
    (await queue.good<{ dedup_clean_last_time: string | null }>('GET', '/global_configuration'))
      .dedup_clean_last_time;
  await expect
    .poll(async () => new Date((await lastTime()) ?? 0).getTime(), { timeout: 20_000 })
    .toBe(at(day, 3));
}

export async function makeTree(name: string): Promise<{ source: string; unique: number }> {
  const source = join(folder.path, name);
  const data = randomBytes(5 * mib + 777);
  await mkdir(join(source, 'again'), { recursive: true });
  for (const file of ['one', 'again/two', 'again/three']) await writeFile(join(source, file), data);
  await writeFile(join(source, 'own'), randomBytes(mib));
  await makeSmallFolder(join(source, 'small'));
  return { source, unique: data.length + mib };
}
