import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ConnectionState } from '../../../contract/desktop/connection.ts';
import { type Connections, createConnections } from '../../../main/connections/connections.ts';
import { createSupervisor, type Supervisor } from '../../../main/local-backend/supervisor.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { localProfileId, type Profile } from '../../../main/profiles/profile.ts';
import { createProfileStore } from '../../../main/profiles/profile-store.ts';
import type { KeychainStatus, SecretStore } from '../../../main/secrets/secret-store.ts';
import { speak } from '../../../main/texts/index.ts';
import { makeCertificate } from '../support/certificates.ts';
import { type BackupServer, goodPassword, startBackupServer } from '../support/fake-backup-server.ts';
import { answerJson, envelope } from '../support/fake-server.ts';
import { waitUntil } from '../support/wait-until.ts';

let folder: string;
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strongroom-connections-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await rm(folder, { recursive: true, force: true });
});

/** A keychain in memory whose mood a test sets. */
function moodyKeychain() {
  const entries = new Map<string, string>();
  const mood: { status: KeychainStatus } = { status: { state: 'ok', message: '' } };
  const listeners = new Set<(status: KeychainStatus) => void>();
  const isOk = () => mood.status.state === 'ok';
  const store: SecretStore = {
    status: () => mood.status,
    onStatus: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    probe: async () => mood.status,
    get: async (account) => {
      if (!isOk()) return { kind: 'failed', status: mood.status };
      const value = entries.get(account);
      return value === undefined ? { kind: 'none' } : { kind: 'found', value };
    },
    set: async (account, value) => {
      if (isOk()) entries.set(account, value);
      return isOk();
    },
    remove: async (account) => {
      if (isOk()) entries.delete(account);
      return isOk();
    },
    close: () => undefined,
  };
  const become = (status: KeychainStatus): void => {
    mood.status = status;
    for (const listener of listeners) listener(status);
  };
  return { store, entries, become };
}

type Keychain = ReturnType<typeof moodyKeychain>;

function noBackend(): Supervisor {
  return createSupervisor({
    spawn: () => {
      throw new Error('none here');
    },
    isInstalled: async () => false,
    dataDir: join(folder, 'backend'),
    logDir: join(folder, 'backend', 'log'),
  });
}

async function openApp(keychain: Keychain, supervisor = noBackend()) {
  const profiles = createProfileStore({ path: join(folder, 'connections.json'), onTrouble: () => undefined });
  await profiles.load();
  const connections = createConnections({
    profiles,
    secrets: keychain.store,
    supervisor,
    firstRetryMs: 5,
    watchEveryMs: 50,
  });
  const states: { connectionId: string; state: ConnectionState }[] = [];
  connections.onState((told) => states.push(told));
  connections.start();
  closing.push(connections.close);
  return { connections, states, profiles };
}

async function serve(options?: Parameters<typeof startBackupServer>[0]): Promise<BackupServer> {
  const server = await startBackupServer(options);
  closing.push(server.close);
  return server;
}

const draftFor = (server: BackupServer, more: object = {}) => ({
  name: '',
  address: server.address,
  database: 'strongroom',
  userName: 'admin',
  authType: 'database' as const,
  domain: '',
  password: goodPassword,
  remember: true,
  trustFingerprint: null,
  ...more,
});

const failureOf = async (work: Promise<unknown>) =>
  problemOf(
    await work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
const phaseOf = (connections: Connections, index = 0) => connections.list()[index]?.state.phase;

async function textOfFolder(): Promise<string> {
  const names = await readdir(folder);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')))).join(
    '\n',
  );
}

