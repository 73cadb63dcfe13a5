import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addUser, handClock, startTestApp, type TestApp, testPassword } from '../../support/backend.ts';

const clock = handClock();
let backend: TestApp;

beforeEach(async () => {
  clock.set(Date.UTC(2030, 0, 15, 12));
  backend = await startTestApp({ clock });
  await addUser(backend.built, { userName: 'root', roles: ['superuser'] });
});
afterEach(() => backend.close());

const login = (more: Record<string, unknown> = {}) =>
  backend.send('POST', '/auth/login', {
    backup_database: 'strongroom',
    backup_user: 'root',
    password: testPassword,
    ...more,
  });

async function configure(name: string, value: unknown): Promise<void> {
  await backend.database.db
    .insertInto('configuration')
    .values({ name, value: JSON.stringify(value) })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: JSON.stringify(value) }))
    .execute();
}

describe('a login', () => {
  it('answers tokens, user and previous logins, and sets both cookies', async () => {
    const answer = await login();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ errors: {}, is_error: false, message: '' });
    const data = answer.data<Record<string, unknown>>();
    expect(Object.keys(data).sort()).toEqual(
      [
        'access_token',
        'refresh_token',
        'csrf_token',
        'last_fail_login',
        'last_success_login',
        'package_version',
        'role',
        'backup_server_address',
        'user_name',
      ].sort(),
    );
    expect(data).toMatchObject({ role: ['superuser'], user_name: 'root', last_success_login: null });
    const cookies = answer.cookies.map(
      ({ name, value, httpOnly, path, sameSite, maxAge, expires, secure }) => ({
        name,
        value,
        httpOnly,
        path,
        sameSite,
        session: maxAge === undefined && expires === undefined,
        secure: secure ?? false,
      }),
    );
    const common = { httpOnly: true, path: '/', sameSite: 'Lax', session: true, secure: false };
    expect(cookies).toEqual([
      { name: 'access_token_cookie', value: data.access_token, ...common },
      { name: 'refresh_token_cookie', value: data.refresh_token, ...common },
    ]);
  });

  it('takes the form of three fields and that of five', async () => {
    expect((await login()).status).toBe(200);
    expect((await login({ auth_type: 'database' })).status).toBe(200);
    expect((await login({ auth_type: 'database', domain: '' })).status).toBe(200);
    const wrapped = { data: { backup_database: 'strongroom', backup_user: 'root', password: testPassword } };
    expect((await backend.send('POST', '/auth/login', wrapped)).status).toBe(200);
  });

  it('names the field that is missing or wrong', async () => {
    const without = await backend.send('POST', '/auth/login', {
      backup_database: 'strongroom',
      password: 'x',
    });
    expect(without.status).toBe(400);
    expect(without.body.errors).toEqual({ backup_user: 'is required' });
    expect(without.body).toMatchObject({ data: null, is_error: true });
    expect((await login({ auth_type: 'ldap' })).body.errors).toHaveProperty('auth_type');
    expect((await login({ auth_type: 'domain' })).body.errors).toHaveProperty('domain');
    expect((await login({ password: 7 })).body.errors).toHaveProperty('password');
    expect((await login({ extra: 1 })).body.errors).toHaveProperty('extra');
  });

  it('refuses a domain login as long as there is no domain connection', async () => {
    const answer = await login({ auth_type: 'domain', domain: 'LAB' });
    expect(answer.status).toBe(401);
    expect(answer.body.message).toContain('domain connection');
  });

  it('tells the same whatever is wrong', async () => {
    await addUser(backend.built, { userName: 'gone', roles: ['auditor'], enabled: false });
    const answers = await Promise.all([
      login({ password: 'wrong' }),
      login({ backup_user: 'nobody' }),
      login({ backup_database: 'other' }),
      login({ backup_user: 'gone' }),
      login({ password: '' }),
      login({ password: 'x'.repeat(5000) }),
      login({ backup_user: 'ROOT' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(answers.length).fill(401));
    expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
    expect(answers.every(({ cookies }) => cookies.length === 0)).toBe(true);
  });

  it('takes composed and decomposed letters for the same password', async () => {
    await addUser(backend.built, {
      userName: 'zoe',
      roles: ['auditor'],
      password: 'zo\u00eb zo\u00eb zo\u00eb',
    });
    const answer = await login({ backup_user: 'zoe', password: 'zoe\u0308 zoe\u0308 zoe\u0308' });
    expect(answer.status).toBe(200);
  });

  it('shows the logins before this one, and hides them when the configuration says so', async () => {
    await login();
    clock.advance(60_000);
    await login({ password: 'wrong' });
    clock.advance(60_000);
    const third = (await login()).data<Record<string, string>>();
    expect(third.last_success_login).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?$/);
    expect(Date.parse(String(third.last_fail_login)) - Date.parse(String(third.last_success_login))).toBe(
      60_000,
    );
    await configure('show_previous_login_attempts_after_logging_in', 'no');
    expect((await login()).data()).toMatchObject({ last_fail_login: null, last_success_login: null });
  });

  it('marks the cookies Secure on a TLS connection', async () => {
    const secure = await startTestApp({ secure: true });
    await addUser(secure.built, { userName: 'root', roles: ['superuser'] });
    const answer = await secure.send('POST', '/auth/login', {
      backup_database: 'strongroom',
      backup_user: 'root',
      password: testPassword,
    });
    expect(answer.cookies.map(({ secure: marked }) => marked)).toEqual([true, true]);
    await secure.close();
  });
});

