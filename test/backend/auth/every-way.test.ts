import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../../../backend/features/first-start.ts';
import { api } from '../../../contract/api.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import {
  type HandClock,
  handClock,
  type Session,
  startTestApp,
  type TestApp,
  testPassword,
} from '../../support/backend.ts';

const guarded = Object.entries<Endpoint>(api).filter(
  ([, { permission, stream }]) => permission !== 'public' && !stream,
);
const changing = guarded.filter(([, { method }]) => method !== 'GET');
const reading = guarded.filter(([, { method }]) => method === 'GET');

let clock: HandClock;
let backend: TestApp;
let root: Session;

beforeAll(async () => {
  clock = handClock();
  backend = await startTestApp({ clock });
  await seed(backend.built.features);
  root = await backend.loginAs('superuser');
});
afterAll(() => backend.close());

const cookie = () => ({ cookie: `access_token_cookie=${root.accessToken}` });
const absent = ({ path }: Endpoint) => path.replace(/:[a-z_]+/g, 'x999');

describe('the cookie of the login', () => {
  it.each(changing)('does not do for %s without the CSRF token of the session', async (name, endpoint) => {
    const { csrfToken } = await backend.loginAs('auditor');
    const tokens: readonly Record<string, string>[] = [
      {},
      { 'x-csrf-token': '' },
      { 'x-csrf-token': csrfToken },
    ];
    for (const headers of tokens) {
      const answer = await backend.send(
        endpoint.method,
        absent(endpoint),
        { bad: 1 },
        { ...cookie(), ...headers },
      );
      expect([answer.status, answer.body.is_error]).toEqual([401, true]);
    }
    // Ends the session; what it does with the right token stands in the tests of sessions.
    if (name === 'auth.logout') return;
    const answer = await backend.send(
      endpoint.method,
      absent(endpoint),
      { surely_unknown: 1 },
      { ...cookie(), 'x-csrf-token': root.csrfToken },
    );
    expect([401, 403]).not.toContain(answer.status);
  });

  it.each(reading)('does for %s', async (_name, endpoint) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await backend.send(method, absent(endpoint), undefined, cookie());
      expect([401, 403]).not.toContain(answer.status);
    }
  });

  it('is not looked at when a header is there', async () => {
    const answer = await backend.send('GET', '/auth/permissions', undefined, {
      ...cookie(),
      authorization: 'Bearer not.a.token',
    });
    expect(answer.status).toBe(401);
  });
});

describe('limits that are set over the API', () => {
  const login = (password: string) =>
    backend.send('POST', '/auth/login', {
      backup_database: 'strongroom',
      backup_user: 'maintainer',
      password,
    });

  it('block after as many attempts, for as many minutes', async () => {
    await backend.loginAs('maintainer');
    const limits = { wrong_auth_attempts_count: 2, wrong_auth_block_period: 3 };
    expect((await root.send('PATCH', '/global_configuration', limits)).status).toBe(200);
    for (const expected of [false, false, true]) {
      const answer = await login('wrong');
      expect([answer.status, answer.body.message.includes('blocked')]).toEqual([401, expected]);
    }
    clock.advance(3 * 60_000 - 1000);
    expect((await login(testPassword)).status).toBe(401);
    clock.advance(1001);
    expect((await login(testPassword)).status).toBe(200);
  });

  it('hide the logins before this one from everybody', async () => {
    const shown = async () =>
      (await login(testPassword)).data<{
        last_success_login: string | null;
        last_fail_login: string | null;
      }>();
    expect(await shown()).toMatchObject({
      last_success_login: expect.stringMatching(/^2030-01-15T/),
      last_fail_login: expect.stringMatching(/^2030-01-15T/),
    });
    await root.send('PATCH', '/global_configuration', {
      show_previous_login_attempts_after_logging_in: 'no',
    });
    expect(await shown()).toMatchObject({ last_success_login: null, last_fail_login: null });
  });
});
