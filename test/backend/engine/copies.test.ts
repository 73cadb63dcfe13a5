import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listCopies, removeCopy, removePartials } from '../../../backend/engine/index.ts';
import { type Fixture, makeFixture } from './fixture.ts';

let fixture: Fixture;
let source: string;

beforeEach(async () => {
  fixture = await makeFixture('copies');
  source = path.join(fixture.folder, 'source');
  fs.mkdirSync(source);
  fs.writeFileSync(path.join(source, 'file'), 'content');
});
afterEach(() => fixture.remove());

const inStorage = () => fs.readdirSync(fixture.storagePath);

test('a copy is listed until it is removed; a second removal finds nothing', async () => {
  const { copyId } = await fixture.backUp(source);
  const { storagePath } = fixture;
  expect(await listCopies(storagePath)).toEqual([copyId]);
  expect(await removeCopy({ storagePath, copyId, zeroing: false })).toBe(true);
  expect(await listCopies(storagePath)).toEqual([]);
  expect(inStorage()).toEqual([]);
  expect(await removeCopy({ storagePath, copyId, zeroing: false })).toBe(false);
});

test('a storage that is not there is an error: its copies are not gone', async () => {
  const storagePath = path.join(fixture.folder, 'not mounted');
  const removal = removeCopy({ storagePath, copyId: randomUUID(), zeroing: false });
  await expect(removal).rejects.toMatchObject({ kind: 'notFound' });
});

test.each(['..', '.', '', '../storage', '/etc', 'a/b'])(
  '%j is no copy that could be removed',
  async (copyId) => {
    const removal = removeCopy({ storagePath: fixture.storagePath, copyId, zeroing: true });
    await expect(removal).rejects.toMatchObject({ kind: 'permanent' });
    expect(fs.existsSync(path.join(source, 'file'))).toBe(true);
  },
);

test('zeroing overwrites the files of the copy, and nothing that only has a name in it', async () => {
  const { copyId, path: folder, archiveFile } = await fixture.backUp(source);
  const outside = path.join(fixture.folder, 'outside');
  fs.writeFileSync(outside, 'stays');
  fs.symlinkSync(outside, path.join(folder, 'link'));
  fs.linkSync(outside, path.join(folder, 'second name'));
  // An open descriptor still sees the data after the name is gone.
  const fd = fs.openSync(path.join(folder, archiveFile), 'r');
  const { size } = fs.fstatSync(fd);
  await removeCopy({ storagePath: fixture.storagePath, copyId, zeroing: true });
  const after = Buffer.alloc(size, 1);
  fs.readSync(fd, after, 0, size, 0);
  fs.closeSync(fd);
  expect(after.equals(Buffer.alloc(size))).toBe(true);
  expect(fs.readFileSync(outside, 'utf8')).toBe('stays');
  expect(inStorage()).toEqual([]);
});

test('what interrupted work left is removed at start, overwritten where that was asked; all else stays', async () => {
  const { copyId } = await fixture.backUp(source);
  const leftOver = ['.partial', '.removed', '.zeroed'].map((suffix) => `${randomUUID()}${suffix}`);
  for (const name of leftOver) {
    fs.mkdirSync(path.join(fixture.storagePath, name));
    fs.writeFileSync(path.join(fixture.storagePath, name, 'archive.tar'), 'secret');
  }
  fs.mkdirSync(path.join(fixture.storagePath, 'photos.partial'));
  const open = leftOver.map((name) => fs.openSync(path.join(fixture.storagePath, name, 'archive.tar'), 'r'));
  expect(await removePartials(fixture.storagePath)).toHaveLength(3);
  const contents = open.map((fd) => fs.readFileSync(fd, 'latin1'));
  for (const fd of open) fs.closeSync(fd);
  expect(contents).toEqual(['secret', 'secret', '\0'.repeat(6)]);
  expect(inStorage().sort()).toEqual([copyId, 'photos.partial'].sort());
});
