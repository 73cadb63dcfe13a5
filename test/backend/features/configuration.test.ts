import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Configuration } from '../../../contract/configuration/configuration.ts';
import { configurationFields } from '../../../contract/configuration/configuration-fields.ts';
import { handClock, type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { rowsOf } from './rows.ts';

let app: TestApp;
let superuser: Session;

beforeEach(async () => {
  // Noon: outside the window of service, in which the cleaning of blocks would begin at once.
  app = await startTestApp({ started: true, clock: handClock() });
  superuser = await app.loginAs('superuser');
});
afterEach(() => app.close());

const read = async () => (await superuser.send('GET', '/global_configuration')).data<Configuration>();
const change = (body: unknown) => superuser.send('PATCH', '/global_configuration', body);

describe('the global configuration', () => {
  it('is answered in full, with defaults, places in the data directory and the mode', async () => {
    const configuration = await read();
    expect(Object.keys(configuration).sort()).toEqual(
      [...Object.keys(configurationFields), 'service_mode'].sort(),
    );
    expect(configuration).toMatchObject({
      mandatory_storage_time: 0,
      repository_remove_chain: 'yes',
      verify_archive_after_creation: 'no',
      dont_delete_last_gs_rule_archive: true,
      immutable_archives: false,
      service_window_end: '06:00:00',
      emergency_storage_local_catalog: join(app.dataDir, 'emergency'),
      dedup_clean_last_time: null,
      service_mode: false,
    });
    expect(configuration.rb_key_hash).toMatch(/^[0-9a-f]{64}$/);
    await app.built.start();
    expect(await read()).toEqual(configuration);
  });

  it('takes its own answer back, flat or wrapped, and ignores what is read-only', async () => {
    const { service_mode: _mode, ...fields } = await read();
    const answer = await change({
      data: { ...fields, version: '9.9.9', rb_key_hash: 'x', dedup_clean_last_time: 7 },
    });
    expect(answer.status).toBe(200);
    expect(answer.data()).toEqual({ ...fields, service_mode: false });
  });

  it('keeps what was changed, and goes back to the default with null', async () => {
    expect((await change({ mandatory_storage_time: 3, immutable_archives: true })).data()).toMatchObject({
      mandatory_storage_time: 3,
      immutable_archives: true,
    });
    expect(await read()).toMatchObject({ mandatory_storage_time: 3, immutable_archives: true });
    expect((await change({ mandatory_storage_time: null })).data()).toMatchObject({
      mandatory_storage_time: 0,
      immutable_archives: true,
    });
    expect((await change({})).status).toBe(200);
  });

  it.each([
    [{ monitoring_period: 4 }, 'monitoring_period'],
    [{ unknown: 1 }, 'unknown'],
    [{ service_mode: true }, 'service_mode'],
    [
      { unload_tape_cartriges_whes_media_server_starts: true },
      'unload_tape_cartriges_whes_media_server_starts',
    ],
    [{ service_window_start: '6:00' }, 'service_window_start'],
    [{ tape_library_mount_point: 'mnt' }, 'tape_library_mount_point'],
  ])('saves nothing of %j', async (wrong, field) => {
    const answer = await change({ mandatory_storage_time: 8, ...wrong });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveProperty(field);
    expect((await read()).mandatory_storage_time).toBe(0);
  });

  it.each([[[]], ['text'], [7]])('refuses the body %j', async (body) => {
    const answer = await superuser.send('PATCH', '/global_configuration', JSON.stringify(body), {
      'content-type': 'application/json',
    });
    expect(answer.status).toBe(400);
  });

  it('counts at once: no login is shown, no attempt blocks', async () => {
    await change({ show_previous_login_attempts_after_logging_in: 'no', wrong_auth_attempts_count: 1 });
    await expect(app.login('superuser', 'wrong password')).rejects.toThrow('401');
    await expect(app.login('superuser', 'correct horse battery')).rejects.toThrow(/blocked/);
  });
});

describe('service mode', () => {
  const set = (body: unknown) => superuser.send('PATCH', '/global_configuration/service_mode', body);

  it('is switched on and off', async () => {
    expect((await set({ service_mode: true })).data()).toMatchObject({ service_mode: true });
    expect((await read()).service_mode).toBe(true);
    expect((await change({ mandatory_storage_time: 1 })).status).toBe(200);
    expect((await superuser.send('GET', '/auth/permissions')).data()).toMatchObject({ service_mode: true });
    expect((await set({ data: { service_mode: false } })).data()).toMatchObject({ service_mode: false });
    expect((await read()).mandatory_storage_time).toBe(1);
  });

  it.each([
    {},
    { service_mode: 'on' },
    { service_mode: null },
    { service_mode: 1 },
    { service_mode: true, more: 1 },
  ])('refuses %j', async (body) => expect((await set(body)).status).toBe(400));
});

describe('media servers', () => {
  it('begin with this host as the primary one', async () => {
    const [primary] = (await superuser.send('GET', '/media_servers')).data<Record<string, unknown>[]>();
    expect(primary).toMatchObject({ id: 1, role: 'primary', online: true, pools_count: 1, active_tasks: 0 });
    expect(Object.keys(primary ?? {}).sort()).toEqual(
      ['active_tasks', 'description', 'id', 'ip', 'name', 'online', 'pools_count', 'role', 'version'].sort(),
    );
  });

  it('count their active tasks', async () => {
    const rows = rowsOf(app.database.db);
    await rows.task({ status: 'transmission' });
    await rows.task({ status: 'done' });
    expect((await superuser.send('GET', '/media_servers/1')).data()).toMatchObject({ active_tasks: 1 });
  });

  it('change their description only', async () => {
    const changed = await superuser.send('PATCH', '/media_servers/1', { description: 'cellar' });
    expect(changed).toMatchObject({ status: 200, body: { data: { description: 'cellar' } } });
    expect((await superuser.send('PATCH', '/media_servers/1', { description: null })).data()).toMatchObject({
      description: null,
    });
    expect((await superuser.send('PATCH', '/media_servers/1', { name: 'other' })).status).toBe(400);
    expect((await superuser.send('PATCH', '/media_servers/9', { description: 'x' })).status).toBe(404);
    expect((await superuser.send('GET', '/media_servers/9')).status).toBe(404);
  });

  it('stay when they are primary or have pools; the rest can go, all or none', async () => {
    const rows = rowsOf(app.database.db);
    const free = await rows.mediaServer('free');
    const used = await rows.mediaServer('used');
    const pool = { pool_name: 'There', pool_type: 'File system', media_server: 'used' };
    expect((await superuser.send('POST', '/pools', pool)).status).toBe(201);
    const remove = (ids: number[]) => superuser.send('DELETE', '/media_servers', { ids });
    expect((await remove([1])).status).toBe(400);
    expect((await remove([free, used])).status).toBe(400);
    expect((await remove([free, 99])).status).toBe(404);
    expect((await remove([free])).data()).toEqual({ ids: [free] });
  });
});

describe('rights', () => {
  const pool = { pool_name: 'New', pool_type: 'File system', media_server: 'x' };
  const calls = [
    [
      'GET',
      '/pools',
      undefined,
      { superuser: 200, supervisor: 200, maintainer: 200, administrator: 200, auditor: 200 },
    ],
    [
      'POST',
      '/pools',
      pool,
      { superuser: 400, supervisor: 400, maintainer: 400, administrator: 403, auditor: 403 },
    ],
    [
      'DELETE',
      '/pools',
      { ids: [99] },
      { superuser: 404, supervisor: 404, maintainer: 404, administrator: 403, auditor: 403 },
    ],
    [
      'PATCH',
      '/clients/99',
      {},
      { superuser: 404, supervisor: 404, maintainer: 403, administrator: 404, auditor: 403 },
    ],
    [
      'DELETE',
      '/clients',
      { ids: [99] },
      { superuser: 404, supervisor: 404, maintainer: 403, administrator: 403, auditor: 403 },
    ],
    [
      'GET',
      '/users',
      undefined,
      { superuser: 200, supervisor: 200, maintainer: 403, administrator: 403, auditor: 200 },
    ],
    [
      'DELETE',
      '/users/99',
      undefined,
      { superuser: 404, supervisor: 403, maintainer: 403, administrator: 403, auditor: 403 },
    ],
    [
      'GET',
      '/global_configuration',
      undefined,
      { superuser: 200, supervisor: 200, maintainer: 200, administrator: 403, auditor: 200 },
    ],
    [
      'PATCH',
      '/global_configuration',
      { bad: 1 },
      { superuser: 400, supervisor: 400, maintainer: 403, administrator: 403, auditor: 403 },
    ],
    [
      'PATCH',
      '/global_configuration/service_mode',
      {},
      { superuser: 400, supervisor: 400, maintainer: 403, administrator: 403, auditor: 403 },
    ],
    [
      'POST',
      '/storage_local_catalogs',
      {},
      { superuser: 400, supervisor: 400, maintainer: 400, administrator: 403, auditor: 403 },
    ],
    [
      'PATCH',
      '/media_servers/99',
      {},
      { superuser: 404, supervisor: 404, maintainer: 404, administrator: 403, auditor: 403 },
    ],
    [
      'POST',
      '/client_groups',
      {},
      { superuser: 400, supervisor: 400, maintainer: 403, administrator: 403, auditor: 403 },
    ],
  ] as const;

  it.each(['superuser', 'supervisor', 'maintainer', 'administrator', 'auditor'] as const)(
    'of a %s are those of the table, and are asked before anything else',
    async (role) => {
      const session = await app.loginAs(role);
      const answers: Record<string, number> = {};
      for (const [method, path, body] of calls) {
        answers[`${method} ${path}`] = (await session.send(method, path, body)).status;
      }
      expect(answers).toEqual(
        Object.fromEntries(calls.map(([method, path, , expected]) => [`${method} ${path}`, expected[role]])),
      );
    },
  );

  it('begin with a login', async () => {
    for (const [method, path, body] of calls) expect((await app.send(method, path, body)).status).toBe(401);
  });
});
