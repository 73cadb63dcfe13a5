import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { ConnectionState } from '../../../contract/desktop/connection.ts';
import { type Connections, createConnections } from '../../../main/connections/connections.ts';
import { createSupervisor, type Supervisor } from '../../../main/local-backend/supervisor.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { createProfileStore } from '../../../main/profiles/profile-store.ts';
import type { KeychainStatus, SecretStore } from '../../../main/secrets/secret-store.ts';
import { type BackupServer, goodPassword, startBackupServer } from '../support/fake-backup-server.ts';

/** Apps with connections, and servers for them, in a folder of their own; all of it goes when the test is over. */
export function connectionTests() {
  let folder: string;
  const closing: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'strongroom-connections-'));
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await rm(folder, { recursive: true, force: true });
  });

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
    const profiles = createProfileStore({
      path: join(folder, 'connections.json'),
      onTrouble: () => undefined,
    });
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

  async function textOfFolder(): Promise<string> {
    const names = await readdir(folder);
    return (
      await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')))
    ).join('\n');
  }

  return { openApp, serve, textOfFolder, closing };
}

/** A keychain in memory whose mood a test sets. */
export function moodyKeychain() {
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

export type Keychain = ReturnType<typeof moodyKeychain>;

export const draftFor = (server: BackupServer, more: object = {}) => ({
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

export const failureOf = async (work: Promise<unknown>) =>
  problemOf(
    await work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
export const phaseOf = (connections: Connections, index = 0) => connections.list()[index]?.state.phase;
