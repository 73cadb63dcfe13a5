import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConnections } from '../../../main/connections/connections.ts';
import { createSupervisor } from '../../../main/local-backend/supervisor.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { createProfileStore } from '../../../main/profiles/profile-store.ts';
import type { SecretStore } from '../../../main/secrets/secret-store.ts';
import { type BackendProcess, spawnBackend } from '../../support/backend.ts';
import { makeCertificate, type TestCertificate } from '../support/certificates.ts';
import { waitUntil } from '../support/wait-until.ts';

const password = 'canary-Passwort-1';
let folder: string;
let certificate: TestCertificate;
let port: number;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strongroom-real-'));
  certificate = await makeCertificate();
  await writeFile(join(folder, 'key.pem'), certificate.key);
  await writeFile(join(folder, 'cert.pem'), certificate.cert);
  port = await freePort();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

async function startBackend(): Promise<BackendProcess> {
  const backend = spawnBackend({
    dataDir: join(folder, 'data'),
    env: { STRONGROOM_ADMIN_PASSWORD: password },
    args: [`--port=${port}`, '--tls-key', join(folder, 'key.pem'), '--tls-cert', join(folder, 'cert.pem')],
  });
  closing.push(backend.kill);
  await backend.ready;
  return backend;
}

function keychainInMemory(): SecretStore {
  const entries = new Map<string, string>();
  return {
    status: () => ({ state: 'ok', message: '' }),
    onStatus: () => () => undefined,
    probe: async () => ({ state: 'ok', message: '' }),
    get: async (account) => {
      const value = entries.get(account);
      return value === undefined ? { kind: 'none' } : { kind: 'found', value };
    },
    set: async (account, value) => {
      entries.set(account, value);
      return true;
    },
    remove: async (account) => entries.delete(account) || true,
    close: () => undefined,
  };
}

async function openApp(secrets: SecretStore) {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });
  const profiles = createProfileStore({ path: join(home, 'connections.json'), onTrouble: () => undefined });
  await profiles.load();
  const connections = createConnections({
    profiles,
    secrets,
    supervisor: createSupervisor({
      spawn: () => {
        throw new Error('none here');
      },
      isInstalled: async () => false,
      dataDir: join(home, 'backend'),
      logDir: join(home, 'backend', 'log'),
    }),
    firstRetryMs: 20,
    watchEveryMs: 300,
  });
  connections.start();
  closing.push(connections.close);
  return connections;
}

const failureOf = async (work: Promise<unknown>) =>
  problemOf(
    await work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );

describe('the client and the real backend', () => {
  it('get on from the first certificate to a restart of the app and of the service (cases 36, 128)', async () => {
    const first = await startBackend();
    const secrets = keychainInMemory();
    const app = await openApp(secrets);
    const draft = {
      name: 'Lab',
      address: `https://127.0.0.1:${port}`,
      database: 'strongroom',
      userName: 'admin',
      authType: 'database' as const,
      domain: '',
      password,
      remember: true,
      trustFingerprint: null,
    };
    expect(await failureOf(app.add(draft))).toMatchObject({ kind: 'certificate', code: 'unknown' });
    expect(
      await failureOf(app.add({ ...draft, trustFingerprint: certificate.fingerprint, password: 'wrong' })),
    ).toMatchObject({
      kind: 'refused',
      status: 401,
    });
    const { id, state } = await app.add({ ...draft, trustFingerprint: certificate.fingerprint });
    expect(state).toMatchObject({
      phase: 'connected',
      user: 'admin',
      roles: ['superuser'],
      serviceMode: false,
    });
    expect(state.extensions).toContain('users');

    const pools = await app.call(id, 'pools.list', { query: { page: 1, limit: 5 } });
    expect(pools).toMatchObject({ total: 1, items: [{ pool_name: 'Default', pool_type: 'File system' }] });
    const made = await app.call(id, 'clientGroups.create', { body: { name: 'Prague' } });
    expect(made).toMatchObject({ id: expect.any(Number) });
    expect(await failureOf(app.call(id, 'clientGroups.create', { body: { name: 'Prague' } }))).toMatchObject({
      kind: 'refused',
      status: 400,
      errors: { name: expect.any(String) },
    });
    expect(await failureOf(app.call(id, 'pools.get', { params: { id: 999 } }))).toMatchObject({
      status: 404,
    });

    await app.close();
    const again = await openApp(secrets);
    await waitUntil(() => again.list()[0]?.state.phase === 'connected');
    expect(again.list()[0]?.state).toMatchObject({ user: 'admin' });

    await first.kill();
    await failureOf(again.call(id, 'pools.list', { query: {} }));
    await waitUntil(() => again.list()[0]?.state.phase === 'unreachable');
    await startBackend();
    await waitUntil(() => again.list()[0]?.state.phase === 'signIn');
    expect((await again.signIn(id, password)).state.phase).toBe('connected');
    expect(await again.call(id, 'clientGroups.list', { query: { search: 'Prague' } })).toMatchObject({
      total: 1,
    });
    await again.signOut(id);
    expect(await failureOf(again.call(id, 'pools.list', { query: {} }))).toMatchObject({ kind: 'signIn' });
  });
});
