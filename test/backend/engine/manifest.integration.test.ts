import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Manifest, openManifest, startRestore, startVerify } from '../../../backend/engine/index.ts';
import { FRAME_BYTES } from '../../../backend/engine/job/ring.ts';
import { ManifestReader } from '../../../backend/engine/manifest/manifest-reader.ts';
import { RowCursor } from '../../../backend/engine/manifest/row-cursor.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

const MANY = 5000;

let fixture: Fixture;
let source: string;
let copy: Copy;
let manifest: Manifest;

beforeAll(async () => {
  fixture = await makeFixture('manifest');
  source = path.join(fixture.folder, 'source');
  fs.mkdirSync(path.join(source, 'many'), { recursive: true });
  for (let i = 0; i < MANY; i += 1) fs.writeFileSync(path.join(source, 'many', `file ${i}`), String(i));
  fs.mkdirSync(path.join(source, 'zone', 'empty'), { recursive: true });
  fs.writeFileSync(path.join(source, 'zone', 'VALIDACIÓN – 日本 🎞.docx'), 'x');
  fs.writeFileSync(Buffer.from(`${source}/zone/\xff`, 'latin1'), 'no text');
  fs.writeFileSync(path.join(source, 'zone', 'large'), Buffer.alloc(9_000_000, 'large '));
  copy = await fixture.backUp(source, 'None');
  manifest = await openManifest(copy.path);
});
afterAll(async () => {
  manifest.close();
  await fixture.remove();
});

describe('the list of a copy', () => {
  test('begins with the resource, and goes down folder by folder', () => {
    expect(manifest.list({ offset: 0, limit: 10 }).items.map((item) => item.path)).toEqual([source]);
    const names = (folder: string) =>
      manifest.list({ folder, offset: 0, limit: 10 }).items.map((item) => item.name);
    expect(names(source)).toEqual(['many', 'zone']);
    expect(names('zone')).toEqual(['VALIDACIÓN – 日本 🎞.docx', 'empty', 'large', '\\xff']);
    expect(manifest.list({ folder: 'zone/empty', offset: 0, limit: 10 })).toEqual({ items: [], total: 0 });
  });

  test('comes in pages that together are the folder, in the order of names as bytes', () => {
    const expected = fs.readdirSync(path.join(source, 'many'), 'latin1').sort();
    const found: string[] = [];
    for (let offset = 0; offset < MANY; offset += 700) {
      const page = manifest.list({ folder: 'many', offset, limit: 700 });
      expect(page.total).toBe(MANY);
      found.push(...page.items.map((item) => item.name));
    }
    expect(found).toEqual(expected);
    expect(manifest.list({ folder: 'many', offset: MANY, limit: 10 }).items).toEqual([]);
  });

  test('names what a restore then brings, also names that are no text (cases 66, 67)', async () => {
    const selection = manifest
      .list({ folder: 'zone', offset: 0, limit: 10 })
      .items.map((item) => item.path)
      .filter((shown) => !shown.endsWith('large'));
    const out = path.join(fixture.folder, 'picked');
    const restored = await fixture.restore(copy, out, { selection });
    expect(restored).toMatchObject({ outcome: 'complete', filesRestored: 2 });
    expect(fs.readFileSync(Buffer.from(`${out}/source/zone/\xff`, 'latin1'), 'utf8')).toBe('no text');
  });

  test('refuses a folder that is not there, and a file', () => {
    for (const folder of ['nowhere', 'zone/large', '/etc', '../source', 'many/file 1/below']) {
      expect(() => manifest.list({ folder, offset: 0, limit: 1 }), folder).toThrow(
        expect.objectContaining({ kind: 'notFound' }),
      );
    }
  });

  test('is gone through without the files that say no more than nearly all, and with all else in its place', () => {
    const reader = new ManifestReader(copy.path);
    const isUsual = (name: string) => name.startsWith('file ') || name === 'large';
    const steps = (isUsualLeftOut: boolean) =>
      [...reader.walk(null, { isUsualLeftOut })].map((step) =>
        'path' in step ? [step.kind, step.path, step.kind === 'entry' ? step.entry : null] : [step.kind],
      );
    const all = steps(false);
    const few = steps(true);
    reader.close();
    expect(few).toEqual(all.filter(([, shown]) => !isUsual(path.basename(String(shown)))));
    expect(all.length - few.length).toBe(MANY + 1);
  });

  test('is searched in any case, in a folder or in all, page by page', async () => {
    const all = await manifest.search({ text: 'FILE 49', offset: 0, limit: 5 });
    expect(all.total).toBe(1 + 10 + 100);
    expect(all.items).toHaveLength(5);
    expect((await manifest.search({ text: 'validación', offset: 0, limit: 5 })).total).toBe(1);
    expect((await manifest.search({ text: 'file', folder: 'zone', offset: 0, limit: 5 })).total).toBe(0);
    expect((await manifest.search({ text: 'large', folder: 'zone', offset: 0, limit: 5 })).total).toBe(1);
  });
});

