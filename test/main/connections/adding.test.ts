import { describe, expect, it } from 'vitest';
import { makeCertificate } from '../support/certificates.ts';
import { goodPassword } from '../support/fake-backup-server.ts';
import { waitUntil } from '../support/wait-until.ts';
import { connectionTests, draftFor, failureOf, moodyKeychain } from './lab.ts';

const { openApp, serve, textOfFolder } = connectionTests();

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
