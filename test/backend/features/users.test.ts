import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { User } from '../../../contract/users/user.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';

let app: TestApp;
let superuser: Session;

beforeEach(async () => {
  app = await startTestApp({ started: true });
  superuser = await app.loginAs('superuser');
});
afterEach(() => app.close());

const password = 'a long enough one';
const create = (data: Record<string, unknown>, by: Session = superuser) =>
  by.send('POST', '/users', { data: { user_name: 'eve', password, roles: ['maintainer'], ...data } });
const makeUser = async (data: Record<string, unknown> = {}): Promise<number> => {
  const answer = await create(data);
  expect(answer.body.errors).toEqual({});
  expect(answer.status).toBe(201);
  return answer.data<{ id: number }>().id;
};
const ownId = async (): Promise<number> => {
  const users = (await superuser.send('GET', '/users')).data<User[]>();
  return users.find((user) => user.user_name === 'superuser')?.id ?? 0;
};

describe('users', () => {
  it('are made with roles and client groups and can log in; their password is never answered', async () => {
    await superuser.send('POST', '/client_groups', { data: { name: 'Servers' } });
    const id = await makeUser({ roles: ['administrator', 'auditor'], client_groups: ['Servers', 1] });
    const user = await superuser.send('GET', `/users/${id}`);
    expect(user.data()).toMatchObject({
      id,
      user_name: 'eve',
      roles: ['administrator', 'auditor'],
      client_groups: ['No group', 'Servers'],
      enabled: true,
      last_success_login: null,
      last_fail_login: null,
    });
    expect(JSON.stringify(user.body)).not.toMatch(/password|argon2/);
    const session = await app.login('eve', password);
    expect((await session.send('GET', '/auth/permissions')).data()).toMatchObject({
      role: ['administrator', 'auditor'],
    });
    expect((await superuser.send('GET', `/users/${id}`)).data<User>().last_success_login).not.toBeNull();
  });

  it.each([
    [{ user_name: '' }, 'user_name'],
    [{ user_name: 'SuperUser' }, 'user_name'],
    [{ user_name: 'a\u0000' }, 'user_name'],
    [{ password: 'short' }, 'password'],
    [{ password: 'x'.repeat(1025) }, 'password'],
    [{ password: undefined }, 'password'],
    [{ password: null }, 'password'],
    [{ roles: [] }, 'roles'],
    [{ roles: ['root'] }, 'roles'],
    [{ roles: 'auditor' }, 'roles'],
    [{ roles: ['auditor', 'auditor'] }, 'roles'],
    [{ roles: ['superuser', 'auditor'] }, 'roles'],
    [{ client_groups: ['Nobody'] }, 'client_groups'],
    [{ client_groups: [99] }, 'client_groups'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ id: 5 }, 'id'],
  ])('are refused with %j', async (data, field) => {
    const answer = await create(data);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveProperty(field);
    expect(JSON.stringify(answer.body)).not.toContain('short');
    expect((await superuser.send('GET', '/users')).data<User[]>()).toHaveLength(1);
  });

  it('change only in what was sent', async () => {
    const id = await makeUser({ client_groups: ['No group'] });
    const renamed = await superuser.send('PATCH', `/users/${id}`, { data: { user_name: 'EVE' } });
    expect(renamed).toMatchObject({
      status: 200,
      body: { data: { user_name: 'EVE', roles: ['maintainer'], client_groups: ['No group'], enabled: true } },
    });
    await app.login('EVE', password);
    const cleared = await superuser.send('PATCH', `/users/${id}`, { data: { client_groups: null } });
    expect(cleared.data()).toMatchObject({ client_groups: [] });
    expect((await superuser.send('PATCH', `/users/${id}`, { data: { user_name: 'superuser' } })).status).toBe(
      400,
    );
    expect((await superuser.send('PATCH', `/users/${id}`, { data: { password: null } })).status).toBe(400);
    expect((await superuser.send('PATCH', '/users/99', { data: { enabled: true } })).status).toBe(404);
    expect((await superuser.send('GET', '/users/99')).status).toBe(404);
  });

  it('lose their sessions with a new password; the caller keeps the own one', async () => {
    const id = await makeUser({ roles: ['superuser'] });
    const eve = await app.login('eve', password);
    const other = await app.login('eve', password);
    const changed = await eve.send('PATCH', `/users/${id}`, { data: { password: 'another long one' } });
    expect(changed.status).toBe(200);
    expect((await eve.send('GET', '/users')).status).toBe(200);
    expect((await other.send('GET', '/users')).status).toBe(401);
    await app.login('eve', 'another long one');
    await expect(app.login('eve', password)).rejects.toThrow('401');
  });

  it('are out at once when they are disabled or removed, and change rights with their roles', async () => {
    const id = await makeUser();
    const eve = await app.login('eve', password);
    await superuser.send('PATCH', `/users/${id}`, { data: { roles: ['auditor'] } });
    expect((await eve.send('POST', '/pools', {})).status).toBe(403);
    await superuser.send('PATCH', `/users/${id}`, { data: { enabled: false } });
    expect((await eve.send('GET', '/pools')).status).toBe(401);
    await superuser.send('PATCH', `/users/${id}`, { data: { enabled: true } });
    const again = await app.login('eve', password);
    expect((await superuser.send('DELETE', `/users/${id}`)).data()).toEqual({ ids: [id] });
    expect((await again.send('GET', '/pools')).status).toBe(401);
  });
});

describe('the last enabled superuser', () => {
  it('cannot be removed, disabled or given another role', async () => {
    const id = await ownId();
    await makeUser({ roles: ['superuser'], enabled: false });
    const attempts = await Promise.all([
      superuser.send('DELETE', `/users/${id}`),
      superuser.send('DELETE', '/users', { ids: [id] }),
      superuser.send('PATCH', `/users/${id}`, { data: { enabled: false } }),
      superuser.send('PATCH', `/users/${id}`, { data: { roles: ['supervisor'] } }),
    ]);
    expect(attempts.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(attempts.map(({ body }) => Object.keys(body.errors)[0])).toEqual([
      'ids',
      'ids',
      'enabled',
      'roles',
    ]);
  });

  it('is one of two that are changed at the same moment', async () => {
    const first = await ownId();
    const second = await makeUser({ roles: ['superuser'] });
    const answers = await Promise.all(
      [first, second].map((id) => superuser.send('PATCH', `/users/${id}`, { data: { roles: ['auditor'] } })),
    );
    // The first change may already have taken the caller's right to make the second one.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const rows = await app.database.db.selectFrom('user_roles').select('role').execute();
    expect(rows.filter(({ role }) => role === 'superuser')).toHaveLength(1);
  });
});

describe('removing users', () => {
  it('is all or nothing', async () => {
    const id = await makeUser();
    expect((await superuser.send('DELETE', '/users', { ids: [id, 99] })).status).toBe(404);
    expect((await superuser.send('GET', `/users/${id}`)).status).toBe(200);
    expect((await superuser.send('DELETE', '/users/99')).status).toBe(404);
  });
});
