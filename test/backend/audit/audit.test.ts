import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAuditStore } from '../../../backend/features/audit/audit-store.ts';
import type { AuditRecord } from '../../../contract/audit/audit-log.ts';
import { addUser, startTestApp, type TestApp, testPassword } from '../../support/backend.ts';

let backend: TestApp;
beforeEach(async () => {
  backend = await startTestApp({ started: true });
});
afterEach(() => backend.close());

const rows = async () =>
  (await backend.database.db.selectFrom('audit').selectAll().orderBy('id').execute()).map((row) => ({
    ...row,
  }));

it('every change is recorded with who, what and how it ended, reading is not, strangers are not', async () => {
  const root = await backend.loginAs('superuser');
  const auditor = await backend.loginAs('auditor');
  const before = (await rows()).length;
  const made = (await root.send('POST', '/client_groups', { name: 'new' })).data<{ id: number }>();
  await root.send('PATCH', '/client_groups/9999', { name: 'x' });
  await auditor.send('DELETE', '/client_groups', { ids: [1] });
  await root.send('DELETE', '/client_groups', { ids: [made.id] });
  await root.send('GET', '/client_groups');
  await root.send('POST', '/clients/tree', { clients: [] });
  await backend.send('DELETE', '/client_groups', { ids: [1] });
  // A record is written once the answer is out.
  await expect.poll(async () => (await rows()).slice(before).length).toBe(4);
  expect((await rows()).slice(before)).toMatchObject([
    {
      user_name: 'superuser',
      action: 'clientGroups.create',
      object_id: made.id,
      status: 201,
      address: '127.0.0.1',
      details: null,
    },
    { user_name: 'superuser', action: 'clientGroups.update', object_id: 9999, status: 404 },
    {
      user_name: 'auditor',
      action: 'clientGroups.deleteMany',
      object_id: null,
      status: 403,
      details: null,
    },
    { user_name: 'superuser', action: 'clientGroups.deleteMany', status: 200, details: `ids: ${made.id}` },
  ]);
});

it('the record is bounded, the newest stay', async () => {
  const store = createAuditStore(backend.database, () => 1, 500);
  const entry = {
    user: null,
    userName: 'x'.repeat(1_000),
    address: '::1',
    action: 'a',
    objectId: null,
    status: 401,
  };
  await backend.database.db.transaction().execute(async (tx) => {
    const inTransaction = createAuditStore({ db: tx, dialect: backend.database.dialect }, () => 1, 500);
    for (let number = 0; number < 2_100; number += 1) await inTransaction.record(entry);
  });
  await store.record(entry);
  const kept = await rows();
  expect(kept.length).toBeLessThan(1_500);
  expect(kept.at(-1)).toMatchObject({ user_name: 'x'.repeat(255) });
});

it('is read newest first, searched and filtered, by those who may', async () => {
  const root = await backend.loginAs('superuser');
  await root.send('POST', '/client_groups', { name: 'new' });
  await backend.send('POST', '/auth/login', {
    backup_database: 'strongroom',
    backup_user: 'nobody',
    password: 'wrong password',
  });
  const read = async (query: string) =>
    (await root.send('GET', `/audit_log${query}`)).data<{ action: string; user_name: string }[]>();
  await expect.poll(() => read('?action=clientGroups.create')).toHaveLength(1);
  expect((await read('?limit=1'))[0]).toMatchObject({
    action: 'auth.login',
    user_name: 'nobody',
    status: 401,
  });
  expect(await read('?search=NOBODY')).toHaveLength(1);
  const auditor = await backend.loginAs('auditor');
  expect((await auditor.send('GET', '/audit_log')).status).toBe(200);
  for (const role of ['maintainer', 'administrator'] as const) {
    expect((await (await backend.loginAs(role)).send('GET', '/audit_log')).status).toBe(403);
  }
});

it('tells of logins, of why they failed, and of logouts', async () => {
  const root = await backend.loginAs('superuser');
  await addUser(backend.built, { userName: 'away', roles: ['auditor'], enabled: false });
  await addUser(backend.built, { userName: 'guessed', roles: ['auditor'] });
  const tryLogin = async (more: object) =>
    (
      await backend.send('POST', '/auth/login', {
        backup_database: 'strongroom',
        backup_user: 'superuser',
        password: testPassword,
        ...more,
      })
    ).body.message;
  const told = [
    await tryLogin({ backup_user: 'nobody' }),
    await tryLogin({ backup_user: 'superuser', password: 'wrong' }),
    await tryLogin({ backup_user: 'away' }),
    await tryLogin({ backup_database: 'other' }),
  ];
  // The caller learns nothing of it.
  expect(new Set(told).size).toBe(1);
  for (let attempt = 0; attempt < 6; attempt += 1) await tryLogin({ backup_user: 'guessed', password: 'no' });
  await tryLogin({ auth_type: 'domain', domain: 'example.test' });
  await tryLogin({});
  const leaving = await backend.login('superuser', testPassword);
  await leaving.send('DELETE', '/auth/logout');
  const log = async () =>
    (await root.send('GET', '/audit_log?order=asc')).data<AuditRecord[]>().map((row) => ({
      user: row.user_name,
      action: row.action,
      status: row.status,
      details: row.details,
    }));
  await expect.poll(async () => (await log()).at(-1)?.action).toBe('auth.logout');
  const login = (user: string, status: number, details: string) => ({
    user,
    action: 'auth.login',
    status,
    details,
  });
  const records = await log();
  expect(records).toEqual(
    expect.arrayContaining([
      login('nobody', 401, 'database login: unknown user'),
      login('superuser', 401, 'database login: wrong password'),
      login('away', 401, 'database login: the account is disabled'),
      login('superuser', 401, 'database login: unknown database'),
      login('superuser', 200, 'database login'),
      { user: 'superuser', action: 'auth.logout', status: 200, details: null },
    ]),
  );
  const blocked = records.filter(({ user }) => user === 'guessed').map(({ details }) => details);
  expect(blocked.slice(0, 5)).toEqual(Array(5).fill('database login: wrong password'));
  expect(blocked[5]).toContain('blocked');
  const domain = records.find(({ details }) => details?.startsWith('login to the domain example.test'));
  expect(domain).toMatchObject({ user: 'superuser', status: 401 });
});
