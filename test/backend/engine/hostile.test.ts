import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RestoreResult, startRestore, startVerify } from '../../../backend/engine/index.ts';
import { type CraftedFolder, type CraftedRow, craftCopy } from './crafted-copy.ts';
import { type Fixture, makeFixture } from './fixture.ts';

let fixture: Fixture;
let out: string;
let outside: string;
let before: string;

beforeEach(async () => {
  fixture = await makeFixture('hostile');
  out = path.join(fixture.folder, 'out');
  outside = path.join(fixture.folder, 'outside');
  fs.mkdirSync(out);
  fs.mkdirSync(outside);
  fs.writeFileSync(path.join(outside, 'victim'), 'untouched', { mode: 0o600 });
  before = listing(outside);
});
afterEach(async () => {
  expect(listing(outside)).toBe(before);
  expect(fs.readdirSync(fixture.folder).sort()).toEqual(['out', 'outside', 'storage']);
  await fixture.remove();
});

/** Everything that a write would change: names, contents, modes, owners, links, times. */
function listing(folder: string): string {
  const facts = execFileSync('find', [folder, '-printf', '%p %m %u %g %n %s %T@ %C@\n'], {
    encoding: 'utf8',
  });
  return facts + fs.readFileSync(path.join(folder, 'victim'), 'utf8');
}

const resource = (rows: readonly CraftedRow[]): readonly CraftedFolder[] => [
  { folderId: 0, parentId: 0, name: '', rows: [{ name: 'res', type: 'd', mode: 0o755, childFolderId: 1 }] },
  { folderId: 1, parentId: 0, name: 'res', rows },
];

async function restore(folders: readonly CraftedFolder[], more: object = {}): Promise<RestoreResult> {
  const { storagePath } = fixture;
  const copyId = craftCopy(storagePath, folders);
  return startRestore({
    storagePath,
    copyId,
    destination: out,
    onExisting: 'replace',
    forbidden: [],
    ...more,
  }).result;
}

test('a crafted copy that does nothing wrong verifies and is restored, so the others fail for their own reasons', async () => {
  const folders = resource([{ name: 'good', type: 'f', content: 'hello' }]);
  expect(await restore(folders)).toMatchObject({ outcome: 'complete', filesRestored: 1 });
  expect(fs.readFileSync(path.join(out, 'res/good'), 'utf8')).toBe('hello');
  const copyId = craftCopy(fixture.storagePath, folders);
  expect((await startVerify({ storagePath: fixture.storagePath, copyId }).result).status).toBe('trusted');
});

