import { execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type BackupResult,
  type ClientKey,
  COPY_CIPHERS,
  ensureClientKey,
  listCopies,
  removePartials,
  startBackup,
  startVerify,
} from '../../../backend/engine/index.ts';
import { logOutcome } from '../../../backend/features/tasks/backup-log.ts';
import { isRoot } from '../../support/awkward-tree.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { sourceProgram } from '../../support/source-program.ts';
import { craftCopy } from './crafted-copy.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

const program = fileURLToPath(new URL('./backup-process.ts', import.meta.url));
let fixture: Fixture;
beforeAll(async () => {
  fixture = await makeFixture('chain-faults');
});
afterAll(() => fixture.remove());

function wishFor(source: string, base: readonly { readonly copyId: string }[]) {
  const { storagePath } = fixture;
  const copies = base.map(({ copyId }) => ({ copyId, storagePath }));
  return { source, storagePath, copyId: randomUUID(), base: { copies } };
}

async function backUpOn(
  source: string,
  base: readonly { readonly copyId: string }[],
  key: ClientKey | null = null,
): Promise<Copy> {
  const wish = { ...wishFor(source, base), compression: 'Optimal', key } as const;
  return { ...(await startBackup(wish).result), copyId: wish.copyId };
}

function makeTree(name: string): string {
  const tree = path.join(fixture.folder, name);
  fs.mkdirSync(path.join(tree, 'closed', 'below', 'deeper'), { recursive: true });
  fs.mkdirSync(path.join(tree, 'no way in', 'sub'), { recursive: true });
  for (const file of [
    'a file',
    'secret',
    'closed/inside',
    'closed/below/deeper/last',
    'no way in/listed',
    'no way in/sub/not listed',
  ]) {
    fs.writeFileSync(path.join(tree, file), `${file} `.repeat(1000));
  }
  fs.linkSync(path.join(tree, 'closed/inside'), path.join(tree, 'closed/below/further name'));
  fs.symlinkSync('inside', path.join(tree, 'closed', 'link'));
  return tree;
}

