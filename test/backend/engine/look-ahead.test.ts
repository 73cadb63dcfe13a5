import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ChildrenAhead } from '../../../backend/engine/backup/children.ts';
import { LookAhead } from '../../../backend/engine/backup/look-ahead.ts';
import { LookReader, LookWriter, lookMemory } from '../../../backend/engine/backup/look-ring.ts';
import { MemberOutput } from '../../../backend/engine/backup/member-output.ts';
import { OwnerNames } from '../../../backend/engine/backup/owner-names.ts';
import { Place } from '../../../backend/engine/backup/place.ts';
import { FolderTable, RowOutput, SkippedOutput } from '../../../backend/engine/backup/row-output.ts';
import { lstatItem } from '../../../backend/engine/backup/source-item.ts';
import { TarOutput } from '../../../backend/engine/backup/tar-output.ts';
import { TreeReader } from '../../../backend/engine/backup/tree-reader.ts';
import { Control } from '../../../backend/engine/job/control.ts';
import { Ring } from '../../../backend/engine/job/ring.ts';
import { type ByteString, utf8Bytes } from '../../../backend/platform/byte-path.ts';
import { buildAwkwardTree } from '../../support/awkward-tree.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const FRAME_BYTES = 262_144;
const { path: temp } = await makeTempDir('look-ahead');
let source: string;
let count = 0;
// Not Node's own rm: it cannot remove folders beyond the longest path.
afterAll(() => void execFileSync('rm', ['-rf', '--', temp]));
beforeEach(() => {
  count += 1;
  source = path.join(temp, `source ${count}`);
});

/** All of it is looked at before anybody reads. */
function lookAtAll(excludedKeys: readonly string[] = []): { ahead: ChildrenAhead; control: Control } {
  const control = Control.create();
  const memory = lookMemory(2 ** 20);
  const scope = { source: utf8Bytes(source), excludedKeys, isSnapshot: false };
  new LookAhead(new LookWriter(memory, control), control, scope).run();
  return { ahead: new ChildrenAhead(new LookReader(memory, control), control), control };
}

/** Names below a folder as they were told ahead, each with its inode where it was seen; null for a folder that was not. */
function told(ahead: ChildrenAhead, place: Place): Record<ByteString, bigint | null> | null {
  const children = ahead.of(place);
  if (children === null) return null;
  const found: Record<ByteString, bigint | null> = {};
  for (let name = children.next(); name !== null; name = children.next())
    found[name] = children.look?.inode ?? null;
  return found;
}

const inodesIn = (folder: string) =>
  Object.fromEntries(
    fs.readdirSync(folder).map((name) => [name, fs.lstatSync(path.join(folder, name), { bigint: true }).ino]),
  );

/** Folders of the source that this process has open; nobody closes for a thread what it opened by the system's own calls. */
const openFolders = () =>
  fs.readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(source);
    } catch {
      return false;
    }
  });

const keyOf = (item: string) => {
  const { dev, ino } = fs.statSync(item, { bigint: true });
  return `${dev}:${ino}`;
};

function makeFolders(...names: readonly string[]): void {
  for (const name of names) {
    fs.mkdirSync(path.join(source, name), { recursive: true });
    fs.writeFileSync(path.join(source, name, 'file'), name);
  }
}

describe('what is told ahead of the reader', () => {
  it('is each item of a tree with everything that backups get wrong, as the reader would see it', () => {
    buildAwkwardTree(source);
    const { ahead } = lookAtAll();
    let items = 0;
    const walk = (place: Place): void => {
      const names = place.names();
      const subfolders: ByteString[] = [];
      const children = ahead.of(place);
      if (children === null) throw new Error(`${place.full} was not told`);
      for (const name of names) {
        expect(children.next()).toBe(name);
        const own = lstatItem(place.childCall(name));
        const { look } = children;
        if (look === null) throw new Error(`${name} was not seen`);
        expect([look.inode, look.mode & 0o7777, look.uid, look.gid, look.mtimeNs, look.ctimeNs]).toEqual([
          own.inode,
          own.mode,
          own.uid,
          own.gid,
          own.mtimeNs,
          own.ctimeNs,
        ]);
        if (own.type === 'f') expect(look.sizeBytes).toBe(own.sizeBytes);
        if (own.type === 'd') subfolders.push(name);
        items += 1;
      }
      expect(children.next()).toBe(null);
      for (const name of subfolders) {
        const child = place.enter(name);
        walk(child);
        child.close();
      }
    };
    const top = Place.top(utf8Bytes(source), source);
    walk(top);
    top.close();
    expect(items).toBeGreaterThan(1000);
  });

  it('may have folders that the reader does not enter: they are passed over', () => {
    makeFolders('a/inner', 'b/inner/deeper', 'c');
    const { ahead } = lookAtAll();
    const top = Place.top(utf8Bytes(source), source);
    expect(told(ahead, top)).toEqual(inodesIn(source));
    expect(told(ahead, top.enter('c'))).toEqual(inodesIn(path.join(source, 'c')));
  });

  it('may lack folders that the reader enters: it lists them itself, and what follows is known again', () => {
    makeFolders('a', 'b/inner', 'c');
    const { ahead } = lookAtAll([keyOf(path.join(source, 'b'))]);
    const top = Place.top(utf8Bytes(source), source);
    told(ahead, top);
    expect(told(ahead, top.enter('a'))).toEqual(inodesIn(path.join(source, 'a')));
    const left = top.enter('b');
    expect(told(ahead, left)).toBe(null);
    expect(told(ahead, left.enter('inner'))).toBe(null);
    expect(told(ahead, top.enter('c'))).toEqual(inodesIn(path.join(source, 'c')));
  });

  it('is not taken for a folder that another one has the name of by now', () => {
    makeFolders('a', 'b', 'c');
    const { ahead } = lookAtAll();
    fs.renameSync(path.join(source, 'b'), path.join(temp, `moved ${count}`));
    makeFolders('b');
    const top = Place.top(utf8Bytes(source), source);
    told(ahead, top);
    expect(told(ahead, top.enter('b'))).toBe(null);
    expect(told(ahead, top.enter('c'))).toEqual(inodesIn(path.join(source, 'c')));
  });

  it('leaves no folder open when it is stopped', () => {
    makeFolders('a/inner', 'b');
    const control = Control.create();
    const scope = { source: utf8Bytes(source), excludedKeys: [], isSnapshot: false };
    const writer = new LookWriter(lookMemory(4096), control);
    control.stop();
    expect(() => new LookAhead(writer, control, scope).run()).toThrow('stopped');
    expect(openFolders()).toEqual([]);
  });

  it('ends at once for a resource that is no folder, or is gone', () => {
    fs.writeFileSync(source, 'a file');
    const top = Place.top(utf8Bytes(temp), temp);
    expect(lookAtAll().ahead.of(top)).toBe(null);
    fs.rmSync(source);
    expect(lookAtAll().ahead.of(top)).toBe(null);
  });

  it('goes through memory that is much smaller than it, record by record', () => {
    const control = Control.create();
    const memory = lookMemory(4096);
    const writer = new LookWriter(memory, control);
    const reader = new LookReader(memory, control);
    const seen: string[] = [];
    const written: string[] = [];
    for (let round = 0; round < 2000; round += 1) {
      const name = `${round} `.padEnd(1 + ((round * 37) % 1000), 'x');
      writer.child(0, name, (_folder, _name, words, at) => {
        for (let index = 0; index < 36; index += 1) words[at + index] = round + index;
      });
      written.push(`${name} ${round + 5}`);
      expect(reader.kind()).toBe('child');
      seen.push(`${reader.text('child')} ${reader.look.uid}`);
      reader.pass();
    }
    expect(seen).toEqual(written);
  });
});

