import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Entry } from '../../../backend/engine/archive/entry.ts';
import { parseLines } from '../../../backend/engine/archive/manifest-lines.ts';
import { RowCodec } from '../../../backend/engine/archive/row-codec.ts';
import { ExcludedItems } from '../../../backend/engine/backup/excluded-items.ts';
import { KnownBlocks } from '../../../backend/engine/backup/known-blocks.ts';
import { MemberOutput } from '../../../backend/engine/backup/member-output.ts';
import { OwnerNames } from '../../../backend/engine/backup/owner-names.ts';
import { Place } from '../../../backend/engine/backup/place.ts';
import { PreviousCopy } from '../../../backend/engine/backup/previous-copy.ts';
import { RowOutput } from '../../../backend/engine/backup/row-output.ts';
import { lstatItem } from '../../../backend/engine/backup/source-item.ts';
import { TarOutput } from '../../../backend/engine/backup/tar-output.ts';
import { UntouchedFiles } from '../../../backend/engine/backup/untouched-files.ts';
import { Control } from '../../../backend/engine/job/control.ts';
import { Ring } from '../../../backend/engine/job/ring.ts';
import { ManifestReader } from '../../../backend/engine/manifest/manifest-reader.ts';
import { utf8Bytes } from '../../../backend/platform/byte-path.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

const SAME = ['a first', 'l later', 'z last'];
const FRAME_BYTES = 65_536;
/** What happens to a file after the copy, by its name; none of it may pass for nothing. */
const changes: Readonly<Record<string, (file: string) => void>> = {
  'b other rights': (file) => fs.chmodSync(file, 0o600),
  'c other time': (file) => fs.utimesSync(file, 1_600_000_000, 1_600_000_000),
  'd longer': (file) => fs.appendFileSync(file, 'more'),
  'e same size and time': (file) => {
    const { mtime } = fs.statSync(file);
    fs.writeFileSync(file, 'E SAME SIZE AND TIME');
    fs.utimesSync(file, mtime, mtime);
  },
  'f replaced': (file) => {
    fs.copyFileSync(file, `${file} new`);
    fs.renameSync(`${file} new`, file);
  },
  'g with a further name': (file) => fs.linkSync(file, path.join(path.dirname(file), 'gg the further name')),
  'h deleted': (file) => fs.rmSync(file),
  'i a folder now': (file) => {
    fs.rmSync(file);
    fs.mkdirSync(file);
  },
  'j a link now': (file) => {
    fs.renameSync(file, `${file} before`);
    fs.symlinkSync('j a link now before', file);
  },
};

let fixture: Fixture;
let source: string;
let copy: Copy;
let old: readonly Entry[];

beforeAll(async () => {
  fixture = await makeFixture('untouched');
  source = path.join(fixture.folder, 'source');
  fs.mkdirSync(source);
  const names = [...SAME, ...Object.keys(changes), 'k left out', 'm with "a quote"'];
  for (const name of names) fs.writeFileSync(path.join(source, name), name);
  // What was touched within a second before a copy is read again in any case.
  const newest = path.join(source, names.at(-1) ?? '');
  await vi.waitUntil(() => Date.now() - fs.lstatSync(newest).ctimeMs > 1500, { timeout: 5000 });
  copy = await fixture.backUp(source);
  const reader = new ManifestReader(copy.path);
  old = Array.from({ length: copy.totals.entries }, (_, ordinal) => reader.entry(ordinal));
  reader.close();
  for (const [name, change] of Object.entries(changes)) change(path.join(source, name));
});
afterAll(() => fixture.remove());

