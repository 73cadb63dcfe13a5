import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../backend/platform/log.ts';
import type { DirectoryCheck } from '../../../contract/directory/directory-check.ts';
import {
  type DirectoryLab,
  directory,
  startDirectory,
  whyNoDirectory,
} from '../../lab/directory/directory.ts';
import { handClock, type Session, startTestApp, type TestApp } from '../../support/backend.ts';

const reason = whyNoDirectory();
if (reason !== null) process.stderr.write(`skipped: domain logins at a real controller, since ${reason}\n`);

const adminGroup = 'Backup Admins';

describe.skipIf(reason !== null)('with a real domain controller,', () => {
  let lab: DirectoryLab;
  let app: TestApp;
  let superuser: Session;
  const clock = handClock();
  const lines: string[] = [];

  beforeAll(async () => {
    lab = await startDirectory();
    const log = createLog({ sinks: [(line) => lines.push(line)], now: Date.now });
    app = await startTestApp({ started: true, clock, log });
    superuser = await app.loginAs('superuser');
  });
  afterAll(async () => {
    await app?.close();
    await lab?.stop();
  });

  const connection = (more: object = {}) => ({
    domain_type: 'MS_AD',
    protocol: 'ldaps',
    address: lab.address,
    port: 636,
    root_cert: lab.authority,
    domain: directory.domain,
    login: directory.login,
    password: directory.password,
    user_search_base: directory.base,
    group_search_base: directory.base,
    ...more,
  });
  const connect = async (more: object = {}): Promise<void> => {
    const answer = await superuser.send('POST', '/auth/ldap/configuration', connection(more));
    expect(answer.body.errors).toEqual({});
    expect(answer.status).toBe(201);
  };
  const map = async (group: string, role: string): Promise<number> =>
    (await superuser.send('POST', '/auth/ldap/mappings', { data: { group, role } })).data<{ id: number }>()
      .id;
  const login = (
    backup_user: string,
    password: string = directory.userPassword,
    domain: string = directory.domain,
  ) =>
    app.send('POST', '/auth/login', {
      backup_database: 'strongroom',
      backup_user,
      password,
      auth_type: 'domain',
      domain,
    });
  const rolesAfter = async (...args: Parameters<typeof login>): Promise<unknown> => {
    const answer = await login(...args);
    return answer.status === 200 ? answer.data<{ role: string[] }>().role : answer.status;
  };
  const lastReason = async (): Promise<string> => {
    const rows = (await superuser.send('GET', '/audit_log?action=auth.login&limit=1')).data<
      { details: string }[]
    >();
    return rows[0]?.details ?? '';
  };

  beforeEach(async () => {
    await app.database.db.deleteFrom('login_attempts').execute();
    await app.database.db.deleteFrom('directory_mappings').execute();
    await connect();
    await map(adminGroup, 'administrator');
    await map('Backup Supervisors', 'supervisor');
  });

  describe('a user is let in', () => {
    it.each(['lab.example', 'LAB', 'Lab.Example', 'lab'])('under the domain name %s', async (domain) => {
      expect(await rolesAfter('alice', undefined, domain)).toEqual(['administrator']);
    });

    it.each(['alice', 'ALICE', 'alice@lab.example', 'LAB\\alice'])('as %s', async (name) => {
      const answer = await login(name);
      expect(answer.data()).toMatchObject({ user_name: 'alice', role: ['administrator'] });
    });

    it('with the roles of all groups, also through other groups and by the primary one', async () => {
      await map('Backup Primary', 'auditor');
      expect(await rolesAfter('bob')).toEqual(['supervisor']);
      expect(await rolesAfter('tw.o')).toEqual(['supervisor', 'administrator']);
      expect(await rolesAfter('pat.primary')).toEqual(['auditor']);
    });

    it('though groups are members of each other in a circle', async () => {
      await map('Loop A', 'maintainer');
      expect(await rolesAfter('carol')).toEqual(['maintainer']);
    });

    it('whatever characters stand in the names and the password', async () => {
      expect(await rolesAfter('юлия', 'Пароль-Юлии!2026')).toEqual(['administrator']);
      await map('Backup (Ops), *Star\\ & <b>', 'maintainer');
      expect(await rolesAfter('john_qa')).toEqual(['maintainer']);
    });

    it('and may do what the role may, until the end of the session', async () => {
      const data = (await login('alice')).data<{ access_token: string; csrf_token: string }>();
      const as = { authorization: `Bearer ${data.access_token}` };
      expect((await app.send('GET', '/clients', undefined, as)).status).toBe(200);
      expect((await app.send('GET', '/users', undefined, as)).status).toBe(403);
      expect((await app.send('GET', '/auth/permissions', undefined, as)).data()).toMatchObject({
        role: ['administrator'],
      });
      const group = await app.send('POST', '/client_groups', { name: 'x' }, as);
      expect(group.status).toBe(403);
      expect((await superuser.send('GET', '/users')).data<{ user_name: string }[]>()).toHaveLength(1);
      expect((await app.send('DELETE', '/auth/logout', undefined, as)).status).toBe(200);
      expect((await app.send('GET', '/clients', undefined, as)).status).toBe(401);
    });

    it('and sees the logins before', async () => {
      await login('alice', 'wrong password');
      clock.advance(60_000);
      await login('alice');
      clock.advance(60_000);
      const data = (await login('alice')).data<{ last_success_login: string; last_fail_login: string }>();
      expect(data.last_success_login > data.last_fail_login).toBe(true);
    });
  });

  describe('nobody is let in, and the caller is not told why,', () => {
    it.each([
      ['alice', 'wrong password', 'wrongPassword'],
      ['alice', '', 'wrongPassword'],
      ['nobody', directory.userPassword, 'unknownUser'],
      ['*', directory.userPassword, 'unknownUser'],
      ['*)(sAMAccountName=*', directory.userPassword, 'unknownUser'],
      ['dan.disabled', directory.userPassword, 'disabled'],
      ['eve.expired', directory.userPassword, 'accountExpired'],
      ['max.mustchange', directory.userPassword, 'mustChangePassword'],
      ['carol', directory.userPassword, 'noRole'],
    ])('as %s with %j (%s)', async (name, password, failure) => {
      const answer = await login(name, password);
      expect(answer).toMatchObject({
        status: 401,
        body: { message: 'The login failed: check database, user and password.', errors: {} },
      });
      expect(await lastReason()).toContain(failure);
    });

    it('in another domain than that of the connection', async () => {
      expect((await login('alice', undefined, 'elsewhere.example')).status).toBe(401);
      expect(await lastReason()).toContain('wrongDomain');
    });

    it('once the controller has locked the account, not even with the right password', async () => {
      await superuser.send('PATCH', '/global_configuration', { wrong_auth_attempts_count: 0 });
      for (let attempt = 0; attempt < 6; attempt += 1) await login('lou.lockme', 'wrong password');
      expect((await login('lou.lockme')).status).toBe(401);
      expect(await lastReason()).toContain('locked');
      await superuser.send('PATCH', '/global_configuration', { wrong_auth_attempts_count: 5 });
    });

    it('after too many attempts here, while users of the server are not touched by that', async () => {
      await superuser.send('PATCH', '/global_configuration', { wrong_auth_attempts_count: 2 });
      for (let attempt = 0; attempt < 2; attempt += 1) await login('bob', 'wrong password');
      const blocked = await login('bob');
      expect(blocked.status).toBe(401);
      expect(blocked.body.message).toContain('blocked');
      clock.advance(16 * 60_000);
      superuser = await app.loginAs('superuser');
      expect(await rolesAfter('bob')).toEqual(['supervisor']);
      await superuser.send('PATCH', '/global_configuration', { wrong_auth_attempts_count: 5 });
    });
  });

  it('guesses at one user under many spellings are counted together', async () => {
    await superuser.send('PATCH', '/global_configuration', { wrong_auth_attempts_count: 3 });
    await login('bob', 'wrong password');
    await login('elsewhere\\bob', 'wrong password', 'LAB');
    await login(' bob', 'wrong password');
    for (const name of ['bob', 'BOB@lab.example', 'other\\bob', 'bob ', '  bob']) {
      const answer = await login(name);
      expect(answer.status).toBe(401);
      expect(answer.body.message).toContain('blocked');
    }
    await superuser.send('PATCH', '/global_configuration', { wrong_auth_attempts_count: 5 });
  });

  it('more logins at once than it keeps connections for are all answered', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => login(at % 2 ? 'alice' : 'bob')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  describe('a refresh asks the controller again:', () => {
    interface Tokens {
      readonly access_token: string;
      readonly refresh_token: string;
      readonly role: readonly string[];
    }
    const refresh = ({ access_token, refresh_token }: Tokens) =>
      app.send('POST', '/auth/refresh', undefined, {
        'authorization-access-token': `Bearer ${access_token}`,
        authorization: `Bearer ${refresh_token}`,
      });

    it('roles follow the groups, and who has left them all is out', async () => {
      const first = (await login('lea.leaving')).data<Tokens>();
      await lab.changeMember('add', 'Backup Supervisors', 'Lea Leaving');
      const second = (await refresh(first)).data<Tokens>();
      expect(second.role).toEqual(['supervisor', 'administrator']);
      for (const group of [adminGroup, 'Backup Supervisors']) {
        await lab.changeMember('delete', group, 'Lea Leaving');
      }
      expect((await refresh(second)).status).toBe(401);
      const as = { authorization: `Bearer ${second.access_token}` };
      expect((await app.send('GET', '/clients', undefined, as)).status).toBe(401);
    });

    it('a renamed user stays, a deleted one is out', async () => {
      await lab.changeMember('add', adminGroup, 'Lea Leaving');
      const first = (await login('lea.leaving')).data<Tokens>();
      await lab.renameUser('Lea Leaving', 'Lea Lasting');
      const second = await refresh(first);
      expect(second.status).toBe(200);
      await lab.deleteUser('Lea Lasting');
      expect((await refresh(second.data<Tokens>())).status).toBe(401);
    });

    it('while it is away the session goes on', async () => {
      const first = (await login('alice')).data<Tokens>();
      await connect({ port: 1 });
      const second = await refresh(first);
      expect(second.status).toBe(200);
      await superuser.send('DELETE', '/auth/ldap/configuration');
      expect((await refresh(second.data<Tokens>())).status).toBe(401);
    });
  });

  describe('the connection', () => {
    it.each([
      ['plain LDAP', { protocol: 'ldap', port: 389, root_cert: null }],
      ['LDAP that is encrypted at once', { protocol: 'ldap', port: 389 }],
    ])('works over %s', async (_name, more) => {
      await connect(more);
      expect(await rolesAfter('alice')).toEqual(['administrator']);
    });

    it('shows the certificate that the controller asks for', async () => {
      await connect({ port: lab.ports.mutual, client_cert: `${lab.client.cert}${lab.client.key}` });
      expect(await rolesAfter('alice')).toEqual(['administrator']);
      await connect({ port: lab.ports.mutual, client_cert: null });
      expect((await login('alice')).status).toBe(401);
      await connect({ port: lab.ports.mutual, client_cert: `${lab.stranger.cert}${lab.stranger.key}` });
      expect((await login('alice')).status).toBe(401);
    });

    it('takes no certificate of a foreign authority, of another host, or out of date', async () => {
      const refused = [
        { root_cert: lab.foreignAuthority },
        { root_cert: null },
        { port: lab.ports.wrongHost },
        { port: lab.ports.expired },
      ];
      for (const more of refused) {
        await connect(more);
        const answer = await login('alice');
        expect(answer.status).toBe(401);
        expect(answer.body.message).toContain('cannot be asked now');
        expect(await lastReason()).toContain('certificate');
      }
    });

    it('that is down or silent is told as such in time, counts as no attempt, and local users log in', async () => {
      await superuser.send('PATCH', '/global_configuration', { wrong_auth_attempts_count: 1 });
      for (const port of [1, lab.ports.silent]) {
        await connect({ port, protocol: 'ldap', root_cert: null });
        const [remote, local] = await Promise.all([login('alice'), app.loginAs('maintainer')]);
        expect(remote.body.message).toContain('cannot be asked now');
        expect((await local.send('GET', '/pools')).status).toBe(200);
      }
      await connect();
      expect(await rolesAfter('alice')).toEqual(['administrator']);
      await superuser.send('PATCH', '/global_configuration', { wrong_auth_attempts_count: 5 });
    });

    it('with a wrong account for the lookups is told as such', async () => {
      await connect({ password: 'not this one' });
      expect((await login('alice')).body.message).toContain('cannot be asked now');
      expect(await lastReason()).toContain('serviceLogin');
    });
  });

  describe('settings that are only tried', () => {
    const check = async (more: object = {}): Promise<DirectoryCheck> =>
      (await superuser.send('POST', '/auth/ldap/check', { data: connection(more) })).data<DirectoryCheck>();
    const told = ({ steps }: DirectoryCheck) =>
      steps.map(({ step, outcome, reason }) => `${step} ${outcome}${reason === null ? '' : `: ${reason}`}`);

    it.each([
      ['LDAPS', {}],
      ['plain LDAP', { protocol: 'ldap', port: 389, root_cert: null }],
      ['StartTLS', { protocol: 'ldap', port: 389 }],
    ])(
      'work over %s, with how many users and groups there are, and the old ones stay',
      async (_name, more) => {
        const before = (await superuser.send('GET', '/auth/ldap/configuration')).data();
        const outcome = await check({ ...more, domain: 'LAB' });
        expect(outcome.works).toBe(true);
        expect(told(outcome)).toEqual(['connect ok', 'sign_in ok', 'domain ok', 'users ok', 'groups ok']);
        expect(outcome.steps[3]?.found).toBeGreaterThan(5);
        expect(outcome.steps[4]?.found).toBeGreaterThan(2);
        expect((await superuser.send('GET', '/auth/ldap/configuration')).data()).toEqual(before);
      },
    );

    it('name every mistake of one visit', async () => {
      const wrong = { domain: 'other.example', user_search_base: `OU=Nowhere,${directory.base}` };
      const [connect, signIn, domain, users, groups] = told(await check(wrong));
      expect([connect, signIn, groups]).toEqual(['connect ok', 'sign_in ok', 'groups ok']);
      expect(domain).toContain('domain failed: it is no name of the domain');
      expect(users).toMatch(/users failed: .*NoSuchObject/);
      const empty = told(await check({ group_search_base: directory.login }));
      expect(empty.at(-1)).toBe(`groups failed: there is no group below ${directory.login}`);
    });

    it('name the account that is not let in, and the certificate that is not trusted', async () => {
      const password = 'Not-This-One!1';
      const refused = told(await check({ password }));
      expect(refused.slice(0, 3)).toEqual([
        'connect ok',
        'sign_in failed: name or password are wrong',
        'domain not_tried',
      ]);
      const [connect, signIn] = told(await check({ root_cert: lab.foreignAuthority, password }));
      expect(connect).toContain('connect failed: its certificate is not accepted');
      expect(signIn).toBe('sign_in not_tried');
      expect(lines.join('\n')).not.toContain(password);
    });
  });

  it('groups are found when they are mapped, refused when they are not there, and later when it was away', async () => {
    const mappings = async () =>
      (await superuser.send('GET', '/auth/ldap/mappings')).data<{ group: string; sid: string | null }[]>();
    expect((await mappings()).every(({ sid }) => sid?.startsWith('S-1-5-21-'))).toBe(true);
    const missing = await superuser.send('POST', '/auth/ldap/mappings', {
      group: 'Nowhere',
      role: 'auditor',
    });
    expect(missing.body.errors.group).toContain('no group');
    const twice = await superuser.send('POST', '/auth/ldap/mappings', {
      group: `CN=${adminGroup},OU=Groups,${directory.base}`,
      role: 'administrator',
    });
    expect(twice.body.errors.group).toContain('already');
    await connect({ port: 1 });
    await map('Loop A', 'auditor');
    expect((await mappings()).at(-1)?.sid).toBeNull();
    await connect();
    expect(await rolesAfter('carol')).toEqual(['auditor']);
    expect((await mappings()).at(-1)?.sid).toContain('S-1-5-21-');
  });

  it('no secret of the connection is answered, logged or kept in the clear', async () => {
    await connect({ client_cert: `${lab.client.cert}${lab.client.key}` });
    const shown = await superuser.send('GET', '/auth/ldap/configuration');
    const stored = JSON.stringify(
      await app.database.db.selectFrom('directory_connection').selectAll().execute(),
    );
    for (const secret of [directory.password, directory.userPassword, 'PRIVATE KEY']) {
      expect(JSON.stringify(shown.body)).not.toContain(secret);
      expect(stored).not.toContain(secret);
      expect(lines.join('\n')).not.toContain(secret);
    }
    expect(shown.data()).toMatchObject({ client_cert: expect.stringContaining('BEGIN CERTIFICATE') });
  });
});
