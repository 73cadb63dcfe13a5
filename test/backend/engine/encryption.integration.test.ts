import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCopyLock, unlockCopy } from '../../../backend/engine/crypto/copy-lock.ts';
import {
  type ClientKey,
  COPY_CIPHERS,
  type Compression,
  type CopyCipher,
  ensureClientKey,
  listCopies,
  openManifest,
  startBackup,
  startProof,
  startTransfer,
  startVerify,
} from '../../../backend/engine/index.ts';
import { buildAwkwardTree } from '../../support/awkward-tree.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

const MARKER = 'PLAINLY-READABLE-MARKER';

let fixture: Fixture;
let source: string;
const keys = new Map<CopyCipher, ClientKey>();

beforeAll(async () => {
  fixture = await makeFixture('encryption');
  source = path.join(fixture.folder, 'awkward');
  buildAwkwardTree(source);
  fs.mkdirSync(path.join(source, MARKER));
  fs.writeFileSync(path.join(source, MARKER, `${MARKER} name`), MARKER.repeat(2000));
  for (const cipher of COPY_CIPHERS) {
    keys.set(cipher, (await ensureClientKey(keyFile(cipher), cipher)).key);
  }
});
afterAll(() => fixture.remove());

function keyFile(cipher: CopyCipher, name = 'client'): string {
  return path.join(fixture.folder, 'keys', `${name}.${cipher}`);
}

function keyOf(cipher: CopyCipher): ClientKey {
  const key = keys.get(cipher);
  if (key === undefined) throw new Error(`no key for ${cipher}`);
  return key;
}

async function backUp(cipher: CopyCipher, compression: Compression, from = source): Promise<Copy> {
  const copyId = randomUUID();
  const { storagePath } = fixture;
  const key = keyOf(cipher);
  const job = startBackup({ source: from, storagePath, copyId, compression, key });
  return { ...(await job.result), copyId };
}

function verify(copy: Copy, key: ClientKey | null) {
  return startVerify({ storagePath: fixture.storagePath, copyId: copy.copyId, key }).result;
}

function storedBytes(copy: Copy): number {
  return fs
    .readdirSync(copy.path)
    .reduce((sum, name) => sum + fs.statSync(path.join(copy.path, name)).size, 0);
}