describe('adding a connection', () => {
  it('signs in, tells who and what, and keeps no secret in its file (case 31)', async () => {
    const server = await serve();
    const keychain = moodyKeychain();
    const { connections } = await openApp(keychain);
    const added = await connections.add(draftFor(server));
    expect(added).toMatchObject({
      name: `127.0.0.1:${server.port}`,
      kind: 'remote',
      state: {
        phase: 'connected',
        user: 'admin',
        roles: ['superuser'],
        permissions: ['pools.read'],
        serviceMode: false,
        serverVersion: '2.4.0',
        extensions: [],
      },
    });
    expect(JSON.stringify(connections.list())).not.toMatch(/access-|refresh-|csrf-|correct horse/);
    await waitUntil(() => keychain.entries.size === 1);
    const file = await textOfFolder();
    expect(file).toContain(server.address);
    expect(file).not.toMatch(/access-|refresh-|csrf-|correct horse/);
    const [[account, value] = ['', '']] = [...keychain.entries];
    expect(account).toBe(`${server.address}|database||admin`);
    expect(value).not.toContain(goodPassword);
    expect(value).not.toContain('csrf-');
  });

  it('with a wrong password leaves nothing behind and has tried once (case 127)', async () => {
    const server = await serve();
    const keychain = moodyKeychain();
    const { connections, states } = await openApp(keychain);
    expect(await failureOf(connections.add(draftFor(server, { password: 'wrong' })))).toMatchObject({
      kind: 'refused',
      message: 'Wrong user or password.',
    });
    expect(connections.list()).toEqual([]);
    expect(states).toEqual([]);
    expect(keychain.entries.size).toBe(0);
    expect(server.count('/auth/login')).toBe(1);
    expect((await connections.add(draftFor(server))).state.phase).toBe('connected');
  });

  it('works without any keychain, for this run (case 30)', async () => {
    const server = await serve();
    const keychain = moodyKeychain();
    keychain.become({ state: 'absent', message: 'none' });
    const { connections } = await openApp(keychain);
    expect((await connections.add(draftFor(server))).state.phase).toBe('connected');
    expect(keychain.entries.size).toBe(0);
  });

  it('refuses the same account of the same server a second time', async () => {
    const server = await serve();
    const { connections } = await openApp(moodyKeychain());
    await connections.add(draftFor(server));
    expect(
      await failureOf(connections.add(draftFor(server, { address: `${server.address}/api/v1/` }))),
    ).toMatchObject({
      code: 'double',
    });
  });

  it('asks about an unknown certificate and trusts exactly the one that was agreed on (case 40)', async () => {
    const certificate = await makeCertificate();
    const server = await serve({ tls: certificate });
    const { connections } = await openApp(moodyKeychain());
    expect(await connections.probe(server.address)).toMatchObject({
      trust: 'unknown',
      reason: 'selfSigned',
      certificate: { fingerprint: certificate.fingerprint },
      version: null,
    });
    expect(await failureOf(connections.add(draftFor(server)))).toMatchObject({
      kind: 'certificate',
      code: 'unknown',
    });
    const another = certificate.fingerprint.replace(/^../, (byte) => (byte === '00' ? '01' : '00'));
    expect(await failureOf(connections.add(draftFor(server, { trustFingerprint: another })))).toMatchObject({
      kind: 'certificate',
    });
    expect(server.requests).toHaveLength(0);
    const added = await connections.add(draftFor(server, { trustFingerprint: certificate.fingerprint }));
    expect(added).toMatchObject({
      pinnedFingerprint: certificate.fingerprint,
      state: { phase: 'connected' },
    });
  });

  it('tells the version of a server that is trusted, before anything secret is sent', async () => {
    const server = await serve();
    const { connections } = await openApp(moodyKeychain());
    expect(await connections.probe(server.address)).toMatchObject({ trust: 'plain', version: '2.4.0' });
    expect(server.requests.every(({ headers, body }) => !headers.authorization && body === '')).toBe(true);
  });
});

