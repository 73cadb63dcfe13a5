import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MANIFEST_NAME, ROWS_PER_SEGMENT } from '../../../backend/engine/archive/manifest-format.ts';
import { ensureClientKey, startBackup, startRestore } from '../../../backend/engine/index.ts';
import { Control } from '../../../backend/engine/job/control.ts';
import { ManifestFile } from '../../../backend/engine/manifest/manifest-file.ts';
import { ManifestReader } from '../../../backend/engine/manifest/manifest-reader.ts';
import { isWorthSharing, RestoreShare } from '../../../backend/engine/restore/restore-share.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { feedArchive } from './archive-feed.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

const FOLDERS = 60;
const FILES = 60;

let fixture: Fixture;
let source: string;
let copy: Copy;
let turn = 0;
let out: string;

/** Deep and wide, with all that two threads could do twice or in the wrong order. */
beforeAll(async () => {
  fixture = await makeFixture('restore-share');
  source = path.join(fixture.folder, 'source');
  for (let i = 0; i < FOLDERS; i += 1) {
    const folder = path.join(source, `group ${i % 4}`, `part ${i % 8}`, `folder ${i}`);
    fs.mkdirSync(path.join(folder, 'empty'), { recursive: true });
    for (let k = 0; k < FILES; k += 1) fs.writeFileSync(path.join(folder, `file ${k}`), randomBytes(6000));
    fs.symlinkSync('file 1', path.join(folder, 'link'));
    fs.linkSync(path.join(folder, 'file 2'), path.join(source, `name of ${i}`));
    fs.chmodSync(path.join(folder, 'file 3'), 0o4750);
  }
  const then = new Date('2020-02-02T02:02:02Z');
  for (const item of fs.readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!item.isDirectory()) continue;
    fs.chmodSync(path.join(item.parentPath, item.name), 0o555);
    fs.utimesSync(path.join(item.parentPath, item.name), then, then);
  }
  fs.utimesSync(source, then, then);
  copy = await fixture.backUp(source);
});
afterAll(() => fixture.remove());
beforeEach(() => {
  turn += 1;
  out = path.join(fixture.folder, `out ${turn}`);
});