describe('a hostile copy writes nothing outside (case 73)', () => {
  test.each(['..', '.', '../outside/victim', '/etc/passwd', 'a/b', '', 'nul\0byte'])(
    'by the name %j',
    async (name) => {
      const folders = resource([
        { name, type: 'f', content: 'evil' },
        { name: 'good', type: 'f', content: 'x' },
      ]);
      const result = await restore(folders);
      expect(result).toMatchObject({ outcome: 'withProblems', filesRestored: 1, problemsTotal: 1 });
      expect(fs.readdirSync(path.join(out, 'res'))).toEqual(['good']);
      const copyId = craftCopy(fixture.storagePath, folders);
      expect((await startVerify({ storagePath: fixture.storagePath, copyId }).result).status).not.toBe(
        'trusted',
      );
    },
  );

  test('by a folder named ..', async () => {
    const result = await restore([
      ...resource([{ name: '..', type: 'd', childFolderId: 2 }]),
      { folderId: 2, parentId: 1, name: '..', rows: [{ name: 'victim', type: 'f', content: 'evil' }] },
    ]);
    expect(result).toMatchObject({ outcome: 'withProblems', filesRestored: 0 });
  });

  test('through a link that it brings itself', async () => {
    const result = await restore([
      ...resource([
        { name: 'evil', type: 'l', linkTarget: outside },
        { name: 'evil', type: 'd', childFolderId: 2 },
      ]),
      { folderId: 2, parentId: 1, name: 'evil', rows: [{ name: 'victim', type: 'f', content: 'evil' }] },
    ]);
    expect(result.problems).toEqual([
      expect.objectContaining({ path: '/resource/evil', code: 'permission' }),
    ]);
    expect(fs.readlinkSync(path.join(out, 'res/evil'))).toBe(outside);
  });

  test('through a file that takes the place of a link it brings itself', async () => {
    await restore(
      resource([
        { name: 'victim', type: 'l', linkTarget: path.join(outside, 'victim') },
        { name: 'victim', type: 'f', content: 'evil' },
      ]),
    );
    expect(fs.lstatSync(path.join(out, 'res/victim')).isFile()).toBe(true);
  });

  test('by a hard link to something that is not in the copy', async () => {
    fs.mkdirSync(path.join(out, 'res'));
    const rows: CraftedRow[] = [
      { name: 'a link', type: 'l', linkTarget: path.join(outside, 'victim') },
      { name: 'to a link', type: 'h', firstLink: 1, linkTarget: path.join(outside, 'victim') },
      { name: 'to itself', type: 'h', firstLink: 3 },
      { name: 'to nothing', type: 'h', firstLink: 999 },
      { name: 'to a folder', type: 'h', firstLink: 0 },
    ];
    const result = await restore(resource(rows));
    expect(result.problems.map((problem) => problem.path).sort()).toEqual(
      ['to a folder', 'to a link', 'to itself', 'to nothing'].map((name) => `/resource/${name}`),
    );
    expect(fs.readdirSync(path.join(out, 'res'))).toEqual(['a link']);
  });

  test('by sizes and places that are not in the archive', async () => {
    const result = await restore(
      resource([
        { name: 'beyond', type: 'f', headerOffset: 10_000_000, hash: 'x', content: 'a' },
        { name: 'endless', type: 'f', storedBytes: Number.MAX_SAFE_INTEGER - 10_000, content: 'b' },
        { name: 'good', type: 'f', content: 'c' },
      ]),
    );
    expect(result).toMatchObject({ outcome: 'withProblems', problemsTotal: 2, filesRestored: 1 });
    expect(fs.readdirSync(path.join(out, 'res'))).toEqual(['good']);
  });

  test.each([0, -1, 2 ** 40, 'x'])('by frames of %j bytes', async (frameBytes) => {
    const { storagePath } = fixture;
    const copyId = craftCopy(storagePath, resource([{ name: 'a', type: 'f', content: 'x' }]), { frameBytes });
    const request = { storagePath, copyId, destination: out, onExisting: 'replace', forbidden: [] } as const;
    await expect(startRestore(request).result).rejects.toMatchObject({ kind: 'corrupt' });
    expect((await startVerify({ storagePath, copyId }).result).status).not.toBe('trusted');
  });

  test('by owners and modes that no system has', async () => {
    const result = await restore(
      resource([{ name: 'odd', type: 'f', uid: 2 ** 40, mode: 2 ** 33, content: 'x' }]),
    );
    expect(result.outcome).toBe('withProblems');
    expect(fs.statSync(path.join(out, 'res/odd')).mode & 0o7077).toBe(0);
  });
});

describe('what waits in the destination (case 73)', () => {
  const folders = resource([
    { name: 'sub', type: 'd', mode: 0o755, childFolderId: 2 },
    { name: 'victim', type: 'f', content: 'from the copy' },
  ]);
  const tree: readonly CraftedFolder[] = [
    ...folders,
    {
      folderId: 2,
      parentId: 1,
      name: 'sub',
      rows: [{ name: 'victim', type: 'f', content: 'from the copy' }],
    },
  ];

  test.each(['replace', 'skip'] as const)(
    'is not followed when it is a link to a folder (%s)',
    async (onExisting) => {
      fs.mkdirSync(path.join(out, 'res'));
      fs.symlinkSync(outside, path.join(out, 'res', 'sub'));
      const result = await restore(tree, { onExisting });
      expect(result.problems).toEqual([
        expect.objectContaining({ path: '/resource/sub', code: 'permission' }),
      ]);
      expect(fs.readlinkSync(path.join(out, 'res', 'sub'))).toBe(outside);
    },
  );

  test('is not followed when the resource itself would be a link', async () => {
    fs.symlinkSync(outside, path.join(out, 'res'));
    expect(await restore(tree)).toMatchObject({ outcome: 'withProblems', filesRestored: 0 });
  });

  test('is not written through when it is a link to a file', async () => {
    fs.mkdirSync(path.join(out, 'res'));
    fs.symlinkSync(path.join(outside, 'victim'), path.join(out, 'res', 'victim'));
    await restore(tree);
    expect(fs.readFileSync(path.join(out, 'res', 'victim'), 'utf8')).toBe('from the copy');
  });

  test('is not written into when it is a further name of a file outside', async () => {
    const linked = path.join(fixture.folder, 'storage', 'linked');
    fs.writeFileSync(linked, 'stays');
    fs.mkdirSync(path.join(out, 'res'));
    fs.linkSync(linked, path.join(out, 'res', 'victim'));
    await restore(tree);
    expect(fs.readFileSync(linked, 'utf8')).toBe('stays');
  });
});

