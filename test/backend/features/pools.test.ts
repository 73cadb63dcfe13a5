import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Pool, PoolDestination } from '../../../contract/pools/pool.ts';
import type { Storage } from '../../../contract/storages/storage.ts';
import { poolDraft, poolLab } from './pool-lab.ts';

const lab = poolLab();

describe('a new server', () => {
  it('has the pool Default with one storage in the data directory', async () => {
    const [pool] = (await lab.superuser.send('GET', '/pools')).data<Pool[]>();
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
    const [storage] = (await lab.superuser.send('GET', '/storage_local_catalogs')).data<Storage[]>();
    const path = join(lab.app.dataDir, 'pools', 'default');
    expect(storage).toMatchObject({ path, pool: 'Default', status: 'Online' });
    expect(storage?.total_space).toBeGreaterThan(0);
    expect([pool?.total_space, pool?.free_space].every((bytes) => (bytes ?? 0) > 0)).toBe(true);
    expect(await readdir(path)).toEqual([]);
  });

  it('is not furnished twice', async () => {
    await lab.superuser.send('DELETE', '/storage_local_catalogs/1');
    await lab.app.built.start();
    expect((await lab.superuser.send('GET', '/pools')).data<Pool[]>()).toHaveLength(1);
    expect((await lab.superuser.send('GET', '/storage_local_catalogs')).data()).toEqual([]);
    expect((await lab.superuser.send('GET', '/media_servers')).data<unknown[]>()).toHaveLength(1);
  });
});

describe('making a pool', () => {
  it('takes every field, flat or wrapped', async () => {
    const id = await lab.makePool({
      compression_type: 'Best',
      description: 'for archives',
      retention_period: '1 years',
      ignore_free_space_check: true,
    });
    expect(await lab.getPool(id)).toMatchObject({
      id,
      pool_name: 'Second',
      compression_type: 'Best',
      description: 'for archives',
      retention_period: '1 year',
      ignore_free_space_check: true,
      storages_count: 0,
      total_space: 0,
    });
    expect(
      (await lab.superuser.send('POST', '/pools', { data: poolDraft({ pool_name: 'Third' }) })).status,
    ).toBe(201);
  });

  it('ignores unknown fields and parameters of other types, even wrong ones; nothing looks saved (case 133)', async () => {
    const id = await lab.makePool({
      block_size: 'x',
      algorithm: 9,
      hash_length: 1,
      meta_data_pool: 'none',
      colour: 'red',
    });
    expect(await lab.getPool(id)).toMatchObject({
      block_size: null,
      algorithm: null,
      hash_length: null,
      meta_data_pool: null,
    });
    expect(await lab.getPool(id)).not.toHaveProperty('colour');
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
    const answer = await lab.superuser.send('POST', '/pools', poolDraft({ [field]: value }));
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveProperty(field);
    expect(answer.body.is_error).toBe(true);
    expect((await lab.superuser.send('GET', '/pools')).data<Pool[]>()).toHaveLength(1);
  });

  it.each(['pool_name', 'pool_type', 'media_server'])('needs %s', async (field) => {
    const answer = await lab.superuser.send('POST', '/pools', poolDraft({ [field]: undefined }));
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual({ [field]: 'is required' });
  });

  it('gives a name to one of two callers at the same moment', async () => {
    const answers = await Promise.all([1, 2].map(() => lab.superuser.send('POST', '/pools', poolDraft())));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  });

  it.each(['Tape library', 'Tape library, Native', 'Cloud', 'Client defined'])(
    'takes a pool of type %s',
    async (type) => {
      const answer = await lab.superuser.send(
        'POST',
        '/pools',
        poolDraft({ pool_type: type, algorithm: 'rot13' }),
      );
      expect(answer.status).toBe(201);
    },
  );
});

