import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aheadWorkers } from '../../../backend/engine/archive/ahead-workers.ts';
import {
  type ClientKey,
  ensureClientKey,
  startBackup,
  startVerify,
  wasLost,
} from '../../../backend/engine/index.ts';
import { Control } from '../../../backend/engine/job/control.ts';
import { utf8Bytes } from '../../../backend/platform/byte-path.ts';
import { nativeState } from '../../../backend/platform/native.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { feedArchive } from './archive-feed.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

const MIB = 1_048_576;
const FILES = 24;

let fixture: Fixture;
let source: string;

beforeEach(async () => {
  fixture = await makeFixture('decode-ahead');
  source = path.join(fixture.folder, 'source');
  fs.mkdirSync(source);
  // Random data, so that the archive is as large as they are; one file is longer than a frame.
  for (let i = 0; i < FILES; i += 1) fs.writeFileSync(path.join(source, `file ${i}`), randomBytes(MIB + i));
  fs.writeFileSync(path.join(source, 'long'), randomBytes(20 * MIB));
});
afterEach(async () => await fixture.remove());

async function backUp(key: ClientKey | null): Promise<Copy> {
  const request = {
    source,
    storagePath: fixture.storagePath,
    copyId: 'copy',
    compression: 'Optimal',
    key,
  } as const;
  return { ...(await startBackup(request).result), copyId: 'copy' };
}

const verify = (key: ClientKey | null) =>
  startVerify({ storagePath: fixture.storagePath, copyId: 'copy', key }).result;

function flipBit(file: string, at: number): void {
  const fd = fs.openSync(file, 'r+');
  try {
    const byte = Buffer.alloc(1);
    fs.readSync(fd, byte, 0, 1, at);
    fs.writeSync(fd, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at);
  } finally {
    fs.closeSync(fd);
  }
}

describe.each(['nothing', 'aes-256-gcm'] as const)(
  'a copy that another thread decodes, encrypted with %s',
  (cipher) => {
    let key: ClientKey | null;
    beforeEach(async () => {
      key =
        cipher === 'nothing' ? null : (await ensureClientKey(path.join(fixture.folder, 'key'), cipher)).key;
    });

    it('is trusted and comes back byte for byte', async () => {
      const copy = await backUp(key);
      expect(await verify(key)).toMatchObject({ status: 'trusted', findings: [] });
      const destination = path.join(fixture.folder, 'back');
      expect(await fixture.restore(copy, destination, { key })).toMatchObject({ outcome: 'complete' });
      expect(compareTrees(source, path.join(destination, 'source'))).toEqual([]);
    });

    it('comes back byte for byte while its archive comes, through memory and through its file', async () => {
      const copy = await backUp(key);
      const destination = path.join(fixture.folder, 'back');
      const { arriving, fed } = feedArchive(copy, path.join(fixture.folder, 'arriving'), 12 * MIB);
      const [restored] = await Promise.all([fixture.restore(copy, destination, { key, arriving }), fed]);
      expect(restored).toMatchObject({ outcome: 'complete' });
      expect(wasLost(arriving.memory)).toBe(false);
      expect(compareTrees(source, path.join(destination, 'source'))).toEqual([]);
    });

    it('names what a damaged frame holds and brings back all else (case 88)', async () => {
      const copy = await backUp(key);
      const archive = path.join(copy.path, copy.archiveFile);
      // The files are stored in the order of their names, the long one last: this is in one of the first ones.
      flipBit(archive, 2 * MIB);
      const found = await verify(key);
      expect(found.status).toBe('suspicious');
      const named = found.findings
        .map(({ item }) => path.basename(item))
        .filter((name) => name.startsWith('file'));
      expect(named.length).toBeGreaterThan(0);
      expect(named.length).toBeLessThan(FILES);
      const destination = path.join(fixture.folder, 'back');
      const restored = await fixture.restore(copy, destination, { key });
      expect(restored.outcome).toBe('withProblems');
      const there = fs.readdirSync(path.join(destination, 'source'));
      const lost = fs.readdirSync(source).filter((name) => !there.includes(name));
      expect(lost.sort()).toEqual(named.sort());
      for (const name of there) {
        const isSame = fs
          .readFileSync(path.join(source, name))
          .equals(fs.readFileSync(path.join(destination, 'source', name)));
        expect([name, isSame]).toEqual([name, true]);
      }
    });

    it('is broken when the archive was cut off', async () => {
      const copy = await backUp(key);
      fs.truncateSync(path.join(copy.path, copy.archiveFile), 30 * MIB);
      const found = await verify(key);
      expect(found.status).toBe('broken');
      expect(found.findings.map(({ item }) => path.basename(item))).toContain('long');
    });
  },
);

it('goes back nowhere for attributes, further names and holes, so that nothing has to be kept', async () => {
  const state = nativeState();
  const note = (item: string, bytes: number): void => {
    if (state.available) state.calls.setXattr(utf8Bytes(item), 'user.note', Buffer.alloc(bytes, 'n'));
  };
  const make = (folder: string, depth: number): void => {
    fs.mkdirSync(folder);
    for (const name of ['a', 'm', 'z']) {
      fs.writeFileSync(path.join(folder, name), randomBytes(900_000));
      note(path.join(folder, name), 600);
    }
    fs.linkSync(path.join(folder, 'a'), path.join(folder, 'further'));
    fs.truncateSync(path.join(folder, 'm'), 3 * MIB);
    if (depth > 0) for (const name of ['b', 'y']) make(path.join(folder, name), depth - 1);
    note(folder, 900);
  };
  make(path.join(source, 'folder'), 2);
  note(path.join(source, 'long'), 600);
  const copy = await backUp(null);
  const destination = path.join(fixture.folder, 'back');
  const { arriving, fed } = feedArchive(copy, path.join(fixture.folder, 'arriving'), 64 * MIB);
  const [restored] = await Promise.all([fixture.restore(copy, destination, { arriving }), fed]);
  expect(restored).toMatchObject({ outcome: 'complete', problemsTotal: 0 });
  expect(wasLost(arriving.memory)).toBe(false);
  expect(compareTrees(source, path.join(destination, 'source'))).toEqual([]);
});

it('is only done for archives that are worth a thread, and never for age', async () => {
  const copy = await backUp(null);
  const ask = async (secret: Parameters<typeof aheadWorkers>[2]) =>
    (await aheadWorkers(Control.create(), copy.path, secret)).workers.map(({ name }) => name);
  expect(await ask(null)).toEqual(['decoder']);
  expect(await ask({ cipher: 'age', archive: null, manifest: null })).toEqual([]);
  fs.truncateSync(path.join(copy.path, copy.archiveFile), MIB);
  expect(await ask(null)).toEqual([]);
});
