import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TlsFiles } from '../../../contract/desktop/connection.ts';
import { lookAtCertificate } from '../../../main/api/certificate.ts';
import type { OwnTls } from '../../../main/api/own-tls.ts';
import { createTransport } from '../../../main/api/transport.ts';
import { createConnections } from '../../../main/connections/connections.ts';
import { readOwnTls } from '../../../main/connections/own-tls-files.ts';
import type { SharedProfile } from '../../../main/connections/profile-sharing.ts';
import { createSupervisor } from '../../../main/local-backend/supervisor.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { createProfileStore } from '../../../main/profiles/profile-store.ts';
import type { SecretStore } from '../../../main/secrets/secret-store.ts';
import { readConnections, writeConnections } from '../../../main/transfer/connections-file.ts';
import { makeCertificate } from '../support/certificates.ts';
import { goodPassword, startBackupServer } from '../support/fake-backup-server.ts';
import { answerJson, envelope, type FakeServer, startFakeServer } from '../support/fake-server.ts';
import { waitUntil } from '../support/wait-until.ts';

const run = promisify(execFile);
let folder: string;
const at = (name: string) => join(folder, name);
const none: TlsFiles = { caFile: '', certificateFile: '', keyFile: '' };

async function authority(name: string): Promise<void> {
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', at(`${name}.key`), '-out', at(`${name}.crt`), '-days', '3650', '-subj', `/CN=${name}`],
  ]);
}