/** Puts a link in the place of the folder and takes it away again, as fast as it can. */
const SWAPPER = `
const fs = require('node:fs');
const [folder, outside] = process.argv.slice(1);
const attempt = (act) => { try { act(); } catch {} };
for (;;) {
  attempt(() => fs.renameSync(folder + '/sub', folder + '/aside'));
  attempt(() => fs.symlinkSync(outside, folder + '/sub'));
  attempt(() => fs.unlinkSync(folder + '/sub'));
  attempt(() => fs.renameSync(folder + '/aside', folder + '/sub'));
}`;

test('folders that are swapped for links while the restore runs lead nowhere (case 73)', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `file ${index}`);
  const copyId = craftCopy(fixture.storagePath, [
    ...resource([{ name: 'sub', type: 'd', mode: 0o755, childFolderId: 2 }]),
    {
      folderId: 2,
      parentId: 1,
      name: 'sub',
      rows: names.map((name) => ({ name, type: 'f', content: name })),
    },
  ]);
  const attacker = spawn(process.execPath, ['-e', SWAPPER, path.join(out, 'res'), outside], {
    stdio: 'ignore',
  });
  const { storagePath } = fixture;
  const request = { storagePath, copyId, destination: out, onExisting: 'replace', forbidden: [] } as const;
  try {
    // How much of it arrives depends on the attacker's luck. That nothing arrives outside does not.
    for (let round = 0; round < 5; round += 1) await startRestore(request).result;
  } finally {
    attacker.kill('SIGKILL');
    await once(attacker, 'exit');
  }
  expect(fs.readdirSync(outside)).toEqual(['victim']);
});

describe('a destination is refused before anything is written', () => {
  const good = resource([{ name: 'good', type: 'f', content: 'x' }]);
  test('the whole system, a relative path, a link, a file', async () => {
    fs.symlinkSync(outside, path.join(out, 'link'));
    for (const destination of ['/', '//', 'relative', path.join(out, 'link'), path.join(outside, 'victim')]) {
      await expect(restore(good, { destination }), destination).rejects.toMatchObject({ kind: 'permission' });
    }
  });

  test('the server’s own folders, also by another way to them', async () => {
    const way = path.join(out, 'way');
    fs.symlinkSync(fixture.storagePath, way);
    const forbidden = [fixture.storagePath];
    const inside = [fixture.storagePath, path.join(fixture.storagePath, 'new'), path.join(way, 'new')];
    const size = fs.readdirSync(fixture.storagePath).length;
    for (const destination of inside) {
      await expect(restore(good, { destination, forbidden })).rejects.toMatchObject({ kind: 'permission' });
    }
    expect(fs.readdirSync(fixture.storagePath)).toHaveLength(size + inside.length);
  });

  test('and a folder of the server below the destination is not entered', async () => {
    const own = path.join(out, 'res');
    fs.mkdirSync(own);
    expect(await restore(good, { forbidden: [own] })).toMatchObject({
      outcome: 'withProblems',
      filesRestored: 0,
    });
    expect(fs.readdirSync(own)).toEqual([]);
  });
});
