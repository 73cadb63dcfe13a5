import { readFile, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../backend/platform/log.ts';
import type { BlockDevice } from '../../../contract/block-devices/block-device.ts';
import type { Pool } from '../../../contract/pools/pool.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { makeSparseFile } from '../../support/loop-device.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { rowsOf } from '../features/rows.ts';

const path = '/storage_block_devices';
const mebi = 1024 * 1024;
let app: TestApp;
let superuser: Session;
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let file: string;
let logged: string[];

beforeEach(async () => {
  logged = [];
  const log = createLog({ sinks: [(line) => logged.push(line)], now: () => 0 });
  app = await startTestApp({ started: true, log });
  superuser = await app.loginAs('superuser');
  folder = await makeTempDir('devices');
  file = join(folder.path, 'blocks.img');
  await makeSparseFile(file, 8 * mebi);
  await makePool('Blocks');
});
afterEach(async () => {
  await app.close();
  await folder.remove();
});

const makePool = async (name: string): Promise<number> => {
  const answer = await superuser.send('POST', '/pools', {
    pool_name: name,
    pool_type: 'Block device',
    media_server: hostname(),
    meta_data_pool: 'Default',
  });
  expect(answer.body.errors).toEqual({});
  return answer.data<{ id: number }>().id;
};
const draft = (more: Record<string, unknown> = {}) => ({
  device: file,
  pool: 'Blocks',
  overwrite_file_system: false,
  ...more,
});
const create = (more: Record<string, unknown> = {}) => superuser.send('POST', path, { data: draft(more) });
const added = async (more: Record<string, unknown> = {}): Promise<number> => {
  const answer = await create(more);
  expect(answer.body).toMatchObject({ errors: {}, is_error: false });
  expect(answer.status).toBe(201);
  return answer.data<{ id: number }>().id;
};
const get = async (id: number) => (await superuser.send('GET', `${path}/${id}`)).data<BlockDevice>();

describe('adding a block device', () => {
  it('takes an empty plain file, with a warning in the log, and answers the record', async () => {
    const id = await added({ description: 'first' });
    expect(await get(id)).toEqual({
      id,
      device: file,
      pool: 'Blocks',
      media_server: hostname(),
      description: 'first',
      parallel_workers: 8,
      size: 8 * mebi,
      used: 0,
      hash_table_size: 0,
      status: 'Online',
    });
    expect(logged.filter((line) => line.includes('plain file')).join()).toContain(file);
    expect((await superuser.send('GET', path)).data<BlockDevice[]>().map((one) => one.id)).toEqual([id]);
  });

  it('takes a flat body too, and leaves the device as it is', async () => {
    expect((await superuser.send('POST', path, draft({ description: null }))).status).toBe(201);
    expect((await readFile(file)).every((byte) => byte === 0)).toBe(true);
  });

  it.each([
    ['device', { device: undefined }],
    ['device', { device: 'sdb' }],
    ['device', { device: '' }],
    ['device', { device: 7 }],
    ['device', { device: 'C:\\disk.img' }],
    ['device', { device: '/dev/there-is-none' }],
    ['device', { device: '/dev/null' }],
    ['device', { device: '/tmp' }],
    ['pool', { pool: undefined }],
    ['pool', { pool: 'Nowhere' }],
    ['pool', { pool: 'Default' }],
    ['overwrite_file_system', { overwrite_file_system: undefined }],
    ['overwrite_file_system', { overwrite_file_system: null }],
    ['overwrite_file_system', { overwrite_file_system: 'yes' }],
    ['description', { description: 5 }],
    ['parallel_workers', { parallel_workers: 4 }],
    ['colour', { colour: 'red' }],
  ])('is refused by the field %s: %j', async (field, more) => {
    const answer = await create(more);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, [field]]);
    expect((await superuser.send('GET', path)).data()).toEqual([]);
  });

  it('is refused for a file with content, and allowed when that may go', async () => {
    await writeFile(file, Buffer.alloc(4 * mebi, 'x'));
    const answer = await create();
    expect(answer.status).toBe(400);
    expect(answer.body.errors.device).toContain('overwrite_file_system');
    await added({ overwrite_file_system: true });
  });

  it('is refused for a file that is too small', async () => {
    await makeSparseFile(file, 1000);
    expect((await create()).body.errors.device).toContain('smaller than 1 MiB');
  });

  it('is refused for one that is used already, under any of its names', async () => {
    await added();
    await symlink(file, join(folder.path, 'alias'));
    await makePool('Others');
    for (const device of [file, join(folder.path, 'alias'), `${folder.path}/../${folder.path}/blocks.img`]) {
      const answer = await create({ device, pool: 'Others' });
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, ['device']]);
    }
  });

  it('takes one of two calls at the same time that name one device', async () => {
    await symlink(file, join(folder.path, 'alias'));
    const answers = await Promise.all([create(), create({ device: join(folder.path, 'alias') })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  });

  it('is refused for files among the data of the server and of its storages', async () => {
    const inside = join(app.dataDir, 'blocks.img');
    await makeSparseFile(inside, 8 * mebi);
    expect((await create({ device: inside })).body.errors.device).toContain('data of this server');
    await superuser.send('POST', '/storage_local_catalogs', { data: { path: folder.path } });
    expect((await create()).body.errors.device).toContain(`storage ${folder.path}`);
  });

  it('is refused for a pool of a server whose devices cannot be reached', async () => {
    await rowsOf(app.database.db).mediaServer('far');
    await superuser.send('POST', '/pools', {
      pool_name: 'Meta',
      pool_type: 'File system',
      media_server: 'far',
    });
    const pool = {
      pool_name: 'Far',
      pool_type: 'Block device',
      media_server: 'far',
      meta_data_pool: 'Meta',
    };
    expect((await superuser.send('POST', '/pools', pool)).status).toBe(201);
    expect((await create({ pool: 'Far' })).body.errors.pool).toContain('far');
  });
});

