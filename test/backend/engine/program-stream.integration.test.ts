import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startBackup } from '../../../backend/engine/index.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await makeFixture('program');
});
afterEach(() => fixture.remove());

const name = 'what came';
const place = (file: string) => path.join(fixture.folder, file);

/** A real program that writes a tar stream; `script` is run by the shell, with the folder as its first argument. */
async function fromProgram(
  script: string,
  folder: string,
  compression: 'Optimal' | 'None' = 'Optimal',
): Promise<Copy> {
  const copyId = randomUUID();
  const { storagePath } = fixture;
  const program = { path: '/bin/sh', args: ['-c', script, 'sh', folder], env: {}, user: null };
  const origin = { kind: 'program' as const, program, name, isOfThisHost: true };
  const source = 'program://test';
  const result = await startBackup({ source, origin, storagePath, copyId, compression }).result;
  return { ...result, copyId };
}

/** Names whose order as bytes is not the one in which they are sent; folders beside files of like names. */
function makeTree(): string {
  const tree = place(name);
  for (const folder of ['b', 'b/empty', 'a', 'a/deep/er', 'b.c', 'z']) {
    fs.mkdirSync(path.join(tree, folder), { recursive: true, mode: 0o700 });
  }
  for (const [file, bytes] of [
    ['z/last', 3_500_000],
    ['a/deep/er/none', 0],
    ['b/511', 511],
    ['b/512', 512],
    ['b/513', 513],
    ['b.c/x', 100],
    ['first', 1_048_576],
  ] as const) {
    fs.writeFileSync(path.join(tree, file), randomBytes(bytes), { mode: 0o600 });
  }
  for (let i = 0; i < 2500; i += 1) fs.writeFileSync(path.join(tree, 'a', `small ${i}`), `${i}`);
  return tree;
}

/** Whole seconds: a ustar header has no more. */
function roundTimes(tree: string): void {
  for (const file of fs.readdirSync(tree, { recursive: true, encoding: 'utf8' })) {
    fs.utimesSync(path.join(tree, file), 1_700_000_000, 1_700_000_000);
  }
}

const backwards = 'cd "$1" && find . -mindepth 1 | sort -r | tar -c --format=ustar --no-recursion -T -';

it('is taken apart in whatever order it comes, verified, and brought back', async () => {
  const tree = makeTree();
  roundTimes(tree);
  const inOrder = 'cd "$1" && tar -c --format=ustar *';
  for (const [script, compression] of [
    [inOrder, 'Optimal'],
    [inOrder, 'None'],
  ] as const) {
    const copy = await fromProgram(script, tree, compression);
    expect(copy.totals).toMatchObject({ files: 2507, folders: 8, skipped: 0 });
    expect(await fixture.verify(copy)).toMatchObject({ status: 'trusted', findingsTotal: 0 });
    const out = place(`out of ${compression}`);
    expect(await fixture.restore(copy, out)).toMatchObject({ outcome: 'complete', problemsTotal: 0 });
    const top = path.join(out, name);
    expect(fs.statSync(top).mode & 0o777).toBe(0o700);
    fs.chmodSync(tree, 0o700);
    // The top is not in the stream, so its time is that of the first member.
    fs.utimesSync(tree, 1_700_000_000, 1_700_000_000);
    expect(compareTrees(tree, top)).toEqual([]);
  }
});

it('makes the folders that are named after what lies in them, or not at all', async () => {
  const tree = makeTree();
  const copy = await fromProgram(backwards, tree);
  expect(copy.totals).toMatchObject({ files: 2507, folders: 8 });
  expect(await fixture.verify(copy)).toMatchObject({ status: 'trusted' });
  const out = place('out');
  expect(await fixture.restore(copy, out)).toMatchObject({ outcome: 'complete' });
  expect(fs.readFileSync(path.join(out, name, 'z/last'))).toEqual(fs.readFileSync(path.join(tree, 'z/last')));
  expect(fs.readFileSync(path.join(out, name, 'a/small 77'), 'utf8')).toBe('77');
});

it('is found damaged in any byte, also between the members', async () => {
  const tree = makeTree();
  const copy = await fromProgram(backwards, tree, 'None');
  const file = path.join(copy.path, copy.archiveFile);
  const size = fs.statSync(file).size;
  const fd = fs.openSync(file, 'r+');
  try {
    for (const at of [0, 700, Math.floor(size / 3), Math.floor(size / 2), size - 1500, size - 1]) {
      const byte = Buffer.alloc(1);
      fs.readSync(fd, byte, 0, 1, at);
      fs.writeSync(fd, Buffer.from([(byte[0] ?? 0) ^ 0x40]), 0, 1, at);
      expect([at, (await fixture.verify(copy)).status]).toEqual([at, 'suspicious']);
      fs.writeSync(fd, byte, 0, 1, at);
    }
  } finally {
    fs.closeSync(fd);
  }
  expect((await fixture.verify(copy)).status).toBe('trusted');
});

it.each([
  ['cd "$1" && tar -c --format=ustar first | head -c 100000', 'was cut off'],
  ['cd "$1" && tar -c --format=ustar first; echo went wrong >&2; exit 3', 'ended with 3: went wrong'],
  ['cd "$1" && tar -c --format=ustar first | tr "f" "g"', 'checksum of a header'],
  ['cd "$1" && ln -s first link && tar -c --format=ustar link', 'type "2"'],
  ['cd "$1" && tar -cP --format=ustar --transform "s,^,../," first', 'leads out of its folder'],
  ['true', 'was cut off'],
  ['kill -9 $$', 'was ended by a signal'],
])('ends in an error and leaves nothing when %s', async (script, reason) => {
  const tree = makeTree();
  await expect(fromProgram(script, tree)).rejects.toThrow(reason);
  expect(fs.readdirSync(fixture.storagePath)).toEqual([]);
});

it('gives no right of the owner to whoever runs a file of it', async () => {
  const tree = place(name);
  fs.mkdirSync(tree);
  fs.writeFileSync(path.join(tree, 'program'), 'x');
  fs.chmodSync(path.join(tree, 'program'), 0o4755);
  const copy = await fromProgram('cd "$1" && tar -c --format=ustar program', tree);
  await fixture.restore(copy, place('out'));
  expect(fs.statSync(path.join(place('out'), name, 'program')).mode & 0o7777).toBe(0o755);
});

it('a stop ends the program within a second, also while it says nothing', async () => {
  const pidFile = place('pid');
  const program = {
    path: '/bin/sh',
    args: ['-c', 'echo $$ > "$1.new" && mv "$1.new" "$1" && exec sleep 600', 'sh', pidFile],
    env: {},
    user: null,
  };
  const origin = { kind: 'program' as const, program, name, isOfThisHost: true };
  const { storagePath } = fixture;
  const request = { source: 'x', origin, storagePath, copyId: randomUUID(), compression: 'None' as const };
  const job = startBackup(request);
  await expect.poll(() => fs.existsSync(pidFile), { timeout: 20_000 }).toBe(true);
  const pid = Number(fs.readFileSync(pidFile, 'utf8'));
  const began = performance.now();
  job.stop();
  await expect(job.result).rejects.toMatchObject({ kind: 'cancelled' });
  expect(performance.now() - began).toBeLessThan(3000);
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(fs.readdirSync(storagePath)).toEqual([]);
});
