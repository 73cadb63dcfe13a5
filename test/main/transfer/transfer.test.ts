import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SharedProfile } from '../../../main/connections/profile-sharing.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { accountKey, type Profile } from '../../../main/profiles/profile.ts';
import { writeConnections } from '../../../main/transfer/connections-file.ts';
import { createTransfer } from '../../../main/transfer/transfer.ts';
import { makeCertificate } from '../support/certificates.ts';

const passphrase = 'correct horse battery';
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strongroom-transfer-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const shared = (name: string, change: Partial<SharedProfile> = {}): SharedProfile => ({
  name,
  address: `https://${name}.example.org:5656`,
  database: 'strongroom',
  userName: 'admin',
  authType: 'database',
  domain: '',
  remember: true,
  group: 'Offices',
  colour: 'blue',
  zone: 'Europe/Prague',
  pin: null,
  ...change,
});

function open(saved: readonly SharedProfile[] = []) {
  const here: Profile[] = saved.map((one, index) => ({
    ...one,
    id: String(index),
    kind: 'remote',
    loginForm: 'five',
  }));
  const taken: [string, boolean][] = [];
  const path = join(folder, 'connections.json');
  const known = (one: SharedProfile) => here.find((other) => accountKey(other) === accountKey(one)) ?? null;
  const transfer = createTransfer({
    connections: {
      profilesToShare: () => here,
      sameAccount: (one) => here.find((other) => accountKey(other) === accountKey(one)) ?? null,
      takeOver: async (one, replace) => {
        taken.push([one.name, replace]);
        if (!known(one)) return 'added';
        return replace ? 'replaced' : 'kept';
      },
    },
    pickSaveName: async () => path,
  });
  return { transfer, path, taken };
}

const failureOf = async (work: Promise<unknown>) =>
  problemOf(
    await work.then(
      () => null,
      (error: unknown) => error,
    ),
  );

