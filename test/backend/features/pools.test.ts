import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Pool, PoolDestination } from '../../../contract/pools/pool.ts';
import type { Storage } from '../../../contract/storages/storage.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { rowsOf } from './rows.ts';

let app: TestApp;
let superuser: Session;
let rows: ReturnType<typeof rowsOf>;
let folder: Awaited<ReturnType<typeof makeTempDir>>;

beforeEach(async () => {
  app = await startTestApp({ started: true });
  rows = rowsOf(app.database.db);
  superuser = await app.loginAs('superuser');
  folder = await makeTempDir('storages');
});
afterEach(async () => {
  await app.close();
  await folder.remove();
});

const draft = (more: Record<string, unknown> = {}) => ({
  pool_name: 'Second',
  pool_type: 'File system',
  media_server: hostname(),
  ...more,
});
const makePool = async (more: Record<string, unknown> = {}): Promise<number> => {
  const answer = await superuser.send('POST', '/pools', draft(more));
  expect(answer.body).toMatchObject({ is_error: false, errors: {}, message: '' });
  expect(answer.status).toBe(201);
  return answer.data<{ id: number }>().id;
};
const getPool = async (id: number) => (await superuser.send('GET', `/pools/${id}`)).data<Pool>();
const makeStorage = async (path: string, more: Record<string, unknown> = {}): Promise<number> => {
  const answer = await superuser.send('POST', '/storage_local_catalogs', { data: { path, ...more } });
  expect(answer.body.errors).toEqual({});
  expect(answer.status).toBe(201);
  return answer.data<{ id: number }>().id;
};

describe('a new server', () => {
  it('has the pool Default with one storage in the data directory', async () => {
    const [pool] = (await superuser.send('GET', '/pools')).data<Pool[]>();
    expect(pool).toMatchObject({
      pool_name: 'Default',
      pool_type: 'File system',
      compression_type: 'None',
      media_server: hostname(),
      storages_count: 1,
      backups_count: 0,
      retention_period: null,
      ignore_free_space_check: false,
    });
    const [storage] = (await superuser.send('GET', '/storage_local_catalogs')).data<Storage[]>();
    const path = join(app.dataDir, 'pools', 'default');
    expect(storage).toMatchObject({ path, pool: 'Default', status: 'Online' });
    expect(storage?.total_space).toBeGreaterThan(0);
    expect([pool?.total_space, pool?.free_space].every((bytes) => (bytes ?? 0) > 0)).toBe(true);
    expect(await readdir(path)).toEqual([]);
  });

  it('is not furnished twice', async () => {
    await superuser.send('DELETE', '/storage_local_catalogs/1');
    await app.built.start();
    expect((await superuser.send('GET', '/pools')).data<Pool[]>()).toHaveLength(1);
    expect((await superuser.send('GET', '/storage_local_catalogs')).data()).toEqual([]);
    expect((await superuser.send('GET', '/media_servers')).data<unknown[]>()).toHaveLength(1);
  });
});