describe('a reader that was told ahead', () => {
  /** What a full copy of the source says: names of its rows with their types and sizes, and what was skipped. */
  async function read(between: () => void, onRow: (control: Control) => void = () => undefined) {
    const { ahead, control } = lookAtAll();
    between();
    const ring = new Ring(Ring.memoryFor(8, FRAME_BYTES), 8, control);
    const output = new TarOutput(ring, FRAME_BYTES);
    const rows = new RowOutput(output, lstatItem(utf8Bytes(source)).device);
    const written: [name: string, type: string, sizeBytes: number][] = [];
    const row = rows.row.bind(rows);
    rows.row = (entry) => {
      written.push([entry.name, entry.type, entry.sizeBytes]);
      row(entry);
      onRow(control);
    };
    const users = new OwnerNames('/etc/passwd', false);
    const members = new MemberOutput(output, control, users, new OwnerNames('/etc/group', false));
    const skipped = new SkippedOutput(output);
    const outputs = {
      control,
      members,
      rows,
      folders: new FolderTable(),
      skipped,
      previous: null,
      blocks: null,
    };
    const reader = new TreeReader(outputs, [], false, ahead);
    await reader.read(utf8Bytes(source), utf8Bytes(source), 'source');
    return {
      written: written.slice(1),
      skipped: skipped.kept.map(({ path: its, code }) => [path.basename(its), code]),
    };
  }

  beforeEach(() => {
    fs.mkdirSync(source);
    for (const name of ['a', 'b', 'c']) fs.writeFileSync(path.join(source, name), name);
  });

  it('reads a file that was replaced since, as programs save theirs, for what it is now', async () => {
    const { written, skipped } = await read(() => {
      fs.writeFileSync(path.join(temp, 'new'), 'another one');
      fs.renameSync(path.join(temp, 'new'), path.join(source, 'b'));
    });
    expect(written).toEqual([
      ['a', 'f', 1],
      ['b', 'f', 11],
      ['c', 'f', 1],
    ]);
    expect(skipped).toEqual([]);
  });

  it('reads a file that has grown since with all its bytes, however many they are now', async () => {
    const { written, skipped } = await read(() =>
      fs.writeFileSync(path.join(source, 'b'), Buffer.alloc(1_500_000, 1)),
    );
    expect(written).toContainEqual(['b', 'f', 1_500_000]);
    expect(skipped).toEqual([]);
  });

  it('takes what became a link or a folder since for that', async () => {
    const { written, skipped } = await read(() => {
      fs.rmSync(path.join(source, 'a'));
      fs.symlinkSync('c', path.join(source, 'a'));
      fs.rmSync(path.join(source, 'b'));
      fs.mkdirSync(path.join(source, 'b'));
      fs.writeFileSync(path.join(source, 'b', 'inside'), 'new');
    });
    expect(written).toEqual([
      ['a', 'l', 0],
      ['b', 'd', 0],
      ['c', 'f', 1],
      ['inside', 'f', 3],
    ]);
    expect(skipped).toEqual([]);
  });

  it('leaves no folder open when it is stopped', async () => {
    makeFolders('d/inner', 'e');
    const stopped = read(
      () => undefined,
      (control) => void (openFolders().length > 1 && control.stop()),
    );
    await expect(stopped).rejects.toThrow('stopped');
    expect(openFolders()).toEqual([]);
  });

  it('tells of a file that is gone since, and has the others', async () => {
    const { written, skipped } = await read(() => fs.rmSync(path.join(source, 'b')));
    expect(written.map(([name]) => name)).toEqual(['a', 'c']);
    expect(skipped).toEqual([['b', 'ENOENT']]);
  });
});