describe.each(COPY_CIPHERS)('a copy encrypted with %s', (cipher) => {
  test.each(['None', 'Fast', 'Optimal'] as const)(
    'of compression %s verifies and comes back the same in every respect',
    async (compression) => {
      const copy = await backUp(cipher, compression);
      const verified = await verify(copy, keyOf(cipher));
      expect(verified.findings).toEqual([]);
      expect(verified.status).toBe('trusted');
      const destination = path.join(fixture.folder, `out ${cipher} ${compression}`);
      const restored = await fixture.restore(copy, destination, { key: keyOf(cipher) });
      expect(restored.problems).toEqual([]);
      expect(compareTrees(source, path.join(destination, 'awkward'))).toEqual([]);
      expect(copy.archiveBytes + copy.manifestBytes).toBe(storedBytes(copy));
      expect(fs.existsSync(path.join(copy.path, copy.archiveFile))).toBe(true);
      expect(await listCopies(fixture.storagePath)).toContain(copy.copyId);
    },
  );

  test('is browsed with the key, and single files are restored', async () => {
    const copy = await backUp(cipher, 'Optimal');
    const manifest = await openManifest(copy.path, keyOf(cipher));
    const { items } = manifest.list({ folder: MARKER, offset: 0, limit: 10 });
    manifest.close();
    expect(items.map((item) => item.name)).toEqual([`${MARKER} name`]);
    const destination = path.join(fixture.folder, `one ${cipher}`);
    await fixture.restore(copy, destination, { key: keyOf(cipher), selection: [`${MARKER}/${MARKER} name`] });
    const file = path.join(destination, 'awkward', MARKER, `${MARKER} name`);
    expect(fs.readFileSync(file, 'utf8')).toBe(MARKER.repeat(2000));
    await expect(openManifest(copy.path)).rejects.toMatchObject({ kind: 'permission' });
  });

  test('shows nothing of names and contents to whoever reads the storage', async () => {
    const copy = await backUp(cipher, 'None');
    for (const name of fs.readdirSync(copy.path)) {
      const bytes = fs.readFileSync(path.join(copy.path, name));
      for (const secret of [MARKER, 'awkward', 'ustar', fixture.folder]) {
        expect(bytes.includes(secret), `${secret} in ${name}`).toBe(false);
      }
    }
  });

  test('does not open with another key, or without one, and nothing is done before that is known', async () => {
    const copy = await backUp(cipher, 'Optimal');
    const { key: other } = await ensureClientKey(keyFile(cipher, 'other'), cipher);
    const destination = path.join(fixture.folder, `not ${cipher}`);
    for (const key of [other, null]) {
      await expect(fixture.restore(copy, destination, { key })).rejects.toMatchObject({ kind: 'permission' });
    }
    await expect(verify(copy, other)).rejects.toThrow(/another key/);
    expect(fs.existsSync(destination)).toBe(false);
  });

  test('without the key its stored bytes are verified, and what is left unchecked is said', async () => {
    const copy = await backUp(cipher, 'Optimal');
    const { status, findings, bytesRead } = await verify(copy, null);
    expect(status).toBe('trusted');
    expect(findings.map((finding) => finding.severity)).toEqual(['warning']);
    expect(findings[0]?.message).toContain('could not be checked without the key');
    expect(bytesRead).toBeGreaterThanOrEqual(copy.archiveBytes);
    const archive = path.join(copy.path, copy.archiveFile);
    fs.truncateSync(archive, fs.statSync(archive).size - 1);
    expect((await verify(copy, null)).status).toBe('broken');
  });

  test('is brought to another storage as it is, without the key', async () => {
    const copy = await backUp(cipher, 'Optimal');
    const target = path.join(fixture.folder, `second ${cipher}`);
    fs.mkdirSync(target);
    const to = { storagePath: target, copyId: randomUUID() };
    await startTransfer({ from: { storagePath: fixture.storagePath, copyId: copy.copyId }, to }).result;
    await startProof(to).result;
    expect((await startVerify({ ...to, key: keyOf(cipher) }).result).findings).toEqual([]);
  });

  test('every bit that is flipped anywhere is found, with the key and without it', async () => {
    const copy = await backUp(cipher, 'Fast');
    let seed = 11;
    for (const name of fs.readdirSync(copy.path)) {
      for (let round = 0; round < 6; round += 1) {
        const file = path.join(copy.path, name);
        const bytes = fs.readFileSync(file);
        seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
        const at = seed % bytes.length;
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 4;
        fs.writeFileSync(file, changed);
        for (const key of [keyOf(cipher), null]) {
          const status = await verify(copy, key).then(
            (result) => result.status,
            // Another key's number in the lock is told as such.
            (error: Error) => error.message,
          );
          expect(status, `${name}, byte ${at}`).not.toBe('trusted');
        }
        fs.writeFileSync(file, bytes);
      }
    }
    expect((await verify(copy, keyOf(cipher))).status).toBe('trusted');
  });
});

