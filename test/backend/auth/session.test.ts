import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handClock, type Session, startTestApp, type TestApp } from '../../support/backend.ts';

const clock = handClock();
let backend: TestApp;
let root: Session;

beforeEach(async () => {
  clock.set(Date.UTC(2030, 0, 15, 12));
  backend = await startTestApp({ clock });
  root = await backend.loginAs('superuser');
});
afterEach(() => backend.close());

const who = (headers: Record<string, string>) => backend.send('GET', '/auth/permissions', undefined, headers);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const cookies = (session: Session) => ({
  cookie: `access_token_cookie=${session.accessToken}; refresh_token_cookie=${session.refreshToken}`,
});
const refreshHeaders = (session: Session) => ({
  'authorization-access-token': `Bearer ${session.accessToken}`,
  authorization: `Bearer ${session.refreshToken}`,
});
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
const renewed = (answer: { data<T>(): T }): Session => {
  const data = answer.data<{ access_token: string; refresh_token: string; csrf_token: string }>();
  return {
    ...root,
    accessToken: data.access_token,
    refreshToken: data.refresh_token,
    csrfToken: data.csrf_token,
  };
};

describe('an access token', () => {
  it('is taken from the header, else from the cookie, and a bad header is not saved by a good cookie', async () => {
    expect((await who(bearer(root.accessToken))).status).toBe(200);
    expect((await who(cookies(root))).status).toBe(200);
    expect((await who({ ...cookies(root), ...bearer('nonsense') })).status).toBe(401);
    expect((await who({ ...cookies(root), authorization: 'Basic cm9vdDp4' })).status).toBe(401);
    expect((await who({})).status).toBe(401);
  });

  it('carries the usual claims', () => {
    expect(Object.keys(claimsOf(root.accessToken)).sort()).toEqual(
      ['csrf', 'exp', 'fresh', 'iat', 'jti', 'nbf', 'sid', 'sub', 'type'].sort(),
    );
    expect(claimsOf(root.accessToken)).toMatchObject({ type: 'access', fresh: true, csrf: root.csrfToken });
    expect(claimsOf(root.refreshToken)).toMatchObject({ type: 'refresh', csrf: root.csrfToken });
  });

  it('counts for 15 minutes', async () => {
    clock.advance(15 * 60_000 - 1000);
    expect((await who(bearer(root.accessToken))).status).toBe(200);
    clock.advance(1000);
    const late = await who(bearer(root.accessToken));
    expect(late.status).toBe(401);
    expect(late.body).toMatchObject({ data: null, is_error: true });
  });

  it('is refused when it is forged, of another kind or cut', async () => {
    const [head = '', payload = '', signature = ''] = root.accessToken.split('.');
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const none = `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`;
    const otherKey = `${head}.${payload}.${createHmac('sha256', 'guess').update(`${head}.${payload}`).digest('base64url')}`;
    const changed = `${head}.${encode({ ...claimsOf(root.accessToken), sub: '2' })}.${signature}`;
    const kid = `${encode({ alg: 'HS256', kid: '../../../dev/null' })}.${payload}.${signature}`;
    const bad = [
      none,
      otherKey,
      changed,
      kid,
      root.refreshToken,
      `${head}.${payload}`,
      '',
      'x'.repeat(10_000),
    ];
    for (const token of bad) expect((await who(bearer(token))).status).toBe(401);
  });

  it('of another instance with the same user is worthless', async () => {
    const other = await startTestApp({ clock });
    const stranger = await other.loginAs('superuser');
    expect((await who(bearer(stranger.accessToken))).status).toBe(401);
    await other.close();
  });

  it('ends with a restart, and so does everything else of the session', async () => {
    const again = await startTestApp({ clock, dataDir: backend.dataDir });
    expect((await again.send('GET', '/auth/permissions', undefined, bearer(root.accessToken))).status).toBe(
      401,
    );
    expect((await again.send('POST', '/auth/refresh', undefined, refreshHeaders(root))).status).toBe(401);
    await again.close();
  });
});

describe('a change with cookies', () => {
  const logout = (headers: Record<string, string>) =>
    backend.send('DELETE', '/auth/logout', undefined, { ...cookies(root), ...headers });

  it('needs the CSRF token of the same session', async () => {
    const other = await backend.loginAs('auditor');
    expect((await logout({})).status).toBe(401);
    expect((await logout({ 'x-csrf-token': 'wrong' })).status).toBe(401);
    expect((await logout({ 'x-csrf-token': other.csrfToken })).status).toBe(401);
    expect((await logout({ 'x-csrf-token': root.csrfToken })).status).toBe(200);
  });

  it('needs none with a header token, nor does reading', async () => {
    expect((await who(cookies(root))).status).toBe(200);
    expect((await backend.send('DELETE', '/auth/logout', undefined, bearer(root.accessToken))).status).toBe(
      200,
    );
  });
});

