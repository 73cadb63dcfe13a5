import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { permissionsOf, roles } from '../../../contract/permissions.ts';
import type { LibraryTree } from '../../../contract/tape-libraries/tape-library.ts';
import { startTestApp } from '../../support/backend.ts';
import { createScriptedLibrary, type ScriptedLibrary } from '../../support/scripted-library.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { type LibraryBench, path, startLibraryBench } from './support.ts';

let library: ScriptedLibrary;
let bench: LibraryBench;
beforeEach(async () => {
  library = createScriptedLibrary({ barcodes: ['A00001L8'] });
  bench = await startLibraryBench([library]);
});
afterEach(() => bench.app.close());

const tree = (body: unknown) => bench.superuser.send('POST', `${path}/tree`, body);

describe('the tree of libraries', () => {
  it('has each library with robots, drives and no slots, and the tape pools with and without one', async () => {
    const id = await bench.added();
    const spare = await bench.makePool('Spare');
    const { libraries, pools } = (await tree({})).data<LibraryTree>();
    expect(libraries).toHaveLength(1);
    expect(libraries[0]).toEqual({
      library: await bench.get(id),
      medium_changers: [expect.objectContaining({ serial: 'LIB-one' })],
      tape_drives: [
        expect.objectContaining({ serial: 'DRV-one-1' }),
        expect.objectContaining({ serial: 'DRV-one-2' }),
      ],
      slots: [],
    });
    expect(pools).toEqual({
      items: [
        { id: expect.any(Number), pool_name: 'Tapes', library_id: id },
        { id: spare, pool_name: 'Spare', library_id: null },
      ],
      total: 2,
      page: 1,
      limit: 20,
    });
  });

  it('pages the pools, flat or wrapped', async () => {
    for (const name of ['B', 'C', 'D']) await bench.makePool(name);
    const pools = async (body: unknown) => (await tree(body)).data<LibraryTree>().pools;
    expect(await pools({ pools: { page: 2, limit: 3 } })).toMatchObject({
      items: [{ pool_name: 'D' }],
      total: 4,
      page: 2,
      limit: 3,
    });
    expect(await pools({ data: { pools: { limit: 1, page: null } } })).toMatchObject({
      items: [{ pool_name: 'Tapes' }],
      page: 1,
    });
    expect(await pools({ pools: { page: 9 } })).toMatchObject({ items: [], total: 4 });
    expect(await pools({ data: {} })).toMatchObject({ total: 4 });
  });

  it.each([
    ['page', { pools: { page: 0 } }],
    ['limit', { pools: { limit: 501 } }],
    ['limit', { pools: { limit: '5' } }],
    ['pools', { pools: 7 }],
    ['colour', { colour: 'red' }],
    ['colour', { pools: { colour: 'red' } }],
  ])('refuses a wrong %s: %j', async (field, body) => {
    const answer = await tree(body);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, [field]]);
  });
});

