import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sidText } from '../../../backend/features/directory/sid.ts';
import { createLog } from '../../../backend/platform/log.ts';
import { openSecretBox } from '../../../backend/platform/secret-box.ts';
import type { DirectoryCheck } from '../../../contract/directory/directory-check.ts';
import { makeAuthority, makeCertificate, type Pair } from '../../lab/directory/certificates.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';

let app: TestApp;
let superuser: Session;
let folder: string;
let authority: Pair;
let client: Pair;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  authority = makeAuthority(folder, 'authority');
  client = makeCertificate(folder, {
    name: 'client',
    authority: 'authority',
    extensions: ['extendedKeyUsage=clientAuth'],
  });
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  app = await startTestApp({ started: true });
  superuser = await app.loginAs('superuser');
});
afterEach(() => app.close());

const path = '/auth/ldap/configuration';
const draft = (more: object = {}) => ({
  domain_type: 'MS_AD',
  protocol: 'ldap',
  address: '127.0.0.1',
  port: 1,
  domain: 'lab.example',
  login: 'reader@lab.example',
  password: 'a secret',
  user_search_base: 'DC=lab,DC=example',
  group_search_base: 'DC=lab,DC=example',
  ...more,
});

describe('the connection to a domain controller', () => {
  it('is not there at first, is set, replaced, and forgotten', async () => {
    expect((await superuser.send('GET', path)).status).toBe(404);
    expect((await superuser.send('DELETE', path)).status).toBe(204);
    const made = await superuser.send('POST', path, draft());
    expect(made.status).toBe(201);
    const { password, ...shown } = draft();
    expect(made.data()).toEqual({ ...shown, client_cert: null, root_cert: null });
    expect(JSON.stringify(made.body)).not.toContain(password);
    await superuser.send('POST', path, { data: draft({ address: 'dc2.lab.example' }) });
    expect((await superuser.send('GET', path)).data()).toMatchObject({ address: 'dc2.lab.example' });
    expect((await superuser.send('DELETE', path)).status).toBe(204);
    expect((await superuser.send('GET', path)).status).toBe(404);
  });

  it.each([
    ['domain_type', 'NIS', 'MS_AD'],
    ['protocol', 'http', '`ldap` or `ldaps`'],
    ['address', 'ldap://host', 'without a scheme'],
    ['port', 0, '1 to 65535'],
    ['port', '389', '1 to 65535'],
    ['root_cert', 'not PEM', 'PEM'],
    ['root_cert', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'PEM'],
    ['client_cert', 'not PEM', 'PEM'],
    ['colour', 'red', 'not a field'],
  ])('is refused with %s = %j', async (field, value, reason) => {
    const answer = await superuser.send('POST', path, draft({ [field]: value }));
    expect(answer.status).toBe(400);
    expect(answer.body.errors[field]).toContain(reason);
    expect((await superuser.send('GET', path)).status).toBe(404);
  });

  it.each(Object.keys(draft()))('needs %s', async (field) => {
    const answer = await superuser.send('POST', path, draft({ [field]: undefined }));
    expect(answer.body.errors).toEqual({ [field]: 'is required' });
  });

  it('takes a client certificate with its own key only, and answers it without the key', async () => {
    const set = (client_cert: string) => superuser.send('POST', path, draft({ client_cert }));
    expect((await set(client.cert)).body.errors.client_cert).toContain('key of the certificate');
    expect((await set(client.cert + authority.key)).body.errors.client_cert).toContain('does not belong');
    const made = await set(client.key + client.cert);
    expect(made.status).toBe(201);
    expect(made.data<{ client_cert: string }>().client_cert.trim()).toBe(client.cert.trim());
  });

  it('is for those who may manage it', async () => {
    await superuser.send('POST', path, draft());
    const status = async (role: 'supervisor' | 'auditor' | 'maintainer', method: 'GET' | 'POST' | 'DELETE') =>
      (await (await app.loginAs(role)).send(method, path, method === 'POST' ? draft() : undefined)).status;
    for (const role of ['supervisor', 'auditor'] as const) {
      expect([await status(role, 'GET'), await status(role, 'POST'), await status(role, 'DELETE')]).toEqual([
        200, 403, 403,
      ]);
    }
    expect(await status('maintainer', 'GET')).toBe(403);
  });
});