describe('a copy that two threads bring back', () => {
  it('is one that is worth it', () => {
    const file = new ManifestFile(copy.path);
    file.close();
    expect(isWorthSharing(file.header.totals)).toBe(true);
    expect(file.segments('rows').length).toBeGreaterThan(1);
    expect(fs.statSync(path.join(copy.path, copy.archiveFile)).size).toBeGreaterThan(16 * 1_048_576);
  });

  it('is the same tree, with further names of files and the times of folders', async () => {
    const restored = await fixture.restore(copy, out);
    // Files, links and further names of files.
    expect(restored).toEqual({
      outcome: 'complete',
      filesRestored: FOLDERS * (FILES + 2),
      bytesRestored: FOLDERS * FILES * 6000,
      problems: [],
      problemsTotal: 0,
    });
    expect(compareTrees(source, path.join(out, 'source'))).toEqual([]);
  });

  it.each([false, true])('is the same tree while its archive comes, alone: %s', async (isAlone) => {
    const { arriving, fed } = feedArchive(copy, `${out} arriving`, 4_194_304);
    const [restored] = await Promise.all([fixture.restore(copy, out, { arriving, isAlone }), fed]);
    expect(restored).toMatchObject({ outcome: 'complete', problemsTotal: 0 });
    expect(compareTrees(source, path.join(out, 'source'))).toEqual([]);
  });

  it.each(['aes-256-gcm', 'age'] as const)('is the same tree where %s encrypts it', async (cipher) => {
    const { key } = await ensureClientKey(path.join(fixture.folder, cipher), cipher);
    const { storagePath } = fixture;
    await startBackup({ source, storagePath, copyId: cipher, compression: 'Optimal', key }).result;
    const threads: string[] = [];
    const note = (worker: Worker) => threads.push(String(Reflect.get(worker, 'threadName')));
    process.on('worker', note);
    const request = { storagePath, copyId: cipher, destination: out, key, forbidden: [storagePath] };
    const restored = await startRestore({ ...request, onExisting: 'replace' }).result;
    process.off('worker', note);
    expect(restored).toMatchObject({
      outcome: 'complete',
      filesRestored: FOLDERS * (FILES + 2),
      problems: [],
    });
    expect(compareTrees(source, path.join(out, 'source'))).toEqual([]);
    expect(threads).toEqual(availableParallelism() > 1 ? ['restorer', 'second restorer'] : ['restorer']);
  });

  it('replaces what is there, or leaves it', async () => {
    await fixture.restore(copy, out);
    const changed = path.join(out, 'source', 'group 1', 'part 1', 'folder 1', 'file 5');
    fs.writeFileSync(changed, 'changed');
    fs.rmSync(path.join(out, 'source', 'name of 7'));
    const left = await fixture.restore(copy, out, { onExisting: 'skip' });
    expect(left).toMatchObject({ outcome: 'complete', problems: [] });
    expect(fs.readFileSync(changed, 'utf8')).toBe('changed');
    expect(fs.existsSync(path.join(out, 'source', 'name of 7'))).toBe(true);
    const replaced = await fixture.restore(copy, out, { onExisting: 'replace' });
    expect(replaced).toMatchObject({ outcome: 'complete', problems: [] });
    expect(compareTrees(source, path.join(out, 'source'))).toEqual([]);
  });

  it('tells once of a folder that cannot be made, and brings back all else (case 73)', async () => {
    const elsewhere = path.join(fixture.folder, `elsewhere ${turn}`);
    fs.mkdirSync(elsewhere);
    fs.mkdirSync(path.join(out, 'source', 'group 2'), { recursive: true });
    fs.symlinkSync(elsewhere, path.join(out, 'source', 'group 2', 'part 2'));
    const restored = await fixture.restore(copy, out);
    expect(restored.problems.map(({ path: item }) => item)).toEqual([path.join(source, 'group 2', 'part 2')]);
    expect(fs.readdirSync(elsewhere)).toEqual([]);
    const lost = compareTrees(source, path.join(out, 'source')).filter(
      (difference) => !JSON.stringify(difference).includes('group 2'),
    );
    expect(lost).toEqual([]);
    const inFolder = Array.from({ length: FOLDERS }, (_, i) => i).filter((i) => i % 8 === 2).length;
    // Its files with several names are there by their other names.
    expect(restored.filesRestored).toBe(FOLDERS * (FILES + 2) - inFolder * (FILES + 1));
  });

  it('refuses a target that is not empty before either thread has written', async () => {
    fs.mkdirSync(path.join(out, 'source'), { recursive: true });
    fs.writeFileSync(path.join(out, 'source', 'mine'), 'mine');
    await expect(fixture.restore(copy, out, { intoEmpty: true })).rejects.toThrow('is not empty');
    expect(fs.readdirSync(path.join(out, 'source'))).toEqual(['mine']);
  });
});