describe('a tape library', () => {
  it('is one storage of its pool; neither the pool nor its media server can go', async () => {
    await bench.added();
    const [pool] = (await bench.superuser.send('GET', '/pools?pool_name=Tapes')).data<
      { id: number; storages_count: number }[]
    >();
    expect(pool?.storages_count).toBe(1);
    const refused = await bench.superuser.send('DELETE', '/pools', { ids: [pool?.id] });
    expect(refused.status).toBe(207);
    expect(JSON.stringify(refused.data())).toContain('belongs to 1 tape library');
    await bench.app.database.db.updateTable('media_servers').set({ role: 'media' }).execute();
    expect((await bench.superuser.send('DELETE', '/media_servers', { ids: [1] })).status).toBe(400);
  });

  it('is removed all or nothing', async () => {
    const id = await bench.added();
    expect((await bench.superuser.send('DELETE', path, { ids: [id, 99] })).status).toBe(404);
    expect((await bench.superuser.send('GET', path)).data()).toHaveLength(1);
    const answer = await bench.superuser.send('DELETE', path, { ids: [id] });
    expect([answer.status, answer.data()]).toEqual([200, { ids: [id] }]);
    expect((await bench.superuser.send('GET', `${path}/${id}`)).status).toBe(404);
    expect((await bench.superuser.send('DELETE', `${path}/${id}`)).status).toBe(404);
    expect((await bench.superuser.send('DELETE', '/pools', { ids: [2] })).status).toBe(204);
  });

  it('stays while its cartridges hold copies', async () => {
    const id = await bench.added();
    await bench.app.database.db.updateTable('cartridges').set({ written: 1024 }).execute();
    const answer = await bench.superuser.send('DELETE', `${path}/${id}`);
    expect([answer.status, answer.body.errors.ids]).toEqual([400, expect.stringContaining('1 cartridge')]);
  });

  it('is listed with search, filter and order', async () => {
    await bench.added({ description: 'in the cellar' });
    const rows = async (query: string) =>
      (await bench.superuser.send('GET', `${path}?${query}`)).data<unknown[]>();
    expect(await rows('search=CELLAR')).toHaveLength(1);
    expect(await rows('status=Offline')).toHaveLength(0);
    expect(await rows('serial=LIB-one&sort=last_sync&order=desc&page=1')).toHaveLength(1);
    expect((await bench.superuser.send('GET', `${path}?colour=red`)).status).toBe(400);
  });

  it('is a 404 by any word that is no id', async () => {
    expect((await bench.superuser.send('GET', `${path}/abc`)).status).toBe(404);
    expect((await bench.superuser.send('POST', `${path}/candidates/sync`)).status).toBe(404);
  });

  it.each(roles)('is for the role %s what the table of rights says', async (role) => {
    const id = await bench.added();
    const user = await bench.app.loginAs(role);
    const held = new Set<string>(permissionsOf([role]));
    const calls = [
      ['GET', path, 'read'],
      ['GET', `${path}/${id}`, 'read'],
      ['GET', `${path}/candidates?media_server=${hostname()}&adding_type=auto`, 'read'],
      ['POST', `${path}/candidates/info`, 'read'],
      ['POST', `${path}/tree`, 'read'],
      ['POST', path, 'write'],
      ['POST', `${path}/${id}/sync`, 'run'],
      ['DELETE', path, 'delete'],
      ['DELETE', `${path}/999`, 'delete'],
    ] as const;
    for (const [method, url, action] of calls) {
      const { status } = await user.send(method, url, method === 'GET' ? undefined : {});
      expect([url, method, status === 403]).toEqual([url, method, !held.has(`tape_libraries.${action}`)]);
    }
  });
});

describe('the libraries of a server', () => {
  it('are told of in the event stream', async () => {
    const id = await bench.added();
    await bench.sync(id);
    await bench.superuser.send('DELETE', `${path}/${id}`);
    await bench.app.built.stop();
    const events = await bench.app.database.db
      .selectFrom('events')
      .select(['action', 'object_id'])
      .where('kind', '=', 'library')
      .orderBy('id')
      .execute();
    expect(events.at(0)).toEqual({ action: 'created', object_id: id });
    expect(events.at(-1)).toEqual({ action: 'removed', object_id: id });
  });

  it('keep their ids and what is known of them over a restart', async () => {
    const folder = await makeTempDir('libraries');
    try {
      const before = await startLibraryBench([library], { dataDir: folder.path });
      const id = await before.added();
      library.fail('inventory', 'permanent');
      await before.sync(id);
      const record = await before.get(id);
      await before.app.close();
      const app = await startTestApp({
        started: true,
        dataDir: folder.path,
        libraryDrivers: [library.driver],
      });
      const user = await app.loginAs('superuser');
      expect((await user.send('GET', `${path}/${id}`)).data()).toEqual(record);
      expect(record.status).toBe('Error');
      await app.close();
    } finally {
      await folder.remove();
    }
  });

  it('are not called broken because the server stopped while one was read', async () => {
    const folder = await makeTempDir('libraries');
    try {
      const before = await startLibraryBench([library], { dataDir: folder.path });
      const id = await before.added();
      library.hold();
      const running = before.sync(id);
      while ((await before.get(id)).status !== 'Sync') await new Promise((resolve) => setImmediate(resolve));
      await before.app.close();
      expect((await running).body.message).toContain('stopping');
      const app = await startTestApp({
        started: true,
        dataDir: folder.path,
        libraryDrivers: [library.driver],
      });
      const user = await app.loginAs('superuser');
      expect((await user.send('GET', `${path}/${id}`)).data()).toMatchObject({ status: 'Online' });
      await app.close();
    } finally {
      await folder.remove();
    }
  });
});
