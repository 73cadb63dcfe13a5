import { describe, expect, it } from 'vitest';
import { makeCertificate } from '../support/certificates.ts';
import { type BackupServer, goodPassword } from '../support/fake-backup-server.ts';
import { answerJson, envelope } from '../support/fake-server.ts';
import { waitUntil } from '../support/wait-until.ts';
import { connectionTests, draftFor, failureOf, type Keychain, moodyKeychain, phaseOf } from './lab.ts';

const { openApp, serve, closing } = connectionTests();

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