describe('making a pool', () => {
  it('takes every field, flat or wrapped', async () => {
    const id = await makePool({
      compression_type: 'Best',
      description: 'for archives',
      retention_period: '1 years',
      ignore_free_space_check: true,
    });
    expect(await getPool(id)).toMatchObject({
      id,
      pool_name: 'Second',
      compression_type: 'Best',
      description: 'for archives',
      retention_period: '1 year',
      ignore_free_space_check: true,
      storages_count: 0,
      total_space: 0,
    });
    expect((await superuser.send('POST', '/pools', { data: draft({ pool_name: 'Third' }) })).status).toBe(
      201,
    );
  });

  it('ignores unknown fields and parameters of other types, even wrong ones; nothing looks saved (case 133)', async () => {
    const id = await makePool({
      block_size: 'x',
      algorithm: 9,
      hash_length: 1,
      meta_data_pool: 'none',
      colour: 'red',
    });
    expect(await getPool(id)).toMatchObject({
      block_size: null,
      algorithm: null,
      hash_length: null,
      meta_data_pool: null,
    });
    expect(await getPool(id)).not.toHaveProperty('colour');
  });

  it.each([
    ['pool_name', ''],
    ['pool_name', 5],
    ['pool_name', 'default'],
    ['pool_name', 'a\u0007'],
    ['pool_type', 'Floppy'],
    ['pool_type', 'constructor'],
    ['media_server', 'nowhere'],
    ['media_server', 1],
    ['compression_type', 'Maximum'],
    ['compression_type', 3],
    ['retention_period', '5 hours'],
    ['retention_period', 5],
    ['ignore_free_space_check', 'no'],
    ['description', []],
  ])('refuses %s = %j and names the field', async (field, value) => {
    const answer = await superuser.send('POST', '/pools', draft({ [field]: value }));
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveProperty(field);
    expect(answer.body.is_error).toBe(true);
    expect((await superuser.send('GET', '/pools')).data<Pool[]>()).toHaveLength(1);
  });

  it.each(['pool_name', 'pool_type', 'media_server'])('needs %s', async (field) => {
    const answer = await superuser.send('POST', '/pools', draft({ [field]: undefined }));
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual({ [field]: 'is required' });
  });

  it('gives a name to one of two callers at the same moment', async () => {
    const answers = await Promise.all([1, 2].map(() => superuser.send('POST', '/pools', draft())));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  });

  it.each(['Tape library', 'Tape library, Native', 'Cloud', 'Client defined'])(
    'takes a pool of type %s',
    async (type) => {
      const answer = await superuser.send('POST', '/pools', draft({ pool_type: type, algorithm: 'rot13' }));
      expect(answer.status).toBe(201);
    },
  );
});

describe('a pool of type Block device', () => {
  const block = (more: object = {}) =>
    draft({ pool_name: 'Blocks', pool_type: 'Block device', meta_data_pool: 'Default', ...more });

  it('gets the defaults for what was not said, and no compression', async () => {
    const made = await superuser.send('POST', '/pools', block({ compression_type: 'Best' }));
    expect(made.status).toBe(201);
    const pool = (await superuser.send('GET', `/pools/${made.data<{ id: number }>().id}`)).data<Pool>();
    expect(pool).toMatchObject({
      algorithm: 'sha2',
      block_size: 131072,
      hash_length: 256,
      compression_type: null,
      meta_data_pool: 'Default',
    });
  });

  it.each([
    ['sha1', undefined, 160],
    ['sha2', 512, 512],
    ['blake2b', undefined, 256],
    ['blake3', 512, 512],
  ])('of algorithm %s with length %s has %d bits', async (algorithm, hash_length, bits) => {
    const made = await superuser.send('POST', '/pools', block({ algorithm, hash_length }));
    const pool = (await superuser.send('GET', `/pools/${made.data<{ id: number }>().id}`)).data<Pool>();
    expect(pool).toMatchObject({ algorithm, hash_length: bits });
  });

  it.each([
    [{ meta_data_pool: undefined }, 'meta_data_pool', 'required'],
    [{ meta_data_pool: 'Nowhere' }, 'meta_data_pool', 'no pool named'],
    [{ algorithm: 'sha1', hash_length: 256 }, 'hash_length', 'must be 160'],
    [{ algorithm: 'sha2', hash_length: 160 }, 'hash_length', '256 or 512'],
    [{ algorithm: 'streebog' }, 'algorithm', 'sha2, blake2b, blake3, sha1'],
    [{ block_size: 5000 }, 'block_size', '131072'],
  ])('is refused with %j', async (wrong, field, reason) => {
    const answer = await superuser.send('POST', '/pools', block(wrong));
    expect(answer.status).toBe(400);
    expect(answer.body.errors[field]).toContain(reason);
  });

  it('keeps its metadata in a file pool only, also after a change', async () => {
    await superuser.send('POST', '/pools', draft({ pool_name: 'Cloud', pool_type: 'Cloud' }));
    await superuser.send('POST', '/pools', draft({ pool_name: 'Meta' }));
    expect((await superuser.send('POST', '/pools', block({ meta_data_pool: 'Cloud' }))).status).toBe(400);
    const made = await superuser.send('POST', '/pools', block());
    const path = `/pools/${made.data<{ id: number }>().id}`;
    const moved = await superuser.send('PATCH', path, { meta_data_pool: 'Meta', move_old_metadata: true });
    expect(moved.data<Pool>().meta_data_pool).toBe('Meta');
    const cleared = await superuser.send('PATCH', path, { meta_data_pool: null });
    expect(cleared.body.errors.meta_data_pool).toContain('required');
    const wrong = await superuser.send('PATCH', path, { move_old_metadata: 'yes' });
    expect(wrong.body.errors.move_old_metadata).toContain('true or false');
  });
});