describe('a pool of type Block device', () => {
  const block = (more: object = {}) =>
    poolDraft({ pool_name: 'Blocks', pool_type: 'Block device', meta_data_pool: 'Default', ...more });

  it('gets the defaults for what was not said, and no compression', async () => {
    const made = await lab.superuser.send('POST', '/pools', block({ compression_type: 'Best' }));
    expect(made.status).toBe(201);
    const pool = (await lab.superuser.send('GET', `/pools/${made.data<{ id: number }>().id}`)).data<Pool>();
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
    const made = await lab.superuser.send('POST', '/pools', block({ algorithm, hash_length }));
    const pool = (await lab.superuser.send('GET', `/pools/${made.data<{ id: number }>().id}`)).data<Pool>();
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
    const answer = await lab.superuser.send('POST', '/pools', block(wrong));
    expect(answer.status).toBe(400);
    expect(answer.body.errors[field]).toContain(reason);
  });

  it('keeps its metadata in a file pool only, also after a change', async () => {
    await lab.superuser.send('POST', '/pools', poolDraft({ pool_name: 'Cloud', pool_type: 'Cloud' }));
    await lab.superuser.send('POST', '/pools', poolDraft({ pool_name: 'Meta' }));
    expect((await lab.superuser.send('POST', '/pools', block({ meta_data_pool: 'Cloud' }))).status).toBe(400);
    const made = await lab.superuser.send('POST', '/pools', block());
    const path = `/pools/${made.data<{ id: number }>().id}`;
    const moved = await lab.superuser.send('PATCH', path, {
      meta_data_pool: 'Meta',
      move_old_metadata: true,
    });
    expect(moved.data<Pool>().meta_data_pool).toBe('Meta');
    const cleared = await lab.superuser.send('PATCH', path, { meta_data_pool: null });
    expect(cleared.body.errors.meta_data_pool).toContain('required');
    const wrong = await lab.superuser.send('PATCH', path, { move_old_metadata: 'yes' });
    expect(wrong.body.errors.move_old_metadata).toContain('true or false');
  });
});

describe('changing a pool', () => {
  it('changes only what was sent, and clears with null', async () => {
    const id = await lab.makePool({
      description: 'x',
      retention_period: '2 weeks',
      compression_type: 'Fast',
    });
    const changed = await lab.superuser.send('PATCH', `/pools/${id}`, { pool_name: 'SECOND' });
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
    const cleared = await lab.superuser.send('PATCH', `/pools/${id}`, {
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
    const id = await lab.makePool();
    const answer = await lab.superuser.send('PATCH', `/pools/${id}`, {
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
    const id = await lab.makePool();
    const answer = await lab.superuser.send('PATCH', `/pools/${id}`, {
      description: 'changed',
      [field]: value,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveProperty(field);
    expect((await lab.getPool(id)).description).toBeNull();
  });

  it('keeps the name of the pool Default, and does not find unknown pools', async () => {
    expect((await lab.superuser.send('PATCH', '/pools/1', { pool_name: 'Other' })).status).toBe(400);
    expect((await lab.superuser.send('PATCH', '/pools/1', { description: 'ours' })).status).toBe(200);
    expect((await lab.superuser.send('PATCH', '/pools/99', { description: 'x' })).status).toBe(404);
    expect((await lab.superuser.send('GET', '/pools/99')).status).toBe(404);
  });
});

describe('deleting pools', () => {
  const remove = (ids: unknown) => lab.superuser.send('DELETE', '/pools', { ids });

  it('answers 204 without a body when all went', async () => {
    const ids = [await lab.makePool(), await lab.makePool({ pool_name: 'Third' })];
    const answer = await remove(ids);
    expect(answer.status).toBe(204);
    expect(answer.body).toBeNull();
    expect((await lab.superuser.send('GET', '/pools')).data<Pool[]>()).toHaveLength(1);
  });

  it('answers 207 with the reasons when some stayed (case 50)', async () => {
    const free = await lab.makePool();
    const withCopy = await lab.makePool({ pool_name: 'With copy' });
    await lab.rows.copy({ poolId: withCopy });
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
    const withTask = await lab.makePool();
    await lab.rows.task({ status: 'new', poolId: withTask });
    const withStorage = await lab.makePool({ pool_name: 'With storage' });
    await lab.makeStorage(join(lab.folder, 'a'), { pool: 'With storage' });
    const ofClient = await lab.makePool({ pool_name: 'Of client' });
    await lab.rows.client({ poolId: ofClient });
    const answer = await remove([withTask, withStorage, ofClient]);
    expect(answer.status).toBe(207);
    expect(answer.data()).toMatchObject({
      removed: [],
      failed: [{ id: withTask }, { id: withStorage }, { id: ofClient }],
    });
  });

  it('removes none when one is unknown', async () => {
    const id = await lab.makePool();
    expect((await remove([id, 99])).status).toBe(404);
    expect((await lab.superuser.send('GET', `/pools/${id}`)).status).toBe(200);
  });

  it('goes on once a task has ended', async () => {
    const id = await lab.makePool();
    await lab.rows.task({ status: 'done', poolId: id });
    expect((await remove([id])).status).toBe(204);
  });
});

describe('pools that can take copies', () => {
  const ask = (query: string) => lab.superuser.send('GET', `/pools/destination_available${query}`);

  it('are all but the source; with room first for a move', async () => {
    const empty = await lab.makePool({ pool_name: 'Empty' });
    await lab.makePool({ pool_name: 'Roomy' });
    await lab.makeStorage(join(lab.folder, 'a'), { pool: 'Roomy' });
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