describe('a copy that two threads bring back from a damaged file list', () => {
  const WHOLE = 10;
  const PARTS = 20;
  const IN_PART = 100;
  const then = new Date('2019-09-09T09:09:09Z');

  it('has the facts of a folder of which only the own row is left, and what is in it', async () => {
    const damaged = path.join(fixture.folder, 'damaged');
    const cut = path.join(damaged, 'x');
    // Rows before `x` begins: the resource, its two folders, and files so that the segment ends where a part of `x` does.
    const before = 2 * ROWS_PER_SEGMENT - 3 - PARTS - WHOLE * IN_PART;
    const fill = (folder: string, files: number) => {
      fs.mkdirSync(folder, { recursive: true });
      for (let i = 0; i < files; i += 1) fs.writeFileSync(path.join(folder, `file ${i}`), randomBytes(5000));
    };
    fill(path.join(damaged, 'a'), before);
    for (let i = 0; i < PARTS; i += 1) fill(path.join(cut, `part ${100 + i}`), IN_PART);
    for (const folder of [cut, damaged]) {
      fs.chmodSync(folder, 0o751);
      fs.utimesSync(folder, then, then);
    }
    const ofDamaged = await fixture.backUp(damaged);
    const reader = new ManifestReader(ofDamaged.path);
    const [, lost, next] = reader.file.segments('rows');
    if (lost === undefined || next === undefined)
      throw new Error('the copy has fewer segments than it should');
    const [first] = reader.decode(next);
    expect(isWorthSharing(reader.file.header.totals)).toBe(true);
    reader.close();
    // A folder begins there: nothing says that one above it goes on.
    expect(first).toMatchObject({ name: `part ${100 + WHOLE}`, continued: false });
    const manifest = fs.openSync(path.join(ofDamaged.path, MANIFEST_NAME), 'r+');
    fs.writeSync(manifest, Buffer.alloc(8), 0, 8, lost.offset + 20);
    fs.closeSync(manifest);

    const restored = await fixture.restore(ofDamaged, out);
    expect(restored.outcome).toBe('withProblems');
    const { mode, mtimeMs } = fs.statSync(path.join(out, 'damaged', 'x'));
    expect([mode & 0o7777, mtimeMs]).toEqual([0o751, then.getTime()]);
    const { mode: topMode, mtimeMs: topTime } = fs.statSync(path.join(out, 'damaged'));
    expect([topMode & 0o7777, topTime]).toEqual([0o751, then.getTime()]);
    const parts = fs.readdirSync(path.join(out, 'damaged', 'x'));
    expect(parts).toHaveLength(PARTS - WHOLE);
    for (const part of parts) {
      // Its own row was among what is lost, which is told; what is in it is whole.
      const differences = compareTrees(path.join(cut, part), path.join(out, 'damaged', 'x', part));
      expect(differences.filter((difference) => !difference.startsWith('.: '))).toEqual([]);
      const told = restored.problems.filter((problem) => problem.path === path.join(cut, part));
      expect(told.map(({ code }) => code)).toEqual(['corrupt']);
    }
  });
});

describe('two threads that share', () => {
  const totals = { entries: 100, files: 90, folders: 9, sourceBytes: 0, skipped: 0, changed: 0 };

  it('take each segment once, each in the order of the segments', () => {
    const control = Control.create();
    const input = RestoreShare.inputFor(totals);
    const shares = [new RestoreShare(input, control, 0), new RestoreShare(input, control, 0)];
    const taken = shares.map((): number[] => []);
    for (let segment = 0; segment < 10; segment += 1) {
      shares.forEach((share, index) => {
        if (share.takes(segment)) taken[index]?.push(segment);
      });
    }
    expect(taken.flat().sort((one, other) => one - other)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(taken.every((some) => some.length === 5)).toBe(true);
  });

  it('take many segments at once while many are left, and one by one at the end', () => {
    const control = Control.create();
    const input = RestoreShare.inputFor(totals);
    const shares = [new RestoreShare(input, control, 40), new RestoreShare(input, control, 40)];
    const taken = shares.map((): number[] => []);
    for (let segment = 0; segment < 40; segment += 1) {
      shares.forEach((share, index) => {
        if (share.takes(segment)) taken[index]?.push(segment);
      });
    }
    expect(taken.flat().sort((one, other) => one - other)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    expect(taken[0]?.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(taken[1]?.slice(0, 7)).toEqual([10, 11, 12, 13, 14, 15, 16]);
    const last = taken.map((some) => some.at(-1) ?? 0);
    expect(Math.min(...last)).toBeGreaterThanOrEqual(36);
  });

  it('see the marks of each other, and one that no figure of the copy allows is none', () => {
    const control = Control.create();
    const input = RestoreShare.inputFor(totals);
    const [one, other] = [new RestoreShare(input, control, 0), new RestoreShare(input, control, 0)];
    one.giveFacts(9);
    one.leaveForEnd(7);
    one.setFileDone(99);
    one.giveFacts(1_000_000);
    expect([9, 8, 1_000_000].map((id) => other.getsFacts(id))).toEqual([true, false, false]);
    expect([7, 9].map((id) => other.isLeftForEnd(id))).toEqual([true, false]);
    expect([99, 98].map((ordinal) => other.isFileDone(ordinal))).toEqual([true, false]);
    expect([one.isFirstToTell(3), other.isFirstToTell(3), one.isFirstToTell(4)]).toEqual([true, false, true]);
  });
});