describe('changing a pool', () => {
  it('changes only what was sent, and clears with null', async () => {
    const id = await makePool({ description: 'x', retention_period: '2 weeks', compression_type: 'Fast' });
    const changed = await superuser.send('PATCH', `/pools/${id}`, { pool_name: 'SECOND' });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        data: {
          pool_name: 'SECOND',
          description: 'x',
          retention_period: '2 weeks',
          compression_type: 'Fast',
        },
      },
    });
    const cleared = await superuser.send('PATCH', `/pools/${id}`, {
      description: null,
      retention_period: null,
      compression_type: null,
      ignore_free_space_check: null,
    });
    expect(cleared.data()).toMatchObject({
      description: null,
      retention_period: null,
      compression_type: 'None',
      ignore_free_space_check: false,
    });
  });

  it('ignores type, media server and what does not fit', async () => {
    const id = await makePool();
    const answer = await superuser.send('PATCH', `/pools/${id}`, {
      pool_type: 'Cloud',
      media_server: 'nowhere',
      meta_data_pool: 5,
      move_old_metadata: 'x',
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { pool_type: 'File system', media_server: hostname() } },
    });
  });

  it.each([
    ['pool_name', 'Default'],
    ['pool_name', null],
    ['compression_type', 'Zip'],
    ['retention_period', 'forever'],
    ['ignore_free_space_check', 1],
  ])('refuses %s = %j', async (field, value) => {
    const id = await makePool();
    const answer = await superuser.send('PATCH', `/pools/${id}`, { description: 'changed', [field]: value });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveProperty(field);
    expect((await getPool(id)).description).toBeNull();
  });

  it('keeps the name of the pool Default, and does not find unknown pools', async () => {
    expect((await superuser.send('PATCH', '/pools/1', { pool_name: 'Other' })).status).toBe(400);
    expect((await superuser.send('PATCH', '/pools/1', { description: 'ours' })).status).toBe(200);
    expect((await superuser.send('PATCH', '/pools/99', { description: 'x' })).status).toBe(404);
    expect((await superuser.send('GET', '/pools/99')).status).toBe(404);
  });
});

describe('deleting pools', () => {
  const remove = (ids: unknown) => superuser.send('DELETE', '/pools', { ids });

  it('answers 204 without a body when all went', async () => {
    const ids = [await makePool(), await makePool({ pool_name: 'Third' })];
    const answer = await remove(ids);
    expect(answer.status).toBe(204);
    expect(answer.body).toBeNull();
    expect((await superuser.send('GET', '/pools')).data<Pool[]>()).toHaveLength(1);
  });

  it('answers 207 with the reasons when some stayed (case 50)', async () => {
    const free = await makePool();
    const withCopy = await makePool({ pool_name: 'With copy' });
    await rows.copy({ poolId: withCopy });
    const answer = await remove([free, withCopy, 1]);
    expect(answer.status).toBe(207);
    expect(answer.body).toMatchObject({
      is_error: true,
      message: expect.stringContaining('1 of 3'),
      data: {
        removed: [free],
        failed: [
          { id: withCopy, reason: expect.stringContaining('1 backup copy') },
          { id: 1, reason: expect.stringContaining('always exists') },
        ],
      },
    });
  });

  it('answers 207 with nothing removed when all stayed', async () => {
    const withTask = await makePool();
    await rows.task({ status: 'new', poolId: withTask });
    const withStorage = await makePool({ pool_name: 'With storage' });
    await makeStorage(join(folder.path, 'a'), { pool: 'With storage' });
    const ofClient = await makePool({ pool_name: 'Of client' });
    await rows.client({ poolId: ofClient });
    const answer = await remove([withTask, withStorage, ofClient]);
    expect(answer.status).toBe(207);
    expect(answer.data()).toMatchObject({
      removed: [],
      failed: [{ id: withTask }, { id: withStorage }, { id: ofClient }],
    });
  });

  it('removes none when one is unknown', async () => {
    const id = await makePool();
    expect((await remove([id, 99])).status).toBe(404);
    expect((await superuser.send('GET', `/pools/${id}`)).status).toBe(200);
  });

  it('goes on once a task has ended', async () => {
    const id = await makePool();
    await rows.task({ status: 'done', poolId: id });
    expect((await remove([id])).status).toBe(204);
  });
});

