import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRestore } from '../../../backend/engine/index.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

let fixture: Fixture;
let source: string;
let out: string;
let copy: Copy;

beforeEach(async () => {
  fixture = await makeFixture('restore');
  source = path.join(fixture.folder, 'source');
  out = path.join(fixture.folder, 'out');
  fs.mkdirSync(path.join(source, 'sub', 'inner'), { recursive: true });
  fs.mkdirSync(path.join(source, 'other'));
  for (const name of [
    'a[1].txt',
    'a1.txt',
    '*',
    '?',
    '#x',
    '-rf',
    'sub/inner/leaf',
    'sub/near',
    'other/far',
  ]) {
    fs.writeFileSync(path.join(source, name), `content of ${name}`);
  }
  fs.writeFileSync(path.join(source, 'first'), 'linked');
  fs.linkSync(path.join(source, 'first'), path.join(source, 'sub', 'second'));
  fs.linkSync(path.join(source, 'first'), path.join(source, 'sub', 'third'));
  const then = new Date('2020-02-02T02:02:02Z');
  for (const name of ['sub/inner', 'sub', 'other', '.']) fs.utimesSync(path.join(source, name), then, then);
  copy = await fixture.backUp(source);
});
afterEach(() => fixture.remove());

const at = (name: string) => path.join(out, 'source', name);
const files = (folder: string) =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

describe('a selection', () => {
  test.each(['a[1].txt', '*', '?', '#x', '-rf'])(
    'of %j brings exactly that item, it is no pattern (case 68)',
    async (name) => {
      const restored = await fixture.restore(copy, out, { selection: [name] });
      expect(restored).toMatchObject({ outcome: 'complete', filesRestored: 1 });
      expect(files(out)).toEqual([path.join('source', name)]);
      expect(fs.readFileSync(at(name), 'utf8')).toBe(`content of ${name}`);
    },
  );

  test('of something that is not in the copy is refused before anything is written (case 68)', async () => {
    const restoring = fixture.restore(copy, out, { selection: ['a1.txt', 'a*.txt'] });
    await expect(restoring).rejects.toMatchObject({
      kind: 'notFound',
      message: expect.stringContaining('a*.txt'),
    });
    expect(files(out)).toEqual([]);
  });

  test('may be absolute or relative, and keeps its folders with their times', async () => {
    const selection = [path.join(source, 'sub', 'inner'), 'other/far'];
    const restored = await fixture.restore(copy, out, { selection });
    expect(restored.problems).toEqual([]);
    expect(files(out)).toEqual(['source/other/far', 'source/sub/inner/leaf']);
    for (const name of ['sub/inner', 'sub', 'other', '.']) {
      expect(fs.statSync(at(name)).mtimeMs, name).toBe(fs.statSync(path.join(source, name)).mtimeMs);
    }
  });

  test('leaves folders that were there, and only lead to it, as they are', async () => {
    fs.mkdirSync(at('sub'), { recursive: true });
    fs.chmodSync(at('sub'), 0o711);
    await fixture.restore(copy, out, { selection: ['sub/near'] });
    expect(fs.statSync(at('sub')).mode & 0o777).toBe(0o711);
  });

  test('of further names of a file brings its content once, as one file, with a note (case 71)', async () => {
    const job = startRestore({
      storagePath: fixture.storagePath,
      copyId: copy.copyId,
      destination: out,
      selection: ['sub/second', 'sub/third'],
      onExisting: 'replace',
      forbidden: [],
    });
    const notes: string[] = [];
    job.onLog((line) => notes.push(line.message));
    expect(await job.result).toMatchObject({ outcome: 'complete', filesRestored: 2 });
    expect(fs.readFileSync(at('sub/third'), 'utf8')).toBe('linked');
    expect(fs.statSync(at('sub/second')).ino).toBe(fs.statSync(at('sub/third')).ino);
    expect(notes).toEqual([expect.stringContaining('sub/second')]);
    const { bytesDone, bytesTotal } = job.progress();
    expect(bytesDone).toBe(bytesTotal);
  });
});

test('what is there is replaced or kept, as asked (case 70)', async () => {
  fs.mkdirSync(at('sub'), { recursive: true });
  fs.writeFileSync(at('a1.txt'), 'mine');
  await fixture.restore(copy, out, { onExisting: 'skip' });
  expect(fs.readFileSync(at('a1.txt'), 'utf8')).toBe('mine');
  expect(fs.readFileSync(at('sub/near'), 'utf8')).toBe('content of sub/near');
  await fixture.restore(copy, out, { onExisting: 'replace' });
  expect(compareTrees(source, path.join(out, 'source'))).toEqual([]);
});

test('with deployment the contents go straight into the destination, over what is there', async () => {
  fs.mkdirSync(out);
  fs.writeFileSync(path.join(out, 'kept'), 'stays');
  const restored = await fixture.restore(copy, out, { deployInto: true });
  expect(restored.problems).toEqual([]);
  expect(fs.readFileSync(path.join(out, 'sub/inner/leaf'), 'utf8')).toBe('content of sub/inner/leaf');
  expect(fs.readFileSync(path.join(out, 'kept'), 'utf8')).toBe('stays');
});

test('a new name takes the place of the resource’s own', async () => {
  await fixture.restore(copy, out, { newName: 'renamed' });
  expect(compareTrees(source, path.join(out, 'renamed'))).toEqual([]);
});

test('stop ends it as cancelled, and no half file is left under any name', async () => {
  fs.writeFileSync(path.join(source, 'large'), Buffer.alloc(30_000_000, 'large '));
  const large = await fixture.backUp(source);
  const { storagePath } = fixture;
  const job = startRestore({
    storagePath,
    copyId: large.copyId,
    destination: out,
    onExisting: 'replace',
    forbidden: [],
  });
  job.setLimit(3_000_000);
  const halfWay = new Promise<void>((resolve) => {
    job.onProgress((progress) => {
      if (progress.bytesDone > 1_000_000) resolve();
    });
  });
  await halfWay;
  job.stop();
  await expect(job.result).rejects.toMatchObject({ kind: 'cancelled' });
  expect(files(out).filter((name) => name.endsWith('large') || name.includes('.strongroom'))).toEqual([]);
});