describe('the block after failed logins', () => {
  it('begins after five failures, holds against the right password, says so, and ends after the period', async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await login({ password: 'wrong' })).body.message).not.toContain('blocked');
    }
    const blocked = await login();
    expect(blocked.status).toBe(401);
    expect(blocked.body.message).toContain('blocked');
    clock.advance(15 * 60_000 - 1000);
    expect((await login()).status).toBe(401);
    clock.advance(1001);
    expect((await login()).status).toBe(200);
  });

  it('counts consecutive failures only', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let attempt = 0; attempt < 4; attempt += 1) await login({ password: 'wrong' });
      expect((await login()).status).toBe(200);
    }
  });

  it('lets no more guesses reach the hash when they come all at once', async () => {
    let hashed = 0;
    const { verify, verifyNothing } = backend.built.features.passwords;
    Object.assign(backend.built.features.passwords, {
      verify: (stored: string, password: string) => {
        hashed += 1;
        return verify(stored, password);
      },
      verifyNothing,
    });
    const answers = await Promise.all(Array.from({ length: 100 }, () => login({ password: 'wrong' })));
    expect(answers.every(({ status }) => status === 401)).toBe(true);
    expect(hashed).toBe(5);
  });

  it('does not shut out right logins that come all at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => login()));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  it('survives a restart, counts accounts that do not exist, and knows no upper and lower case', async () => {
    for (const name of ['Nobody', 'nobody', 'NOBODY', 'nobody', 'nobody']) await login({ backup_user: name });
    expect((await login({ backup_user: 'nobody' })).body.message).toContain('blocked');
    const again = await startTestApp({ clock, dataDir: backend.dataDir });
    const answer = await again.send('POST', '/auth/login', {
      backup_database: 'strongroom',
      backup_user: 'nobody',
      password: 'x',
    });
    expect(answer.body.message).toContain('blocked');
    await again.close();
  });

  it('never happens with a limit of 0', async () => {
    await configure('wrong_auth_attempts_count', 0);
    for (let attempt = 0; attempt < 12; attempt += 1) await login({ password: 'wrong' });
    expect((await login()).status).toBe(200);
  });

  it('is over at once when the clock has been set back beyond the period', async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) await login({ password: 'wrong' });
    clock.advance(-24 * 60 * 60_000);
    expect((await login()).status).toBe(200);
  });
});

describe('the launch secret of the desktop app', () => {
  const launchSecret = 'k'.repeat(43);

  it('signs in as the first superuser only, from this host only', async () => {
    const launched = await startTestApp({ launchSecret });
    await addUser(launched.built, { userName: 'root', roles: ['superuser'] });
    await addUser(launched.built, { userName: 'second', roles: ['superuser'] });
    const asUser = (user: string, remoteAddress: string) =>
      launched.app.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        headers: { host: '127.0.0.1' },
        remoteAddress,
        payload: { backup_database: 'strongroom', backup_user: user, password: launchSecret },
      });
    expect((await asUser('root', '127.0.0.1')).statusCode).toBe(200);
    expect((await asUser('root', '192.0.2.7')).statusCode).toBe(401);
    expect((await asUser('second', '127.0.0.1')).statusCode).toBe(401);
    await launched.close();
  });

  it('is no password where no app has started the backend', async () => {
    expect((await login({ password: launchSecret })).status).toBe(401);
  });
});