describe('pools that can take copies', () => {
  const ask = (query: string) => superuser.send('GET', `/pools/destination_available${query}`);

  it('are all but the source; with room first for a move', async () => {
    const empty = await makePool({ pool_name: 'Empty' });
    await makePool({ pool_name: 'Roomy' });
    await makeStorage(join(folder.path, 'a'), { pool: 'Roomy' });
    const names = async (query: string) =>
      (await ask(query)).data<PoolDestination[]>().map((pool) => pool.pool_name);
    expect(await names('?pool_name=Default&action=copy')).toEqual(['Empty', 'Roomy']);
    expect(await names('?pool_name=Default&action=move')).toEqual(['Roomy', 'Empty']);
    const [first] = (await ask('?pool_name=Default&action=copy')).data<PoolDestination[]>();
    expect(first).toEqual({
      id: empty,
      pool_name: 'Empty',
      pool_type: 'File system',
      media_server: hostname(),
      free_space: 0,
    });
  });

  it('cannot be asked for without name and action, or of an unknown pool', async () => {
    expect((await ask('')).body.errors).toMatchObject({ pool_name: 'is required', action: 'is required' });
    expect((await ask('?pool_name=Default')).status).toBe(400);
    expect((await ask('?pool_name=Default&action=steal')).status).toBe(400);
    expect((await ask('?pool_name=Nothing&action=copy')).status).toBe(404);
  });
});