describe('a saved connection', () => {
  async function addedBefore(server: BackupServer, keychain: Keychain, more: object = {}): Promise<void> {
    const { connections } = await openApp(keychain);
    await connections.add(draftFor(server, more));
    await connections.close();
  }

  it('is connected after a restart without a question, by renewing once', async () => {
    const server = await serve();
    const keychain = moodyKeychain();
    await addedBefore(server, keychain);
    const { connections } = await openApp(keychain);
    await waitUntil(() => phaseOf(connections) === 'connected');
    expect(connections.list()[0]?.state).toMatchObject({ user: 'admin', serverVersion: '2.4.0' });
    expect(server.count('/auth/login')).toBe(1);
    expect(server.count('/auth/refresh')).toBe(1);
  });

  it('asks to sign in when its session is dead, while others connect (case 44)', async () => {
    const [dead, good] = [await serve(), await serve()];
    const keychain = moodyKeychain();
    await addedBefore(dead, keychain);
    await addedBefore(good, keychain);
    dead.forgetSessions();
    const renewals = dead.count('/auth/refresh');
    const { connections } = await openApp(keychain);
    await waitUntil(() => phaseOf(connections, 0) === 'signIn' && phaseOf(connections, 1) === 'connected');
    expect(dead.count('/auth/login')).toBe(1);
    expect(dead.count('/auth/refresh')).toBe(renewals + 1);
    const [id] = connections.list().map((one) => one.id);
    expect((await connections.signIn(id ?? '', goodPassword)).state.phase).toBe('connected');
  });

  it('is shown without a keychain, says keychain and not password, and comes back with it (cases 27, 29)', async () => {
    const server = await serve();
    const keychain = moodyKeychain();
    await addedBefore(server, keychain);
    const before = server.requests.length;
    keychain.become({ state: 'locked', message: 'The keychain is locked.' });
    const { connections } = await openApp(keychain);
    await waitUntil(() => phaseOf(connections) === 'signIn');
    expect(connections.list()[0]?.state.problem).toMatchObject({
      kind: 'keychain',
      message: 'The keychain is locked.',
    });
    expect(server.requests).toHaveLength(before);
    keychain.become({ state: 'ok', message: '' });
    await waitUntil(() => phaseOf(connections) === 'connected');
    expect(server.count('/auth/login')).toBe(1);
  });

  it('that is not to be remembered asks after a restart, and nothing was kept', async () => {
    const server = await serve();
    const keychain = moodyKeychain();
    await addedBefore(server, keychain, { remember: false });
    expect(keychain.entries.size).toBe(0);
    const { connections } = await openApp(keychain);
    await waitUntil(() => phaseOf(connections) === 'signIn');
    expect(server.count('/auth/refresh')).toBe(0);
  });

  it('goes unreachable and comes back by itself, with the session kept (case 36)', async () => {
    const server = await serve();
    const { connections, states } = await openApp(moodyKeychain());
    const { id } = await connections.add(draftFor(server));
    const behave = server.behave;
    server.behave = (_seen, response) => {
      response.destroy();
    };
    expect(await failureOf(connections.call(id, 'pools.list', { query: {} }))).toMatchObject({
      kind: 'unreachable',
    });
    await waitUntil(() => phaseOf(connections) === 'unreachable');
    expect(connections.list()[0]?.state).toMatchObject({
      retryAt: expect.any(Number),
      user: 'admin',
      live: false,
    });
    server.behave = behave;
    await waitUntil(() => phaseOf(connections) === 'connected');
    expect(states.map(({ state }) => state.phase)).not.toContain('signIn');
    expect(server.count('/auth/login')).toBe(1);
  });

  it.each([
    ['not at all', 404, envelope(null, 'unknown', true)],
    ['as a bare list', 200, envelope(['pools.read'])],
  ])('takes the rights from the roles where the server tells them %s', async (_name, status, answer) => {
    const server = await serve();
    const behave = server.behave;
    server.behave = (seen, response, request) => {
      if (!seen.path.endsWith('/auth/permissions')) return behave(seen, response, request);
      answerJson(response, status, answer);
    };
    const { connections } = await openApp(moodyKeychain());
    const { state } = await connections.add(draftFor(server));
    expect(state).toMatchObject({ phase: 'connected', roles: ['superuser'], serviceMode: null });
    expect(state.permissions).toContain('users.write');
  });

  it('can be given up while its server is mute (case 37)', async () => {
    const server = await serve();
    const { connections } = await openApp(moodyKeychain());
    server.behave = () => undefined;
    const controller = new AbortController();
    const adding = failureOf(connections.add(draftFor(server), controller.signal));
    await waitUntil(() => server.requests.length > 0);
    controller.abort();
    expect(await adding).toMatchObject({ kind: 'cancelled' });
    expect(connections.list()).toEqual([]);
  });

  it('tells service mode and roles as they change', async () => {
    const server = await serve();
    const { connections } = await openApp(moodyKeychain());
    await connections.add(draftFor(server));
    const behave = server.behave;
    server.behave = (seen, response, request) => {
      if (!seen.path.endsWith('/auth/permissions')) return behave(seen, response, request);
      answerJson(response, 200, envelope({ role: ['auditor'], permissions: [], service_mode: true }));
    };
    await waitUntil(() => connections.list()[0]?.state.serviceMode === true);
    expect(connections.list()[0]?.state.roles).toEqual(['auditor']);
  });

  it('signed out has no session left here, in the keychain or on the server', async () => {
    const server = await serve();
    const keychain = moodyKeychain();
    const { connections } = await openApp(keychain);
    const { id } = await connections.add(draftFor(server));
    await connections.signOut(id);
    expect(phaseOf(connections)).toBe('signIn');
    expect(keychain.entries.size).toBe(0);
    expect(server.count('/auth/logout')).toBe(1);
    expect(await failureOf(connections.call(id, 'pools.list', { query: {} }))).toMatchObject({
      kind: 'signIn',
    });
    await connections.remove(id);
    expect(connections.list()).toEqual([]);
    expect(await failureOf(connections.call(id, 'pools.list', {}))).toMatchObject({
      code: 'unknownConnection',
    });
  });

  it('with a changed certificate sends nothing until the new one is agreed on (case 40)', async () => {
    const [old, fresh] = await Promise.all([makeCertificate(), makeCertificate()]);
    const before = await serve({ tls: old });
    const keychain = moodyKeychain();
    await addedBefore(before, keychain, { trustFingerprint: old.fingerprint });
    await before.close();
    closing.splice(closing.indexOf(before.close), 1);
    const after = await serve({ tls: fresh, port: before.port });
    const { connections } = await openApp(keychain);
    await waitUntil(() => phaseOf(connections) === 'certificate');
    const [shown] = connections.list();
    expect(shown?.state.problem).toMatchObject({
      code: 'changed',
      facts: { fingerprint: fresh.fingerprint, trustedFingerprint: old.fingerprint },
    });
    expect(after.requests).toHaveLength(0);
    const trusted = await connections.trustCertificate(shown?.id ?? '', fresh.fingerprint);
    expect(trusted.pinnedFingerprint).toBe(fresh.fingerprint);
    // The old session means nothing to the new server, so a person signs in.
    expect(trusted.state.phase).toBe('signIn');
  });
});