describe('settings that are only tried', () => {
  const check = (more: object = {}) => superuser.send('POST', '/auth/ldap/check', draft(more));

  it('are answered with the step that failed, and nothing is saved', async () => {
    const answer = await check();
    expect(answer.status).toBe(200);
    const outcome = answer.data<DirectoryCheck>();
    expect(outcome.works).toBe(false);
    expect(outcome.steps.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
      'connect failed',
      'sign_in not_tried',
      'domain not_tried',
      'users not_tried',
      'groups not_tried',
    ]);
    expect(outcome.steps[0]?.reason).toMatch(/cannot be reached .*ECONNREFUSED/);
    expect((await superuser.send('GET', path)).status).toBe(404);
  });

  it('are refused by field as when they are set', async () => {
    expect((await check({ port: 0 })).body.errors.port).toContain('1 to 65535');
    expect((await check({ root_cert: 'not PEM' })).body.errors.root_cert).toContain('PEM');
    // An empty password would be taken for an anonymous login, which succeeds.
    expect((await check({ password: '' })).body.errors.password).toContain('must not be empty');
    const { password: _password, ...without } = draft();
    const answer = await superuser.send('POST', '/auth/ldap/check', { data: without });
    expect(answer.body.errors).toEqual({ password: 'is required' });
  });

  it('leave no secret behind, in no log, table or answer', async () => {
    const lines: string[] = [];
    const log = createLog({ sinks: [(line) => lines.push(line)], now: Date.now });
    const other = await startTestApp({ started: true, log });
    try {
      const session = await other.loginAs('superuser');
      const body = draft({ password: 'S3cret-never-kept', client_cert: client.key + client.cert });
      const answer = await session.send('POST', '/auth/ldap/check', body);
      const audit = await other.database.db.selectFrom('audit').selectAll().execute();
      await expect.poll(() => lines.join('\n')).toContain('settings of a domain controller were tried');
      const written = JSON.stringify([answer.body, audit, lines]);
      expect(written).not.toContain('S3cret-never-kept');
      expect(written).not.toContain('PRIVATE KEY');
    } finally {
      await other.close();
    }
  });

  it('end in bounded time at a server that takes the call and says nothing', async () => {
    const mute = net.createServer();
    const sockets: net.Socket[] = [];
    mute.on('connection', (socket) => sockets.push(socket));
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = mute.address() as net.AddressInfo;
      const outcome = (await check({ port })).data<DirectoryCheck>();
      expect(outcome.steps[0]).toMatchObject({ step: 'connect', outcome: 'failed' });
      expect(outcome.steps[0]?.reason).toMatch(/time/);
      expect(sockets).toHaveLength(1);
    } finally {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => mute.close(resolve));
    }
  }, 12_000);
});

it('mappings are listed, made, and deleted all or none, also while the controller is away', async () => {
  await superuser.send('POST', path, draft());
  const made = await superuser.send('POST', '/auth/ldap/mappings', {
    data: { group: 'Admins', role: 'maintainer' },
  });
  expect(made.status).toBe(201);
  const { id } = made.data<{ id: number }>();
  expect((await superuser.send('GET', '/auth/ldap/mappings?search=adm')).data()).toEqual([
    { id, group: 'Admins', role: 'maintainer', sid: null },
  ]);
  const twice = await superuser.send('POST', '/auth/ldap/mappings', { group: 'admins', role: 'maintainer' });
  expect(twice.body.errors.group).toContain('already');
  const boss = await superuser.send('POST', '/auth/ldap/mappings', { group: 'Admins', role: 'boss' });
  expect(boss.body.errors).toHaveProperty('role');
  expect((await superuser.send('DELETE', '/auth/ldap/mappings', { ids: [id, 99] })).status).toBe(404);
  expect((await superuser.send('DELETE', '/auth/ldap/mappings', { ids: [id] })).data()).toEqual({
    ids: [id],
  });
});

describe('a sealed secret', () => {
  it('opens with the key of its data directory and for its purpose only', async () => {
    const [one, two] = [mkdtempSync(join(folder, 'one-')), mkdtempSync(join(folder, 'two-'))];
    const box = await openSecretBox(one);
    const sealed = box.seal('пароль', 'test');
    expect((await openSecretBox(one)).open(sealed, 'test')).toBe('пароль');
    expect(box.seal('пароль', 'test')).not.toBe(sealed);
    expect(() => box.open(sealed, 'other')).toThrow();
    const other = await openSecretBox(two);
    expect(() => other.open(sealed, 'test')).toThrow();
    const changed = Buffer.from(sealed, 'base64url');
    changed[14] = (changed[14] ?? 0) ^ 1;
    expect(() => box.open(changed.toString('base64url'), 'test')).toThrow();
    expect(() => box.open('', 'test')).toThrow();
  });
});

it('a SID is read as the directory writes it', () => {
  const bytes = Buffer.from('010500000000000515000000a065cf7e784b9b5fe77c8770f4010000', 'hex');
  expect(sidText(bytes)).toBe('S-1-5-21-2127521184-1604012920-1887927527-500');
  expect([sidText(bytes.subarray(1)), sidText(Buffer.alloc(0))]).toEqual([null, null]);
});