/** Root reads everything, unless it is told that it may not. */
function backUpWithoutRights(source: string, base: readonly Copy[]): Copy {
  const wish = wishFor(source, base);
  const caps = '-dac_override,-dac_read_search';
  const drop = isRoot ? ['setpriv', `--bounding-set=${caps}`, `--inh-caps=${caps}`] : ['env'];
  const [command = '', ...args] = [
    ...drop,
    process.execPath,
    ...sourceProgram(program, JSON.stringify(wish)),
  ];
  const out = execFileSync(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  return { ...(JSON.parse(out.toString()) as BackupResult), copyId: wish.copyId };
}

test('what cannot be read now stays as the copy before has it, and that is told (case 76)', async () => {
  const source = makeTree('unreadable');
  const before = path.join(fixture.folder, 'unreadable before');
  execFileSync('cp', ['-a', source, before]);
  const full = await fixture.backUp(source);
  const at = (name: string) => path.join(source, name);
  fs.chmodSync(at('secret'), 0);
  fs.chmodSync(at('closed'), 0);
  fs.chmodSync(at('no way in'), 0o444);
  fs.writeFileSync(at('new'), 'new');
  const first = backUpWithoutRights(source, [full]);
  expect(first.reuse.unread).toBeGreaterThanOrEqual(9);
  expect(first.skipped.map((item) => path.relative(source, item.path)).sort()).toEqual([
    'closed',
    'no way in/listed',
    'no way in/sub',
    'secret',
  ]);
  expect(first.skipped.every(({ reason }) => reason.includes('copy before'))).toBe(true);
  expect(first.totals.files).toBe(full.totals.files + 1);
  const told: string[] = [];
  logOutcome({ log: (side, level, message) => void told.push(`${side} ${level}: ${message}`) }, first, false);
  expect(told[0]).toBe(
    `client warning: ${first.reuse.unread} items now unreadable. They are not deleted: the new copy keeps what the copy before has of them. Give this server the right to read them, or leave them out.`,
  );
  const second = backUpWithoutRights(source, [full, first]);
  expect(second.reuse.unread).toBe(first.reuse.unread);
  for (const copy of [first, second]) {
    expect((await fixture.verify(copy)).findings).toEqual([]);
    const destination = path.join(fixture.folder, `unreadable from ${copy.copyId}`);
    const restored = await fixture.restore(copy, destination);
    expect(restored.problems).toEqual([]);
    const differences = compareTrees(before, path.join(destination, 'unreadable'));
    // Folders that could be looked at, but not into, have the rights of now.
    expect(differences.filter((line) => !/^(closed|no way in|\.): (mode|mtime) is/.test(line))).toEqual([
      '.: has new in addition',
    ]);
  }
  for (const name of ['secret', 'closed', 'no way in']) fs.chmodSync(at(name), 0o755);
  const third = await backUpOn(source, [full, first, second]);
  expect(third.reuse.unread).toBe(0);
  expect(third.skipped).toEqual([]);
  await fixture.restore(third, path.join(fixture.folder, 'readable again'));
  expect(compareTrees(source, path.join(fixture.folder, 'readable again', 'unreadable'))).toEqual([]);
});

test('a change that leaves size and modification time is found when the files are older, too', async () => {
  const source = makeTree('aged');
  const file = path.join(source, 'a file');
  const sizes = () => fs.statSync(file, { bigint: true });
  const made = Number(sizes().ctimeNs / 1_000_000n);
  // What was touched within a second before a copy is read again in any case.
  await vi.waitUntil(() => Date.now() > made + 1500, { timeout: 10_000, interval: 50 });
  const full = await fixture.backUp(source);
  const { size, mtimeNs } = sizes();
  const times = path.join(fixture.folder, 'times');
  execFileSync('cp', ['-p', file, times]);
  fs.writeFileSync(file, 'A FILE '.repeat(1000));
  execFileSync('touch', ['-r', times, file]);
  expect(sizes()).toMatchObject({ size, mtimeNs });
  const next = await backUpOn(source, [full]);
  expect(next.reuse.files).toBe(5);
  await fixture.restore(next, path.join(fixture.folder, 'aged out'));
  expect(compareTrees(source, path.join(fixture.folder, 'aged out', 'aged'))).toEqual([]);
});

test('a copy that was killed half way leaves nothing but what the next start removes', async () => {
  const source = makeTree('killed');
  const full = await fixture.backUp(source);
  for (let i = 0; i < 8; i += 1) fs.writeFileSync(path.join(source, `new ${i}`), randomBytes(8_000_000));
  const wish = wishFor(source, [full]);
  const child = spawn(process.execPath, sourceProgram(program, JSON.stringify(wish)), {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await once(child.stderr, 'data');
  child.kill('SIGKILL');
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  await removePartials(fixture.storagePath);
  expect(await listCopies(fixture.storagePath)).not.toContain(wish.copyId);
  expect(fs.readdirSync(fixture.storagePath).filter((name) => name.startsWith(wish.copyId))).toEqual([]);
  const next = await backUpOn(source, [full]);
  expect((await fixture.verify(next)).status).toBe('trusted');
});

test('nothing is built on a damaged file list, or on copies that do not belong together', async () => {
  const source = makeTree('damaged');
  const full = await fixture.backUp(source);
  const other = await fixture.backUp(source);
  const next = await backUpOn(source, [full]);
  await expect(backUpOn(source, [other, next])).rejects.toThrow(next.copyId);
  await expect(backUpOn(source, [next])).rejects.toThrow(/does not build on/);
  const list = path.join(full.path, 'manifest.ndjson.zst');
  const bytes = fs.readFileSync(list);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  fs.writeFileSync(list, bytes);
  await expect(backUpOn(source, [full])).rejects.toThrow(/not what was written/);
  expect(fs.readdirSync(fixture.storagePath).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

test('a copy of the first version of the format can be built on', async () => {
  const source = path.join(fixture.folder, 'resource');
  fs.mkdirSync(source);
  fs.writeFileSync(path.join(source, 'file'), 'content');
  const old = craftCopy(fixture.storagePath, [
    { folderId: 0, parentId: 0, name: '', rows: [{ name: 'resource', type: 'd', childFolderId: 1 }] },
    { folderId: 1, parentId: 0, name: 'resource', rows: [{ name: 'file', type: 'f', content: 'content' }] },
  ]);
  const next = await backUpOn(source, [{ copyId: old }]);
  expect(next.reuse).toEqual({ files: 1, bytes: 7, unread: 0 });
  await fixture.restore(next, path.join(fixture.folder, 'from the first version'));
  expect(compareTrees(source, path.join(fixture.folder, 'from the first version', 'resource'))).toEqual([]);
});

describe.each(COPY_CIPHERS)('a chain encrypted with %s', (cipher) => {
  test('comes back with its key, and refuses any other before any work', async () => {
    const source = makeTree(`sealed ${cipher}`);
    const { storagePath } = fixture;
    const keyFor = async (name: string) =>
      (await ensureClientKey(path.join(fixture.folder, 'keys', `${name}.${cipher}`), cipher)).key;
    const key = await keyFor('client');
    const fullId = randomUUID();
    await startBackup({ source, storagePath, copyId: fullId, compression: 'Fast', key }).result;
    fs.appendFileSync(path.join(source, 'a file'), 'more');
    await expect(backUpOn(source, [{ copyId: fullId }], await keyFor('other'))).rejects.toThrow(
      /another key/,
    );
    const next = await backUpOn(source, [{ copyId: fullId }], key);
    expect(next.reuse.files).toBe(5);
    await fixture.restore(next, path.join(fixture.folder, `opened ${cipher}`), { key });
    expect(compareTrees(source, path.join(fixture.folder, `opened ${cipher}`, `sealed ${cipher}`))).toEqual(
      [],
    );
    const chain = [{ copyId: fullId, storagePath }];
    const verify = (given: ClientKey | null) =>
      startVerify({ storagePath, copyId: next.copyId, key: given, chain }).result;
    expect((await verify(key)).findings).toEqual([]);
    fs.renameSync(path.join(storagePath, fullId), path.join(storagePath, `${fullId} hidden`));
    expect((await verify(key)).status).toBe('broken');
    expect((await verify(null)).status).toBe('broken');
  });
});