describe('several servers', () => {
  it('do not wait for one that is mute (case 33)', async () => {
    const [mute, good] = [await serve(), await serve()];
    const { connections } = await openApp(moodyKeychain());
    const first = await connections.add(draftFor(mute));
    const second = await connections.add(draftFor(good));
    good.extra = (_seen, response) => {
      answerJson(response, 200, envelope([]));
      return true;
    };
    mute.behave = () => undefined;
    const hanging = new AbortController();
    const calls = Array.from({ length: 20 }, (_one, page) =>
      failureOf(connections.call(first.id, 'pools.list', { query: { page: page + 1 } }, hanging.signal)),
    );
    expect(await connections.call(second.id, 'pools.list', { query: {} })).toEqual({ items: [], total: 0 });
    hanging.abort();
    expect((await Promise.all(calls)).every((problem) => problem?.kind === 'cancelled')).toBe(true);
  });
});

describe('a connection that a file describes', () => {
  const shared = (server: BackupServer, change: object = {}) => ({
    name: 'From a file',
    address: server.address,
    database: 'strongroom',
    userName: 'admin',
    authType: 'database' as const,
    domain: '',
    remember: true,
    group: 'Offices',
    colour: 'blue' as const,
    zone: 'Europe/Prague',
    pin: null,
    ...change,
  });

  it('is added without a session, and a person signs in', async () => {
    const server = await serve();
    const { connections } = await openApp(moodyKeychain());
    expect(await connections.takeOver(shared(server), false)).toBe('added');
    const find = () => connections.list()[0];
    await waitUntil(() => find()?.state.phase === 'signIn');
    expect(find()).toMatchObject({ name: 'From a file', group: 'Offices', colour: 'blue', kind: 'remote' });
    const id = find()?.id ?? '';
    expect((await connections.signIn(id, goodPassword)).state.phase).toBe('connected');
  });

  it('changes the one of the same account only when that was asked for; its session stays', async () => {
    const server = await serve();
    const { connections } = await openApp(moodyKeychain());
    const { id } = await connections.add(draftFor(server, { name: 'Mine' }));
    expect(connections.sameAccount(shared(server))).toMatchObject({ id, name: 'Mine' });
    expect(await connections.takeOver(shared(server), false)).toBe('kept');
    expect(connections.list()).toMatchObject([{ id, name: 'Mine', group: '' }]);
    expect(await connections.takeOver(shared(server), true)).toBe('replaced');
    expect(connections.list()).toMatchObject([
      { id, name: 'From a file', group: 'Offices', colour: 'blue', state: { phase: 'connected' } },
    ]);
    expect(await connections.takeOver(shared(server, { userName: 'other' }), true)).toBe('added');
    expect(connections.list()).toHaveLength(2);
  });
});