test('age, zstd and tar alone restore a copy of age and list its files', async () => {
  const copy = await backUp('age', 'Optimal');
  const out = path.join(fixture.folder, 'by programs');
  fs.mkdirSync(out);
  const shell = (script: string) =>
    execFileSync('bash', ['-o', 'pipefail', '-c', script], {
      cwd: copy.path,
      env: { ...process.env, KEY: keyFile('age'), OUT: out },
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
  shell(
    `age -d -i "$KEY" archive.tar.zst.age | zstd -dc | tar --xattrs --xattrs-include='*' -p --warning=no-timestamp -x -C "$OUT"`,
  );
  expect(compareTrees(source, path.join(out, 'awkward'), { bySecond: true })).toEqual([]);
  expect(shell('age -d -i "$KEY" manifest.ndjson.zst.age | zstd -dc')).toContain(`${MARKER} name`);
});

test.each([
  ['None', 'cat'],
  ['Fast', 'lz4 -dc'],
  ['Optimal', 'zstd -dc'],
] as const)(
  'the script of the documentation opens a sealed copy of compression %s',
  async (compression, decompress) => {
    const copy = await backUp('aes-256-gcm', compression);
    const out = path.join(fixture.folder, `by script ${compression}`);
    fs.mkdirSync(out);
    const program = path.resolve(import.meta.dirname, '../../../docs/open-sealed-copy.mjs');
    const shell = (script: string) =>
      execFileSync(
        'bash',
        ['-o', 'pipefail', '-c', `set -e; open() { "$NODE" "$PROGRAM" "$KEY" . "$1"; }; ${script}`],
        {
          cwd: copy.path,
          env: {
            ...process.env,
            NODE: process.execPath,
            PROGRAM: program,
            KEY: keyFile('aes-256-gcm'),
            OUT: out,
          },
          encoding: 'utf8',
          maxBuffer: 64 * 1024 * 1024,
        },
      );
    shell(
      `open archive | ${decompress} | tar --xattrs --xattrs-include='*' -p --warning=no-timestamp -x -C "$OUT" 2>&1`,
    );
    expect(compareTrees(source, path.join(out, 'awkward'), { bySecond: true })).toEqual([]);
    expect(shell('open manifest | zstd -dc')).toContain(`${MARKER} name`);
  },
);

test('no two copies share a key, a nonce of their key or a beginning', async () => {
  const copies = [await backUp('aes-256-gcm', 'None'), await backUp('aes-256-gcm', 'None')];
  const secrets = await Promise.all(copies.map((copy) => unlockCopy(copy.path, keyOf('aes-256-gcm'))));
  const dataKeys = secrets.map((secret) =>
    secret?.cipher === 'aes-256-gcm' ? Buffer.from(secret.dataKey).toString('hex') : '',
  );
  expect(new Set([...dataKeys, '']).size).toBe(3);
  const locks = copies.map((copy) => readCopyLock(copy.path)?.wrapped.toString('hex') ?? '');
  expect(new Set(locks.map((wrapped) => wrapped.slice(0, 24))).size).toBe(2);
  // The same data, and not one stored frame in common.
  const [one, two] = copies.map((copy) => fs.readFileSync(path.join(copy.path, copy.archiveFile)));
  expect(one?.length).toBe(two?.length);
  expect(one?.subarray(0, 4096).equals(two?.subarray(0, 4096) ?? Buffer.alloc(0))).toBe(false);

  const ages = [await backUp('age', 'None'), await backUp('age', 'None')];
  const starts = await Promise.all(ages.map((copy) => unlockCopy(copy.path, keyOf('age'))));
  const payloadKeys = starts.flatMap((secret) =>
    secret?.cipher === 'age' ? [secret.archive?.payloadKey, secret.manifest?.payloadKey] : [],
  );
  expect(new Set(payloadKeys.map((bytes) => Buffer.from(bytes ?? []).toString('hex'))).size).toBe(4);
});

test('frames that are swapped or taken from another copy are found', async () => {
  const noise = path.join(fixture.folder, 'noise');
  fs.mkdirSync(noise);
  fs.writeFileSync(path.join(noise, 'file'), Buffer.alloc(4_000_000, 7));
  const [copy, other] = [
    await backUp('aes-256-gcm', 'None', noise),
    await backUp('aes-256-gcm', 'None', noise),
  ];
  const archive = path.join(copy.path, copy.archiveFile);
  const whole = fs.readFileSync(archive);
  const sealedFrame = 1_048_576 + 16;
  const frame = (bytes: Buffer, index: number) =>
    bytes.subarray(index * sealedFrame, (index + 1) * sealedFrame);
  const foreign = fs.readFileSync(path.join(other.path, other.archiveFile));
  for (const mixed of [
    [frame(whole, 1), frame(whole, 0), whole.subarray(2 * sealedFrame)],
    [frame(foreign, 0), whole.subarray(sealedFrame)],
    [whole.subarray(0, 2 * sealedFrame)],
  ]) {
    fs.writeFileSync(archive, Buffer.concat(mixed));
    expect((await verify(copy, keyOf('aes-256-gcm'))).status).not.toBe('trusted');
    expect((await verify(copy, null)).status).not.toBe('trusted');
  }
});