/** All names of the source as a backup meets them: which were taken, and the rows that were written. */
function meetAll(
  more: {
    readonly untilMs?: number;
    readonly excluded?: readonly string[];
    /** What the copy before calls owners. */
    readonly owners?: readonly [user: string, group: string];
    readonly blocks?: KnownBlocks;
  } = {},
) {
  const control = Control.create();
  const ring = new Ring(Ring.memoryFor(2, FRAME_BYTES), 2, control);
  const output = new TarOutput(ring, FRAME_BYTES);
  const { device } = lstatItem(utf8Bytes(source));
  const rows = new RowOutput(output, device);
  rows.beginBlock({
    folderId: 1,
    parentId: 0,
    name: 'source',
    headerOffset: 0,
    headerLength: 512,
    continued: false,
  });
  const users = new OwnerNames('/etc/passwd', false);
  const members = new MemberOutput(output, control, users, new OwnerNames('/etc/group', false));
  const previous = new PreviousCopy([
    { copyId: copy.copyId, copyPath: copy.path, secret: null, fault: null },
  ]);
  const seen: PreviousCopy = Object.create(previous, {
    chain: { value: previous.chain },
    device: { value: previous.device },
    untilMs: { value: more.untilMs ?? previous.untilMs },
    ownerNames: { value: (of: Entry) => more.owners ?? previous.ownerNames(of) },
  });
  const to = { control, members, rows, previous: seen, blocks: more.blocks ?? null };
  const untouched = UntouchedFiles.of(to, new ExcludedItems(more.excluded ?? []));
  if (untouched === null) throw new Error('there is a copy before');
  const place = Place.top(utf8Bytes(source), source);
  const olds = previous.childrenOf(1);
  const taken: string[] = [];
  for (const name of place.names()) {
    if (untouched.take(place, name, olds, null)) taken.push(name);
    else olds.find(name);
  }
  untouched.settle();
  rows.flush();
  const slot = ring.claim()?.slot;
  const [, ...lines] = parseLines(slot?.bytes.toString('utf8', 0, slot.length) ?? '');
  const codec = new RowCodec({ device: device.toString(), headerBytes: 512 });
  place.close();
  previous.close();
  return {
    taken,
    written: lines.map((line) => codec.decode(line, 0, 1)),
    totals: { files: untouched.files, bytes: untouched.bytes },
    progress: control.progress(),
    users,
  };
}

describe('the short way for files that nothing happened to', () => {
  it('takes those and no other, and their rows are those of before, held by the copy before', () => {
    const { taken, written, totals, progress, users } = meetAll();
    expect(taken).toEqual(['a first', 'k left out', 'l later', 'z last']);
    const wanted = taken.map((name) => old.find((entry) => entry.name === name));
    expect(written).toEqual(wanted.map((entry) => ({ ...entry, ordinal: 0, heldBy: 0 })));
    const bytes = taken.join('').length;
    expect(totals).toEqual({ files: 4, bytes });
    expect(progress).toMatchObject({ filesDone: 4, bytesDone: bytes });
    expect([...users.used.keys()]).toEqual([process.getuid?.()]);
  });

  it('leaves what is to be left out to the long way', () => {
    const { dev, ino } = fs.statSync(path.join(source, 'k left out'), { bigint: true });
    expect(meetAll({ excluded: [`${dev}:${ino}`] }).taken).toEqual(SAME);
  });

  it('leaves what was touched so late that a further change could bear the same time to the long way', () => {
    const { ctimeNs } = fs.statSync(path.join(source, 'l later'), { bigint: true });
    const ms = Number(ctimeNs / 1_000_000n);
    expect(meetAll({ untilMs: ms }).taken).not.toContain('l later');
    expect(meetAll({ untilMs: ms + 1 }).taken).toContain('l later');
  });

  it('takes blocks over only where the headers in them name the owners as they are called now', () => {
    const none = { memberOf: () => null };
    const there = { memberOf: () => ({ padding: 0, runs: [] }) };
    const [without, blocks] = [none, there].map((known) =>
      Object.assign(Object.create(KnownBlocks.prototype), known),
    );
    // In front of the others stands padding, with which these frames do not begin.
    expect(meetAll({ blocks }).taken).toEqual(['a first']);
    expect(meetAll({ blocks: without }).taken).toEqual([]);
    expect(meetAll({ blocks, owners: ['somebody', 'else'] }).taken).toEqual([]);
    expect(meetAll({ owners: ['somebody', 'else'] }).taken).toContain('l later');
  });

  it('is not there for a first copy, nor where rows say another device than their resource has', () => {
    const excluded = new ExcludedItems([]);
    const control = Control.create();
    const ring = new Ring(Ring.memoryFor(2, FRAME_BYTES), 2, control);
    const output = new TarOutput(ring, FRAME_BYTES);
    const names = new OwnerNames('/etc/passwd', true);
    const members = new MemberOutput(output, control, names, names);
    const previous = new PreviousCopy([
      { copyId: copy.copyId, copyPath: copy.path, secret: null, fault: null },
    ]);
    const { device } = lstatItem(utf8Bytes(source));
    const to = { control, members, blocks: null };
    const [rows, others] = [new RowOutput(output, device), new RowOutput(output, device + 1n)];
    expect(UntouchedFiles.of({ ...to, rows, previous }, excluded)).not.toBeNull();
    expect(UntouchedFiles.of({ ...to, rows: others, previous }, excluded)).toBeNull();
    expect(UntouchedFiles.of({ ...to, rows, previous: null }, excluded)).toBeNull();
    previous.close();
  });
});