describe('the connection to this computer', () => {
  afterEach(() => speak('en'));

  it('is called so in the language of the window, unless a person named it', async () => {
    const { connections, profiles } = await openApp(moodyKeychain());
    const local = { ...localProfile, name: 'This computer' };
    await profiles.put(local);
    await connections.close();
    const { connections: again } = await openApp(moodyKeychain());
    const nameNow = () => again.list()[0]?.name;
    expect(nameNow()).toBe('This computer');
    speak('ru');
    expect(nameNow()).toBe('Этот компьютер');
    await again.update('local', { name: 'Laboratory' });
    expect(nameNow()).toBe('Laboratory');
  });

  it('has the zone of its clocks, which is looked at again after a sleep only', async () => {
    const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const { profiles } = await openApp(moodyKeychain());
    await profiles.put({ ...localProfile, name: 'This computer' });
    const { connections } = await openApp(moodyKeychain());
    const ask = vi.spyOn(Intl, 'DateTimeFormat');
    try {
      expect(connections.list()[0]?.zone).toBe(here);
      expect(connections.list()[0]?.zone).toBe(here);
      expect(ask).toHaveBeenCalledOnce();
      connections.wake();
      expect(connections.list()[0]?.zone).toBe(here);
      expect(ask).toHaveBeenCalledTimes(2);
    } finally {
      ask.mockRestore();
    }
  });
});

const localProfile: Profile = {
  id: localProfileId,
  name: '',
  kind: 'local',
  address: '',
  database: 'strongroom',
  userName: 'admin',
  authType: 'database',
  domain: '',
  remember: false,
  group: '',
  colour: 'none',
  zone: '',
  loginForm: 'five',
  pin: null,
};