describe('connections in a file', () => {
  it('come back as they were, group, colour and trusted certificate included', async () => {
    const { cert } = await makeCertificate();
    const pin = { fingerprint: '', pem: cert };
    const { transfer, path } = open([
      shared('prague', { pin }),
      shared('brno', { authType: 'domain', domain: 'x.org', group: '' }),
    ]);
    expect(await transfer.save(null)).toEqual({ path, count: 2 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const preview = await open().transfer.preview(path, null);
    expect(preview).toMatchObject({
      needsPassphrase: false,
      items: [
        {
          name: 'prague',
          group: 'Offices',
          colour: 'blue',
          fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
          existingName: null,
        },
        { name: 'brno', authType: 'domain', domain: 'x.org', group: '', fingerprint: null },
      ],
    });
  });

  it('hold no password, token, cookie or session, whatever is done (case 31)', async () => {
    const { transfer, path } = open([shared('prague')]);
    await transfer.save(null);
    expect(await readFile(path, 'utf8')).not.toMatch(/token|password|cookie|session|secret/i);
    const entry = JSON.parse(await readFile(path, 'utf8')).connections[0];
    expect(Object.keys(entry).sort()).toEqual(
      [
        'address',
        'auth_type',
        'certificate',
        'colour',
        'database',
        'domain',
        'group',
        'name',
        'remember',
        'time_zone',
        'user_name',
      ].sort(),
    );
  });

  it('sealed, tell nothing to whoever reads the file, and open with the passphrase only (case 31)', async () => {
    const { transfer, path, taken } = open([shared('prague')]);
    await transfer.save(passphrase);
    const text = await readFile(path, 'utf8');
    expect(text).not.toMatch(/prague|admin|Offices/);
    expect(await transfer.preview(path, null)).toMatchObject({ needsPassphrase: true, items: [] });
    expect(await failureOf(transfer.preview(path, 'wrong horse battery'))).toMatchObject({
      kind: 'refused',
      code: 'passphrase',
      message: expect.stringContaining('Nothing was imported'),
      errors: { passphrase: expect.any(String) },
    });
    const input = { path, digest: 'x', take: [0], replace: [0] };
    expect(await failureOf(transfer.take({ ...input, passphrase: 'wrong horse battery' }))).toMatchObject({
      code: 'passphrase',
    });
    expect(taken).toEqual([]);
    const preview = await transfer.preview(path, passphrase);
    expect(preview.items.map(({ name }) => name)).toEqual(['prague']);
  });

  it('sealed, do not open once a single byte of text, nonce, tag or cost was changed', async () => {
    const { transfer, path } = open([shared('prague')]);
    await transfer.save(passphrase);
    const whole = JSON.parse(await readFile(path, 'utf8'));
    const flipped = (base64: string) => {
      const bytes = Buffer.from(base64, 'base64');
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      return bytes.toString('base64');
    };
    const changes: readonly object[] = [
      { text: flipped(whole.text) },
      { nonce: flipped(whole.nonce) },
      { tag: flipped(whole.tag) },
      { tag: Buffer.from(whole.tag, 'base64').subarray(0, 4).toString('base64') },
      { kdf: { ...whole.kdf, n: whole.kdf.n / 2 } },
      { kdf: { ...whole.kdf, salt: flipped(whole.kdf.salt) } },
    ];
    for (const change of changes) {
      await writeFile(path, JSON.stringify({ ...whole, ...change }));
      expect(await failureOf(transfer.preview(path, passphrase)), JSON.stringify(change)).toMatchObject({
        code: 'passphrase',
      });
    }
    // Costs that would take gigabytes are no file of ours.
    await writeFile(path, JSON.stringify({ ...whole, kdf: { ...whole.kdf, n: 2 ** 30 } }));
    expect(await failureOf(transfer.preview(path, passphrase))).toMatchObject({ code: 'foreign' });
  });

  it.each([
    ['no JSON', '{', 'not valid JSON'],
    ['an empty file', '', 'not valid JSON'],
    ['other JSON', '{"connections": []}', 'holds no connections'],
    ['a list', '[]', 'holds no connections'],
    ['a later version', '{"format":"strongroom-connections","version":2,"connections":[]}', 'newer version'],
    [
      'an entry that is none',
      '{"format":"strongroom-connections","version":1,"connections":[{"name":"x"}]}',
      'connection 1 cannot be read (address',
    ],
  ])('%s is refused with its reason', async (_name, text, reason) => {
    const { transfer, path } = open();
    await writeFile(path, text);
    expect(await failureOf(transfer.preview(path, null))).toMatchObject({
      code: 'foreign',
      message: expect.stringContaining(reason),
      errors: { path: expect.any(String) },
    });
  });

  it.each([
    ['an address with a password in it', { address: 'https://me:pw@x.example' }],
    ['another scheme', { address: 'file:///etc/passwd' }],
    ['a certificate that is none', { certificate: 'x' }],
  ])('%s is refused', async (_name, change) => {
    const { transfer, path } = open();
    const file = JSON.parse(await writeConnections([shared('prague')], null));
    Object.assign(file.connections[0], change);
    await writeFile(path, JSON.stringify(file));
    expect(await failureOf(transfer.preview(path, null))).toMatchObject({ code: 'foreign' });
  });

  it('a folder and a file that is not there are told as such', async () => {
    const { transfer } = open();
    for (const path of [folder, join(folder, 'none.json')])
      expect(await failureOf(transfer.preview(path, null))).toMatchObject({
        code: 'read',
        errors: { path: 'cannot be read' },
      });
  });

  it('replace what is there only where that was asked for', async () => {
    const { transfer, path, taken } = open([shared('prague'), shared('brno')]);
    await writeFile(
      path,
      await writeConnections(
        [
          shared('prague'),
          shared('brno', { name: 'Brno 2', address: 'https://brno.example.org:5656' }),
          shared('new'),
        ],
        null,
      ),
    );
    const { digest, items } = await transfer.preview(path, null);
    expect(items.map(({ existingName }) => existingName)).toEqual(['prague', 'brno', null]);
    expect(await transfer.take({ path, passphrase: null, digest, take: [0, 1, 2], replace: [1] })).toEqual({
      added: 1,
      replaced: 1,
      kept: 1,
    });
    expect(taken).toEqual([
      ['prague', false],
      ['Brno 2', true],
      ['new', false],
    ]);
  });

  it('a file that was changed since it was shown is not taken', async () => {
    const { transfer, path, taken } = open();
    await writeFile(path, await writeConnections([shared('prague')], null));
    const { digest } = await transfer.preview(path, null);
    await writeFile(path, await writeConnections([shared('evil')], null));
    expect(
      await failureOf(transfer.take({ path, passphrase: null, digest, take: [0], replace: [] })),
    ).toMatchObject({
      code: 'changed',
    });
    expect(taken).toEqual([]);
  });
});
