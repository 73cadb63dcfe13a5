import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Entry } from '../../../backend/engine/archive/entry.ts';
import { readXattrs } from '../../../backend/engine/backup/source-item.ts';
import { startBackup } from '../../../backend/engine/index.ts';
import { ManifestReader } from '../../../backend/engine/manifest/manifest-reader.ts';
import { utf8Bytes } from '../../../backend/platform/byte-path.ts';
import { nativeState } from '../../../backend/platform/native.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

/** Folders and links to which nothing has happened since the copy before are not asked again what they have. */
let fixture: Fixture;
let source: string;
let first: Copy;

const inSource = (name: string) => path.join(source, name);

beforeAll(async () => {
  fixture = await makeFixture('untouched-items');
  source = path.join(fixture.folder, 'source');
  for (const name of ['same', 'gets a note', 'has a note']) fs.mkdirSync(inSource(name), { recursive: true });
  fs.writeFileSync(inSource('same/file'), 'text');
  note('has a note', 'old');
  for (const name of ['same link', 'other link']) fs.symlinkSync('same/file', inSource(name));
  // What was touched within a second before a copy is looked at again in any case.
  const newest = () => fs.lstatSync(inSource('other link')).ctimeMs;
  await vi.waitUntil(() => Date.now() - newest() > 1500, { timeout: 5000 });
  first = await fixture.backUp(source);
});
afterAll(() => fixture.remove());

function note(name: string, text: string): void {
  const state = nativeState();
  if (state.available) state.calls.setXattr(utf8Bytes(inSource(name)), 'user.note', Buffer.from(text));
}

async function copyOnFirst(): Promise<ReadonlyMap<string, Entry>> {
  const copyId = randomUUID();
  const base = { copies: [{ copyId: first.copyId, storagePath: fixture.storagePath }] };
  const request = { source, storagePath: fixture.storagePath, copyId, compression: 'Optimal' as const };
  return rowsOf((await startBackup({ ...request, base }).result).path);
}

function rowsOf(copyPath: string): ReadonlyMap<string, Entry> {
  const reader = new ManifestReader(copyPath);
  try {
    const steps = [...reader.walk()];
    return new Map(steps.flatMap((step) => (step.kind === 'entry' ? [[step.path, step.entry]] : [])));
  } finally {
    reader.close();
  }
}

const said = ({ type, mode, mtimeNs, linkTarget, xattrNames, stamp }: Entry) => ({
  type,
  mode,
  mtimeNs,
  linkTarget,
  xattrNames,
  stamp,
});

const canNote = nativeState().available;

it.runIf(canNote)('have the rows of before, which say when they were changed last', async () => {
  const before = rowsOf(first.path);
  const now = await copyOnFirst();
  expect([...now.keys()]).toEqual([...before.keys()]);
  for (const [name, entry] of before) expect(said(now.get(name) ?? entry)).toEqual(said(entry));
  for (const name of ['source', 'source/same', 'source/same link']) {
    const { ino, ctimeNs } = fs.lstatSync(path.join(fixture.folder, name), { bigint: true });
    expect(now.get(name)?.stamp).toMatchObject({ inode: ino, ctimeNs });
  }
  expect(now.get('source/has a note')?.xattrNames).toEqual(['user.note']);
});

it.runIf(canNote)('are asked again when anything has happened to them', async () => {
  note('gets a note', 'new');
  fs.rmSync(inSource('other link'));
  fs.symlinkSync('same', inSource('other link'));
  const now = await copyOnFirst();
  expect(readXattrs(utf8Bytes(inSource('gets a note'))).xattrs).toHaveLength(1);
  expect(now.get('source/gets a note')?.xattrNames).toEqual(['user.note']);
  expect(now.get('source/other link')?.linkTarget).toBe('same');
  expect(now.get('source/same link')?.linkTarget).toBe('same/file');
});