describe('a block device', () => {
  it('is changed field by field; null clears the description and restores the default', async () => {
    const id = await added({ description: 'old' });
    const patch = async (body: unknown) => (await superuser.send('PATCH', `${path}/${id}`, body)).data();
    expect(await patch({ data: { parallel_workers: 64 } })).toMatchObject({
      parallel_workers: 64,
      description: 'old',
    });
    expect(await patch({ description: 'new' })).toMatchObject({ parallel_workers: 64, description: 'new' });
    expect(await patch({ description: null, parallel_workers: null })).toMatchObject({
      parallel_workers: 8,
      description: null,
    });
  });

  it.each([
    ['parallel_workers', 0],
    ['parallel_workers', 65],
    ['parallel_workers', 1.5],
    ['parallel_workers', '8'],
    ['description', 3],
    ['device', '/dev/sdb'],
  ])('refuses the change of %s to %j', async (field, value) => {
    const id = await added();
    const answer = await superuser.send('PATCH', `${path}/${id}`, { data: { [field]: value } });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, [field]]);
  });

  it('is offline while its file is gone, and keeps its size', async () => {
    const id = await added();
    const stored = await readFile(file);
    await folder.remove();
    expect(await get(id)).toMatchObject({ status: 'Offline', size: stored.length });
  });

  it('counts in its pool, which stays as long as it has one', async () => {
    const id = await added();
    const pools = (await superuser.send('GET', '/pools?pool_name=Blocks')).data<Pool[]>();
    expect(pools[0]).toMatchObject({ storages_count: 1, total_space: 8 * mebi, free_space: 8 * mebi });
    const poolId = pools[0]?.id;
    const refused = await superuser.send('DELETE', '/pools', { ids: [poolId] });
    expect(refused.status).toBe(207);
    expect(JSON.stringify(refused.data())).toContain('has 1 storage');
    await superuser.send('DELETE', `${path}/${id}`);
    expect((await superuser.send('DELETE', '/pools', { ids: [poolId] })).status).toBe(204);
  });

  it('is removed alone or with others, all or nothing; its content stays', async () => {
    const first = await added();
    const other = join(folder.path, 'other.img');
    await makeSparseFile(other, 2 * mebi);
    const second = await added({ device: other });
    const missing = await superuser.send('DELETE', path, { ids: [first, 999] });
    expect(missing.status).toBe(404);
    const both = await superuser.send('DELETE', path, { ids: [first, second, first] });
    expect([both.status, both.data()]).toEqual([200, { ids: [first, second] }]);
    expect((await readFile(file)).length).toBe(8 * mebi);
    const again = await added();
    const one = await superuser.send('DELETE', `${path}/${again}`);
    expect([one.status, one.data()]).toEqual([200, { ids: [again] }]);
  });

  it('stays while it holds blocks or a task may write to it', async () => {
    const id = await added();
    const { db } = app.database;
    await db.updateTable('block_devices').set({ used: 512 }).execute();
    const holding = await superuser.send('DELETE', `${path}/${id}`);
    expect([holding.status, holding.body.errors.ids]).toEqual([400, expect.stringContaining('512 bytes')]);
    await db.updateTable('block_devices').set({ used: 0 }).execute();
    const pool = (await superuser.send('GET', '/pools?pool_name=Blocks')).data<Pool[]>()[0];
    await rowsOf(db).task({ status: 'execution', poolId: pool?.id ?? 0 });
    expect((await superuser.send('DELETE', `${path}/${id}`)).status).toBe(400);
  });

  it('that does not exist is a 404 everywhere', async () => {
    expect((await superuser.send('GET', `${path}/77`)).status).toBe(404);
    expect((await superuser.send('PATCH', `${path}/77`, { description: 'x' })).status).toBe(404);
    expect((await superuser.send('DELETE', `${path}/77`)).status).toBe(404);
  });

  it('is changed by those who keep the infrastructure and read by all', async () => {
    const id = await added();
    for (const role of ['administrator', 'auditor'] as const) {
      const user = await app.loginAs(role);
      expect((await user.send('GET', path)).status).toBe(200);
      expect((await user.send('POST', path, {})).status).toBe(403);
      expect((await user.send('PATCH', `${path}/${id}`, {})).status).toBe(403);
      expect((await user.send('DELETE', `${path}/${id}`)).status).toBe(403);
    }
    const maintainer = await app.loginAs('maintainer');
    expect((await maintainer.send('DELETE', `${path}/${id}`)).status).toBe(200);
  });
});
