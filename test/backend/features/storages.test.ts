import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Pool } from '../../../contract/pools/pool.ts';
import type { Storage } from '../../../contract/storages/storage.ts';
import { poolLab } from './pool-lab.ts';

const lab = poolLab();

describe('local file storages', () => {
  const create = (data: unknown) => lab.superuser.send('POST', '/storage_local_catalogs', { data });

  it('come into the pool Default unless told, and their folder is made', async () => {
    const path = join(lab.folder, 'deep', 'er');
    const id = await lab.makeStorage(`${path}/`, { description: 'mine' });
    expect((await lab.superuser.send('GET', `/storage_local_catalogs/${id}`)).data()).toMatchObject({
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
    const [before] = (await lab.superuser.send('GET', '/pools')).data<Pool[]>();
    const path = join(lab.app.dataDir, 'pools', 'second');
    await lab.makeStorage(path);
    const [after] = (await lab.superuser.send('GET', '/pools')).data<Pool[]>();
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
    ['the data directory', () => ({ path: lab.app.dataDir }), 'path'],
    ['a folder inside a storage', () => ({ path: join(lab.app.dataDir, 'pools/default/sub') }), 'path'],
    ['an unknown pool', () => ({ path: join(lab.folder, 'x'), pool: 'None' }), 'pool'],
    ['an unknown field', () => ({ path: join(lab.folder, 'x'), size: 1 }), 'size'],
    ['a description that is no text', () => ({ path: join(lab.folder, 'x'), description: 1 }), 'description'],
  ])('refuse %s', async (_name, data, field) => {
    const answer = await create(data());
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveProperty(field);
    expect(await readdir(lab.folder)).toEqual([]);
  });

  it('refuse a file, and what lies below one', async () => {
    const file = join(lab.folder, 'file');
    await writeFile(file, 'content');
    for (const path of [file, join(file, 'below')]) {
      const answer = await create({ path });
      expect(answer.status).toBe(400);
      expect(answer.body.errors.path).toContain('not a folder');
    }
  });

  it('refuse a folder that is a storage already, also under another name', async () => {
    const path = join(lab.folder, 'a');
    await lab.makeStorage(path);
    await symlink(path, join(lab.folder, 'link'));
    for (const again of [path, `${path}/`, join(lab.folder, 'b/../a'), join(lab.folder, 'link')]) {
      const answer = await create({ path: again });
      expect(answer.status).toBe(400);
      expect(answer.body.errors.path).toContain('storage');
    }
  });

  it('are made by one of two callers at the same moment', async () => {
    const path = join(lab.folder, 'a');
    const answers = await Promise.all([
      create({ path }),
      create({ path }),
      create({ path: join(path, 'b') }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  });

  it('change their description only', async () => {
    const id = await lab.makeStorage(join(lab.folder, 'a'));
    const path = `/storage_local_catalogs/${id}`;
    expect((await lab.superuser.send('PATCH', path, { data: { description: 'new' } })).data()).toMatchObject({
      id,
      description: 'new',
    });
    expect((await lab.superuser.send('PATCH', path, { data: {} })).data()).toMatchObject({
      description: 'new',
    });
    expect((await lab.superuser.send('PATCH', path, { data: { description: null } })).data()).toMatchObject({
      description: null,
    });
    expect((await lab.superuser.send('PATCH', path, { data: { path: '/x' } })).status).toBe(400);
    expect((await lab.superuser.send('PATCH', '/storage_local_catalogs/99', { data: {} })).status).toBe(404);
    expect((await lab.superuser.send('GET', '/storage_local_catalogs/99')).status).toBe(404);
  });

  it('stay while they hold copies; bulk deletion is all or nothing', async () => {
    const free = await lab.makeStorage(join(lab.folder, 'a'));
    const used = await lab.makeStorage(join(lab.folder, 'b'));
    await lab.rows.copy({ storageId: used });
    const refused = await lab.superuser.send('DELETE', '/storage_local_catalogs', { ids: [free, used] });
    expect(refused.status).toBe(400);
    expect(refused.body.errors.ids).toContain('1 backup copy');
    expect((await lab.superuser.send('DELETE', '/storage_local_catalogs', { ids: [free, 99] })).status).toBe(
      404,
    );
    expect((await lab.superuser.send('DELETE', `/storage_local_catalogs/${used}`)).status).toBe(400);
    expect((await lab.superuser.send('DELETE', '/storage_local_catalogs', { ids: [free] })).data()).toEqual({
      ids: [free],
    });
    expect((await lab.superuser.send('DELETE', `/storage_local_catalogs/${free}`)).status).toBe(404);
    expect(await readdir(lab.folder)).toEqual(['a', 'b']);
  });

  it('are offline when their folder is gone or no folder', async () => {
    await mkdir(join(lab.folder, 'mount'));
    const id = await lab.makeStorage(join(lab.folder, 'mount', 'a'));
    await rm(lab.folder, { recursive: true });
    expect((await lab.superuser.send('GET', `/storage_local_catalogs/${id}`)).data()).toMatchObject({
      status: 'Offline',
      total_space: 0,
      free_space: 0,
    });
    const offline = await lab.superuser.send('GET', '/storage_local_catalogs?status=Offline');
    expect(offline.data<Storage[]>().map((storage) => storage.id)).toEqual([id]);
  });
});