test('every folder’s place in the list is what a walk over everything finds', () => {
  const reader = new ManifestReader(copy.path);
  const walked = [...reader.walk()].flatMap((step) => (step.kind === 'entry' ? [step] : []));
  for (const { entry, path: from } of walked) {
    expect(reader.find(from)?.ordinal).toBe(entry.ordinal);
    if (entry.childFolderId === null) continue;
    const below = walked
      .filter((other) => other.path.startsWith(`${from}/`))
      .map((other) => other.entry.ordinal);
    const [first, end] = reader.rangeBelow(entry.childFolderId);
    expect(below).toEqual(Array.from({ length: end - first }, (_, index) => first + index));
  }
  reader.close();
});

test('a restore of one file reads its own frames and no others', async () => {
  const { storagePath } = fixture;
  const destination = path.join(fixture.folder, 'one');
  const request = {
    storagePath,
    copyId: copy.copyId,
    destination,
    onExisting: 'replace',
    forbidden: [],
  } as const;
  const job = startRestore({ ...request, selection: ['many/file 4999'] });
  expect(await job.result).toMatchObject({ outcome: 'complete', filesRestored: 1 });
  expect(job.progress().transferredBytes).toBeLessThanOrEqual(2 * FRAME_BYTES);
});

test.each(['verify', 'restore'] as const)(
  '%s stands still while paused, goes on after, and ends on stop',
  async (work) => {
    const { storagePath } = fixture;
    const { copyId } = copy;
    const destination = path.join(fixture.folder, 'paused');
    const start = () =>
      work === 'verify'
        ? startVerify({ storagePath, copyId })
        : startRestore({ storagePath, copyId, destination, onExisting: 'replace', forbidden: [] });
    const paused = start();
    paused.pause();
    let isOver = false;
    const ended = paused.result.then(() => {
      isOver = true;
    });
    // Another job of the same kind comes to its end meanwhile.
    await start().result;
    expect(isOver).toBe(false);
    expect(paused.progress().filesDone).toBe(0);
    paused.resume();
    await ended;
    const stopped = start();
    stopped.pause();
    stopped.stop();
    await expect(stopped.result).rejects.toMatchObject({ kind: 'cancelled' });
  },
);

test('rows asked for one by one are the same in order, ahead and back', () => {
  const reader = new ManifestReader(copy.path);
  const rows = new RowCursor(reader.file);
  const { entries } = reader.file.header.totals;
  const inOrder = Array.from({ length: entries }, (_, ordinal) => ordinal);
  for (const ordinal of [...inOrder, 0, MANY - 1, MANY - 1, 17, 4000, 3999, entries - 1, 1]) {
    expect(rows.entry(ordinal)).toEqual(reader.entry(ordinal));
  }
  expect(() => rows.entry(entries)).toThrow('damaged');
  expect(rows.entry(2)).toEqual(reader.entry(2));
  reader.close();
});