describe('a refresh', () => {
  const refresh = (headers: Record<string, string>) =>
    backend.send('POST', '/auth/refresh', undefined, headers);

  it('takes both tokens from headers, answers like a login and sets both cookies', async () => {
    const answer = await refresh(refreshHeaders(root));
    expect(answer.status).toBe(200);
    expect(answer.data()).toMatchObject({
      user_name: 'superuser',
      role: ['superuser'],
      csrf_token: root.csrfToken,
    });
    expect(answer.cookies.map(({ name }) => name)).toEqual(['access_token_cookie', 'refresh_token_cookie']);
    const next = renewed(answer);
    expect(next.accessToken).not.toBe(root.accessToken);
    expect((await who(bearer(next.accessToken))).status).toBe(200);
    expect(claimsOf(next.accessToken)).toMatchObject({ fresh: false, sid: claimsOf(root.accessToken).sid });
  });

  it('takes both tokens from cookies, without a CSRF token', async () => {
    expect((await refresh(cookies(root))).status).toBe(200);
  });

  it('works with an access token that has expired, but not without one', async () => {
    clock.advance(20 * 60 * 60_000);
    expect((await refresh(bearer(root.refreshToken))).status).toBe(401);
    expect((await refresh({ 'authorization-access-token': `Bearer ${root.accessToken}` })).status).toBe(401);
    expect((await refresh({})).status).toBe(401);
    expect((await refresh(refreshHeaders(root))).status).toBe(200);
  });

  it('is refused after 24 hours', async () => {
    clock.advance(24 * 60 * 60_000);
    expect((await refresh(refreshHeaders(root))).status).toBe(401);
  });

  it('is refused with tokens of two sessions or with the two swapped', async () => {
    const other = await backend.loginAs('auditor');
    expect((await refresh(refreshHeaders({ ...root, accessToken: other.accessToken }))).status).toBe(401);
    const swapped = { ...root, accessToken: root.refreshToken, refreshToken: root.accessToken };
    expect((await refresh(refreshHeaders(swapped))).status).toBe(401);
    expect((await refresh(refreshHeaders(root))).status).toBe(200);
  });

  it('spends its token: a second use ends the whole session', async () => {
    const next = renewed(await refresh(refreshHeaders(root)));
    expect((await who(bearer(next.accessToken))).status).toBe(200);
    expect((await refresh(refreshHeaders(root))).status).toBe(401);
    expect((await who(bearer(next.accessToken))).status).toBe(401);
    expect((await refresh(refreshHeaders(next))).status).toBe(401);
  });

  it('gives new tokens to one of many callers with the same token', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refreshHeaders(root))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
  });

  it('stores only a digest of the token', async () => {
    const rows = await backend.database.db.selectFrom('sessions').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(root.refreshToken);
    expect(rows.map(({ refresh_hash }) => refresh_hash)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });
});

describe('a logout', () => {
  it('ends both tokens at once and clears the cookies', async () => {
    const answer = await root.send('DELETE', '/auth/logout');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ data: null, errors: {}, is_error: false, message: '' });
    expect(answer.cookies.map(({ name, value }) => [name, value])).toEqual([
      ['access_token_cookie', ''],
      ['refresh_token_cookie', ''],
    ]);
    expect((await root.send('GET', '/auth/permissions')).status).toBe(401);
    expect((await backend.send('POST', '/auth/refresh', undefined, refreshHeaders(root))).status).toBe(401);
    expect((await root.send('DELETE', '/auth/logout')).status).toBe(401);
  });

  it('leaves other sessions of the same user alone', async () => {
    const second = await backend.loginAs('superuser');
    await root.send('DELETE', '/auth/logout');
    expect((await second.send('GET', '/auth/permissions')).status).toBe(200);
  });
});

describe('rights', () => {
  it('are listed with the mode of the server', async () => {
    const answer = await root.send('GET', '/auth/permissions');
    const data = answer.data<{ role: string[]; permissions: string[]; service_mode: boolean }>();
    expect(data).toMatchObject({ role: ['superuser'], service_mode: false });
    expect(data.permissions).toContain('users.delete');
    const auditor = await backend.loginAs('auditor');
    const { permissions } = (await auditor.send('GET', '/auth/permissions')).data<{
      permissions: string[];
    }>();
    expect(permissions.every((permission) => permission.endsWith('.read'))).toBe(true);
  });

  it('add up over all roles of a user', async () => {
    const both = await backend.loginAs(['auditor', 'administrator']);
    const { permissions, role } = (await both.send('GET', '/auth/permissions')).data<{
      permissions: string[];
      role: string[];
    }>();
    expect(role).toEqual(['administrator', 'auditor']);
    expect(permissions).toEqual(expect.arrayContaining(['repository.restore', 'users.read']));
  });

  it('change at once with the role, and end at once with the account', async () => {
    const user = await backend.loginAs('maintainer');
    const { db } = backend.database;
    const { id } = await db
      .selectFrom('users')
      .select('id')
      .where('user_name', '=', 'maintainer')
      .executeTakeFirstOrThrow();
    await db.updateTable('user_roles').set({ role: 'auditor' }).where('user_id', '=', id).execute();
    expect((await user.send('GET', '/auth/permissions')).data()).toMatchObject({ role: ['auditor'] });
    await db.updateTable('users').set({ enabled: 0 }).where('id', '=', id).execute();
    expect((await user.send('GET', '/auth/permissions')).status).toBe(401);
    expect((await backend.send('POST', '/auth/refresh', undefined, refreshHeaders(user))).status).toBe(401);
  });
});

describe('the audit record', () => {
  it('names who logged in, who failed and who logged out', async () => {
    await backend.send('POST', '/auth/login', {
      backup_database: 'strongroom',
      backup_user: 'mallory',
      password: 'wrong-secret',
    });
    await root.send('DELETE', '/auth/logout');
    const read = async () =>
      (
        await backend.database.db
          .selectFrom('audit')
          .select(['user_name', 'action', 'status'])
          .orderBy('id')
          .execute()
      ).map((row) => ({ ...row }));
    // A record is written once the answer is out.
    await expect.poll(async () => (await read()).length).toBe(3);
    const rows = await read();
    expect(rows).toEqual([
      { user_name: 'superuser', action: 'auth.login', status: 200 },
      { user_name: 'mallory', action: 'auth.login', status: 401 },
      { user_name: 'superuser', action: 'auth.logout', status: 200 },
    ]);
    expect(JSON.stringify(rows)).not.toContain('wrong-secret');
  });
});
