import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placeCopy } from '../../../backend/features/tasks/placement-rules.ts';
import type { Pool } from '../../../contract/pools/pool.ts';
import type { Storage } from '../../../contract/storages/storage.ts';
import type { TestApp } from '../../support/backend.ts';
import { type BackupLab, openBackupLab } from '../../support/backup-lab.ts';
import type { Queue } from '../../support/queue.ts';

let lab: BackupLab;
let app: TestApp;
let queue: Queue;
let folder: BackupLab['folder'];
let source: string;

beforeEach(async () => {
  lab = await openBackupLab('placing-copies');
  ({ app, queue, folder, source } = lab);
});
afterEach(() => lab.close());

const configure = (values: object) => queue.good('PATCH', '/global_configuration', values);
const place = async (name: string): Promise<string> => {
  await mkdir(join(folder.path, name));
  return join(folder.path, name);
};
const addStorage = async (pool: string, path: string) =>
  queue.good('POST', '/storage_local_catalogs', { path, pool });
/** Folder of the storage that took the copy. */
const storageOf = async (taskId: number) => {
  const task = await queue.ended(taskId);
  return (await queue.copy(Number(task.repository_id))).storage;
};
const warnings = async (id: number) =>
  (await queue.log(id, 'servers')).filter((line) => line.level === 'warning').map((line) => line.message);

describe('data_spred_into_pool', () => {
  it('fills the storages one after the other, or in turn', async () => {
    await queue.addPool('P', await place('one'));
    await addStorage('P', await place('two'));
    const taken = async () => {
      const storages: (string | null)[] = [];
      for (let round = 0; round < 2; round += 1) {
        storages.push(await storageOf(await queue.backup(source, { pool: 'P' })));
      }
      return storages;
    };
    const [one, two] = [join(folder.path, 'one'), join(folder.path, 'two')];
    await configure({ data_spred_into_pool: 'sequential' });
    expect(await taken()).toEqual([one, one]);
    await configure({ data_spred_into_pool: null });
    expect(await taken()).toEqual([two, two]);
    expect(await taken()).toEqual([one, two]);
  });

  it('takes the storage with the most room', () => {
    const storage = (id: number, freeBytes: number) => ({
      id,
      path: `/${id}`,
      freeBytes,
      totalBytes: 2 ** 40,
      copies: 0,
    });
    const wishes = {
      spread: 'most_free',
      ignoresFreeSpace: false,
      reservePercent: 0,
      neededBytes: 0,
    } as const;
    const chosen = placeCopy('P', [storage(1, 2 ** 30), storage(2, 2 ** 33), storage(3, 2 ** 32)], wishes);
    expect(chosen).toMatchObject({ kind: 'storage', storage: { id: 2 } });
  });
});

describe('pool_storage_capacity_reserve', () => {
  const storage = (id: number, freeBytes: number) => ({
    id,
    path: `/${id}`,
    freeBytes,
    totalBytes: 2 ** 30,
    copies: id,
  });
  const choose = (reservePercent: number) =>
    placeCopy('P', [storage(1, 2 ** 25), storage(2, 2 ** 29)], {
      spread: 'round_robin',
      ignoresFreeSpace: false,
      reservePercent,
      neededBytes: 0,
    });

  it('leaves a storage with less free space to the last, and says when it must be taken', () => {
    expect(choose(0)).toMatchObject({ storage: { id: 1 }, isReserveUsed: false });
    expect(choose(10)).toMatchObject({ storage: { id: 2 }, isReserveUsed: false });
    expect(choose(90)).toMatchObject({ storage: { id: 1 }, isReserveUsed: true });
  });

  it('stands as a warning in the log of a task that eats into it', async () => {
    const { blocks, bavail } = await statfs(folder.path);
    const isBelow = bavail / blocks < 0.99;
    await configure({ pool_storage_capacity_reserve: 99 });
    const first = await queue.backup(source);
    await queue.ended(first);
    expect((await warnings(first)).some((line) => line.includes('99 %'))).toBe(isBelow);
    await configure({ pool_storage_capacity_reserve: 0 });
    const second = await queue.backup(source);
    await queue.ended(second);
    expect(await warnings(second)).toEqual([]);
  });
});

describe('emergency_storage_local_catalog', () => {
  const storagesOf = async (pool: string) =>
    (await queue.good<Storage[]>('GET', '/storage_local_catalogs')).filter((row) => row.pool === pool);

  it('takes the copy of a pool without a free storage, as a storage of that pool', async () => {
    const emergency = await place('emergency');
    await configure({ emergency_storage_local_catalog: emergency });
    await queue.addPool('P', await place('far'));
    await rm(join(folder.path, 'far'), { recursive: true });
    const id = await queue.backup(source, { pool: 'P' });
    const [pool] = await queue.good<Pool[]>('GET', '/pools?pool_name=P');
    const path = join(emergency, `pool-${pool?.id}`);
    expect(await storageOf(id)).toBe(path);
    expect(await storagesOf('P')).toHaveLength(2);
    expect((await storagesOf('P'))[1]).toMatchObject({
      path,
      description: expect.stringContaining('Emergency'),
    });
    expect(await warnings(id)).toEqual([expect.stringMatching(/can be reached.*emergency storage/)]);
    // The copy is as good as any other.
    const [copy] = await queue.copies();
    expect((await queue.ended(await queue.verify(copy?.id ?? 0))).status).toBe('done');
    // The next one goes there too, into the same storage; once the pool has its own again, it goes home.
    expect(await storageOf(await queue.backup(source, { pool: 'P' }))).toBe(path);
    await mkdir(join(folder.path, 'far'));
    expect(await storageOf(await queue.backup(source, { pool: 'P' }))).toBe(join(folder.path, 'far'));
    expect(await storagesOf('P')).toHaveLength(2);
  });

  it('helps a pool that has no storage at all; two pools do not share their folder', async () => {
    const emergency = await place('emergency');
    await configure({ emergency_storage_local_catalog: emergency });
    const [server] = await queue.good<{ name: string }[]>('GET', '/media_servers');
    for (const pool_name of ['P', 'Q']) {
      await queue.good('POST', '/pools', { pool_name, pool_type: 'File system', media_server: server?.name });
    }
    const [p, q] = [await queue.backup(source, { pool: 'P' }), await queue.backup(source, { pool: 'Q' })];
    expect(await storageOf(p)).not.toBe(await storageOf(q));
    expect(await readdir(emergency)).toHaveLength(2);
  });

  it('is never made by the server: without the folder the task waits for its pool', async () => {
    await queue.addPool('P', await place('far'));
    await rm(join(folder.path, 'far'), { recursive: true });
    const task = await queue.until(
      await queue.backup(source, { pool: 'P' }),
      (now) => now.status === 'suspended',
    );
    expect(task.suspend_reason).toBe('resource');
    expect(existsSync(join(app.dataDir, 'emergency'))).toBe(false);
    expect(await storagesOf('P')).toHaveLength(1);
  });
});