async function issue(name: string, by: string, extension: string): Promise<void> {
  await writeFile(at(`${name}.ext`), extension);
  await run('openssl', [
    ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', at(`${name}.key`), '-out', at(`${name}.csr`), '-subj', `/CN=${name}`],
  ]);
  await run('openssl', [
    ...['x509', '-req', '-in', at(`${name}.csr`), '-CA', at(`${by}.crt`), '-CAkey', at(`${by}.key`)],
    ...['-CAcreateserial', '-days', '3650', '-extfile', at(`${name}.ext`), '-out', at(`${name}.crt`)],
  ]);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strongroom-own-tls-'));
  await Promise.all([authority('ours'), authority('theirs')]);
  await issue('server', 'ours', 'subjectAltName=IP:127.0.0.1\n');
  await issue('client', 'ours', 'extendedKeyUsage=clientAuth\n');
  await run('openssl', [
    ...['pkcs8', '-topk8', '-in', at('client.key'), '-out', at('sealed.key'), '-passout', 'pass:open sesame'],
  ]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function serverTls() {
  const [key = '', cert = '', ca = ''] = await Promise.all(
    ['server.key', 'server.crt', 'ours.crt'].map((name) => readFile(at(name), 'utf8')),
  );
  return { key, cert, ca, requestCert: true };
}

function keychainOf(entries: Map<string, string>): SecretStore {
  const status = { state: 'ok', message: '' } as const;
  return {
    status: () => status,
    onStatus: () => () => undefined,
    probe: async () => status,
    get: async (account) => {
      const value = entries.get(account);
      return value === undefined ? { kind: 'none' } : { kind: 'found', value };
    },
    set: async (account, value) => {
      entries.set(account, value);
      return true;
    },
    remove: async (account) => {
      entries.delete(account);
      return true;
    },
    close: () => undefined,
  };
}

const noBackend = () =>
  createSupervisor({
    spawn: () => {
      throw new Error('none here');
    },
    isInstalled: async () => false,
    dataDir: at('backend'),
    logDir: at('log'),
  });

async function serve(): Promise<FakeServer> {
  const server = await startFakeServer(
    (seen, response) => {
      if (!seen.path.endsWith('/events')) return answerJson(response, 200, envelope([]));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('event: pool\ndata: {}\n\n');
    },
    { tls: await serverTls() },
  );
  open.push(server);
  return server;
}

function transportTo(address: string, own: OwnTls | null, pem?: { fingerprint: string; pem: string }) {
  const transport = createTransport({ address, pin: pem ?? null, own });
  open.push(transport);
  return transport;
}
const get = { method: 'GET', path: '/api/v1/pools', headers: {}, body: null } as const;
const failureOf = async (work: Promise<unknown>) =>
  problemOf(
    await work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
const ours = () => ({ caFile: at('ours.crt'), certificateFile: at('client.crt'), keyFile: at('client.key') });

describe('a server of an own authority that asks for a client certificate', () => {
  it('is used on every way with both, the key sealed or not (cases 38, 39)', async () => {
    const server = await serve();
    for (const [keyFile, passphrase] of [
      ['client.key', ''],
      ['sealed.key', 'open sesame'],
    ] as const) {
      const own = await readOwnTls({ ...ours(), keyFile: at(keyFile) }, passphrase);
      expect(await lookAtCertificate(server.address, undefined, own)).toMatchObject({ trust: 'system' });
      const transport = transportTo(server.address, own);
      expect((await transport.send(get)).status).toBe(200);
      const events = await transport.openStream(
        { ...get, path: '/api/v1/events' },
        new AbortController().signal,
      );
      let text = '';
      for await (const chunk of events.chunks) text += Buffer.from(chunk).toString();
      expect(text).toContain('event: pool');
    }
  });

  it('refuses a caller without one, which is told at its field', async () => {
    const server = await serve();
    const own = await readOwnTls({ ...none, caFile: at('ours.crt') }, '');
    expect(await failureOf(transportTo(server.address, own).send(get))).toMatchObject({
      code: 'clientNeeded',
      errors: { certificateFile: expect.any(String) },
    });
    expect(server.requests).toHaveLength(0);
  });

  it('is refused for another authority, with both fingerprints, unless it was agreed on by hand (case 40)', async () => {
    const server = await serve();
    const own = await readOwnTls({ ...ours(), caFile: at('theirs.crt') }, '');
    const seen = await lookAtCertificate(server.address, undefined, own);
    const [authorityFingerprint = ''] = own.authorityFingerprints;
    const problem = await failureOf(transportTo(server.address, own).send(get));
    expect(problem).toMatchObject({ kind: 'certificate', code: 'otherAuthority' });
    expect(authorityFingerprint).toMatch(/^([0-9A-F]{2}:){31}/);
    expect(problem?.message).toContain(authorityFingerprint);
    expect(problem?.message).toContain(seen.fingerprint);
    expect(server.requests).toHaveLength(0);
    expect((await transportTo(server.address, own, seen).send(get)).status).toBe(200);
  });
});

describe('a connection with both', () => {
  it('keeps the passphrase in the keychain alone, comes back after a restart, and can be edited', async () => {
    const tls = await serverTls();
    const server = await startBackupServer({ tls });
    open.push(server);
    const entries = new Map<string, string>();
    const start = async () => {
      const profiles = createProfileStore({ path: at('connections.json'), onTrouble: () => undefined });
      await profiles.load();
      const connections = createConnections({
        profiles,
        secrets: keychainOf(entries),
        supervisor: noBackend(),
      });
      connections.start();
      open.push(connections);
      return connections;
    };
    const first = await start();
    const files = { ...ours(), keyFile: at('sealed.key') };
    const draft = {
      ...{ name: 'A', address: server.address, database: 'strongroom', userName: 'admin', domain: '' },
      ...{ password: goodPassword, remember: true, trustFingerprint: null, tls: files },
      authType: 'database' as const,
    };
    expect(await failureOf(first.add({ ...draft, keyPassphrase: 'wrong' }))).toMatchObject({
      errors: { keyPassphrase: expect.any(String) },
    });
    expect(entries.size).toBe(0);
    expect(server.requests).toHaveLength(0);
    const added = await first.add({ ...draft, keyPassphrase: 'open sesame' });
    expect(added).toMatchObject({ tls: files, pinnedFingerprint: null, state: { phase: 'connected' } });
    expect(JSON.stringify(first.list()) + (await readFile(at('connections.json'), 'utf8'))).not.toContain(
      'sesame',
    );
    await first.close();

    const second = await start();
    await waitUntil(() => second.list()[0]?.state.phase === 'connected');
    const { id } = added;
    const without = { ...none, caFile: at('ours.crt') };
    expect(
      await failureOf(second.update(id, { tls: { ...files, certificateFile: at('server.crt') } })),
    ).toMatchObject({ errors: { keyFile: expect.any(String) } });
    expect(second.list()[0]?.tls).toEqual(files);
    await second.update(id, { tls: without });
    expect(second.list()[0]?.state).toMatchObject({
      phase: 'unreachable',
      problem: { code: 'clientNeeded' },
    });
    expect([...entries.keys()].filter((key) => key.endsWith('tls-key'))).toEqual([]);
    await second.update(id, { tls: files, keyPassphrase: 'open sesame' });
    expect(second.list()[0]?.state.phase).toBe('connected');
    // A file of connections that names others: they count at once, not at some later start.
    const [profile] = second.profilesToShare();
    if (!profile) throw new Error('nothing to share');
    expect(await second.takeOver({ ...profile, tls: without }, true)).toBe('replaced');
    expect(second.list()[0]).toMatchObject({
      tls: without,
      state: { phase: 'unreachable', problem: { code: 'clientNeeded' } },
    });
    expect(await second.takeOver({ ...profile, tls: files }, true)).toBe('replaced');
    expect(second.list()[0]?.state.phase).toBe('connected');
    await second.remove(id);
    expect(entries.size).toBe(0);
  });
});

describe('chosen files', () => {
  it('are refused by the name of their field', async () => {
    const expired = await makeCertificate({ expired: true });
    await writeFile(at('expired.crt'), expired.cert);
    await writeFile(at('expired.key'), expired.key);
    await writeFile(at('junk'), 'no pem');
    const refusedAt = async (tls: Partial<TlsFiles>, passphrase = '') =>
      Object.entries((await failureOf(readOwnTls({ ...none, ...tls }, passphrase)))?.errors ?? {})[0];
    const pair = ours();
    expect(await refusedAt({ caFile: at('missing') })).toEqual(['caFile', expect.any(String)]);
    expect(await refusedAt({ caFile: at('junk') })).toEqual([
      'caFile',
      expect.stringContaining('no certificate'),
    ]);
    expect(await refusedAt({ caFile: at('expired.crt') })).toEqual([
      'caFile',
      expect.stringContaining('expired'),
    ]);
    expect(await refusedAt({ ...pair, keyFile: '' })).toEqual(['keyFile', expect.stringContaining('needs')]);
    expect(await refusedAt({ ...pair, keyFile: at('junk') })).toEqual([
      'keyFile',
      expect.stringContaining('no private key'),
    ]);
    expect(await refusedAt({ ...pair, keyFile: at('ours.key') })).toEqual([
      'keyFile',
      expect.stringContaining('does not belong'),
    ]);
    expect(await refusedAt({ certificateFile: at('expired.crt'), keyFile: at('expired.key') })).toEqual([
      'certificateFile',
      expect.stringContaining('expired'),
    ]);
    const sealed = { ...pair, keyFile: at('sealed.key') };
    expect(await refusedAt(sealed)).toEqual(['keyPassphrase', expect.stringContaining('sealed')]);
    expect(await refusedAt(sealed, 'wrong')).toEqual([
      'keyPassphrase',
      expect.stringContaining('does not open'),
    ]);
  });

  it('go into an export by their paths alone', async () => {
    const tls = ours();
    const texts = { name: 'A', address: 'https://a.example:5656', database: 'd', userName: 'u', domain: '' };
    const profile = {
      ...texts,
      zone: '',
      authType: 'database',
      remember: true,
      group: '',
      colour: 'none',
      pin: null,
      tls,
    } satisfies SharedProfile;
    const text = await writeConnections([profile], null);
    expect(text).not.toMatch(/PRIVATE KEY|passphrase/i);
    expect(await readConnections(text, null)).toMatchObject({ profiles: [{ tls }] });
  });
});
