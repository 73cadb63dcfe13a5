import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLibraryDrivers, tapeCopiesHere } from '../../../backend/engine/index.ts';
import { createAdministration } from '../../../backend/features/administration.ts';
import { type Change, createAnnouncements } from '../../../backend/features/announce.ts';
import { createBlockPoolService } from '../../../backend/features/block-pools/block-pool-service.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { rowsOf } from './rows.ts';

let app: TestApp;
let superuser: Session;
let changes: Change[];

beforeEach(async () => {
  changes = [];
  const announcements = createAnnouncements();
  announcements.listen((change) => changes.push(change));
  app = await startTestApp({
    started: true,
    moreHandlers: (deps) =>
      createAdministration({
        ...deps,
        announce: announcements.announce,
        drivers: createLibraryDrivers([]),
        tapeCopies: tapeCopiesHere,
        blockPools: createBlockPoolService({ ...deps, announce: announcements.announce }),
        stopping: new AbortController().signal,
      }).handlers,
  });
  superuser = await app.loginAs('superuser');
});
afterEach(() => app.close());

const pool = { pool_name: 'Second', pool_type: 'File system', media_server: 'x' };

it('tells of every change, with the group of a client for listeners who are limited', async () => {
  const [server] = (await superuser.send('GET', '/media_servers')).data<{ name: string }[]>();
  await superuser.send('POST', '/pools', { ...pool, media_server: server?.name });
  await superuser.send('PATCH', '/pools/2', { description: 'x' });
  await superuser.send('DELETE', '/pools', { ids: [1, 2] });
  await superuser.send('PATCH', '/clients/1', { lsf_flag: true });
  const waiting = await rowsOf(app.database.db).client({ authorized: false });
  await superuser.send('POST', `/clients/${waiting}/authorize`);
  await superuser.send('DELETE', '/clients', { ids: [1] });
  await superuser.send('PATCH', '/global_configuration/service_mode', { service_mode: true });
  expect(changes).toEqual([
    { kind: 'pool', action: 'created', id: 2 },
    { kind: 'pool', action: 'changed', id: 2 },
    { kind: 'pool', action: 'removed', id: 2 },
    { kind: 'client', action: 'changed', id: 1, clientGroupId: 1 },
    { kind: 'client', action: 'created', id: waiting, clientGroupId: 1 },
    { kind: 'client', action: 'removed', id: 1, clientGroupId: 1 },
    { kind: 'configuration', action: 'changed', id: null },
  ]);
});

it('says nothing of what was refused', async () => {
  await superuser.send('POST', '/pools', pool);
  await superuser.send('DELETE', '/pools', { ids: [1] });
  await superuser.send('PATCH', '/clients/1', { ls_pool: 'nothing' });
  await superuser.send('PATCH', '/global_configuration', { unknown: 1 });
  expect(changes).toEqual([]);
});

it('stops telling whoever has gone', () => {
  const announcements = createAnnouncements();
  const heard: Change[] = [];
  const stop = announcements.listen((change) => heard.push(change));
  announcements.announce({ kind: 'pool', action: 'changed', id: 1 });
  stop();
  announcements.announce({ kind: 'pool', action: 'changed', id: 2 });
  expect(heard.map(({ id }) => id)).toEqual([1]);
});