describe('local file storages', () => {
  const create = (data: unknown) => superuser.send('POST', '/storage_local_catalogs', { data });

  it('come into the pool Default unless told, and their folder is made', async () => {
    const path = join(folder.path, 'deep', 'er');
    const id = await makeStorage(`${path}/`, { description: 'mine' });
    expect((await superuser.send('GET', `/storage_local_catalogs/${id}`)).data()).toMatchObject({
      id,
      path,
      pool: 'Default',
      media_server: hostname(),
      description: 'mine',
      status: 'Online',
    });
    expect(await readdir(path)).toEqual([]);
  });

  it('on one file system count its space once', async () => {
    const [before] = (await superuser.send('GET', '/pools')).data<Pool[]>();
    const path = join(app.dataDir, 'pools', 'second');
    await makeStorage(path);
    const [after] = (await superuser.send('GET', '/pools')).data<Pool[]>();
    expect(after?.storages_count).toBe(2);
    expect(after?.total_space).toBe(before?.total_space);
  });

  it.each([
    ['a relative path', () => ({ path: 'a/b' }), 'path'],
    ['no path', () => ({}), 'path'],
    ['a path that is no text', () => ({ path: 5 }), 'path'],
    ['a NUL in the path', () => ({ path: '/tmp/a\0b' }), 'path'],
    ['the root', () => ({ path: '/' }), 'path'],
    ['a folder that cannot be made', () => ({ path: '/proc/strongroom' }), 'path'],
    ['the data directory', () => ({ path: app.dataDir }), 'path'],
    ['a folder inside a storage', () => ({ path: join(app.dataDir, 'pools/default/sub') }), 'path'],
    ['an unknown pool', () => ({ path: join(folder.path, 'x'), pool: 'None' }), 'pool'],
    ['an unknown field', () => ({ path: join(folder.path, 'x'), size: 1 }), 'size'],
    [
      'a description that is no text',
      () => ({ path: join(folder.path, 'x'), description: 1 }),
      'description',
    ],
  ])('refuse %s', async (_name, data, field) => {
    const answer = await create(data());
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveProperty(field);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('refuse a file, and what lies below one', async () => {
    const file = join(folder.path, 'file');
    await writeFile(file, 'content');
    for (const path of [file, join(file, 'below')]) {
      const answer = await create({ path });
      expect(answer.status).toBe(400);
      expect(answer.body.errors.path).toContain('not a folder');
    }
  });

  it('refuse a folder that is a storage already, also under another name', async () => {
    const path = join(folder.path, 'a');
    await makeStorage(path);
    await symlink(path, join(folder.path, 'link'));
    for (const again of [path, `${path}/`, join(folder.path, 'b/../a'), join(folder.path, 'link')]) {
      const answer = await create({ path: again });
      expect(answer.status).toBe(400);
      expect(answer.body.errors.path).toContain('storage');
    }
  });

  it('are made by one of two callers at the same moment', async () => {
    const path = join(folder.path, 'a');
    const answers = await Promise.all([
      create({ path }),
      create({ path }),
      create({ path: join(path, 'b') }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  });

  it('change their description only', async () => {
    const id = await makeStorage(join(folder.path, 'a'));
    const path = `/storage_local_catalogs/${id}`;
    expect((await superuser.send('PATCH', path, { data: { description: 'new' } })).data()).toMatchObject({
      id,
      description: 'new',
    });
    expect((await superuser.send('PATCH', path, { data: {} })).data()).toMatchObject({ description: 'new' });
    expect((await superuser.send('PATCH', path, { data: { description: null } })).data()).toMatchObject({
      description: null,
    });
    expect((await superuser.send('PATCH', path, { data: { path: '/x' } })).status).toBe(400);
    expect((await superuser.send('PATCH', '/storage_local_catalogs/99', { data: {} })).status).toBe(404);
    expect((await superuser.send('GET', '/storage_local_catalogs/99')).status).toBe(404);
  });

  it('stay while they hold copies; bulk deletion is all or nothing', async () => {
    const free = await makeStorage(join(folder.path, 'a'));
    const used = await makeStorage(join(folder.path, 'b'));
    await rows.copy({ storageId: used });
    const refused = await superuser.send('DELETE', '/storage_local_catalogs', { ids: [free, used] });
    expect(refused.status).toBe(400);
    expect(refused.body.errors.ids).toContain('1 backup copy');
    expect((await superuser.send('DELETE', '/storage_local_catalogs', { ids: [free, 99] })).status).toBe(404);
    expect((await superuser.send('DELETE', `/storage_local_catalogs/${used}`)).status).toBe(400);
    expect((await superuser.send('DELETE', '/storage_local_catalogs', { ids: [free] })).data()).toEqual({
      ids: [free],
    });
    expect((await superuser.send('DELETE', `/storage_local_catalogs/${free}`)).status).toBe(404);
    expect(await readdir(folder.path)).toEqual(['a', 'b']);
  });

  it('are offline when their folder is gone or no folder', async () => {
    await mkdir(join(folder.path, 'mount'));
    const id = await makeStorage(join(folder.path, 'mount', 'a'));
    await folder.remove();
    expect((await superuser.send('GET', `/storage_local_catalogs/${id}`)).data()).toMatchObject({
      status: 'Offline',
      total_space: 0,
      free_space: 0,
    });
    const offline = await superuser.send('GET', '/storage_local_catalogs?status=Offline');
    expect(offline.data<Storage[]>().map((storage) => storage.id)).toEqual([id]);
  });
});
