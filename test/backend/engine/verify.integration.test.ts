import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

const MANIFEST = 'manifest.ndjson.zst';
const FILES = 4500;

let fixture: Fixture;
let source: string;
let copy: Copy;

/** Numbers that look random and are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

beforeAll(async () => {
  fixture = await makeFixture('verify');
  source = path.join(fixture.folder, 'source');
  const random = seeded(7);
  for (let folder = 0; folder < 6; folder += 1) {
    const into = path.join(source, `folder ${folder}`, 'inner');
    fs.mkdirSync(into, { recursive: true });
    for (let i = 0; i < FILES / 6; i += 1) {
      fs.writeFileSync(path.join(into, `file ${i}`), `${random()}`.repeat(40));
    }
  }
  fs.writeFileSync(
    path.join(source, 'large'),
    Buffer.from(Array.from({ length: 3_000_000 }, () => random() * 256)),
  );
  // A flip then hits fewer files than findings are listed.
  copy = await fixture.backUp(source, 'Optimal', 1_048_576);
  fs.cpSync(copy.path, pristine(), { recursive: true });
});
// Each test damages the copy; the next one gets it whole again.
afterEach(() => {
  fs.cpSync(pristine(), copy.path, { recursive: true });
  fs.rmSync(path.join(fixture.folder, 'out'), { recursive: true, force: true });
});
afterAll(() => fixture.remove());

const pristine = () => path.join(fixture.folder, 'pristine');

function flipBit(file: string, at: number, bit: number): () => void {
  const fd = fs.openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  fs.readSync(fd, byte, 0, 1, at);
  fs.writeSync(fd, Buffer.from([(byte[0] ?? 0) ^ (1 << bit)]), 0, 1, at);
  fs.closeSync(fd);
  return () => {
    const again = fs.openSync(file, 'r+');
    fs.writeSync(again, byte, 0, 1, at);
    fs.closeSync(again);
  };
}

const archive = () => path.join(copy.path, copy.archiveFile);
const manifest = () => path.join(copy.path, MANIFEST);

test('every flipped bit of the archive is found, with what is lost and what to do; a restore brings the rest (case 91)', async () => {
  const random = seeded(42);
  const { size } = fs.statSync(archive());
  for (let i = 0; i < 8; i += 1) {
    const at = Math.floor(random() * size);
    const undo = flipBit(archive(), at, Math.floor(random() * 8));
    const verified = await fixture.verify(copy);
    expect(verified.status, `byte ${at}`).toBe('suspicious');
    expect(verified.findingsTotal).toBeGreaterThan(0);
    for (const finding of verified.findings) {
      expect(finding.item.startsWith(source) || finding.item === 'end of the archive', finding.item).toBe(
        true,
      );
      expect(finding.message).not.toBe('');
      expect(finding.nextStep).not.toBe('');
    }
    if (i === 0) await damagedFilesOnly(verified.findings.map((finding) => finding.item));
    undo();
  }
  expect((await fixture.verify(copy)).status).toBe('trusted');
});

/** What verification names is what a restore cannot bring, and nothing else is missing or wrong. */
async function damagedFilesOnly(named: readonly string[]): Promise<void> {
  const out = path.join(fixture.folder, 'out');
  const restored = await fixture.restore(copy, out);
  const lost = new Set(restored.problems.map((problem) => problem.path));
  expect(restored.problemsTotal).toBe(lost.size);
  expect([...lost].every((item) => named.includes(item) || named.length === 1000)).toBe(true);
  for (const entry of fs.readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const original = path.join(entry.parentPath, entry.name);
    const brought = path.join(out, 'source', path.relative(source, original));
    expect(fs.existsSync(brought), original).toBe(!lost.has(original));
    if (!lost.has(original)) expect(fs.readFileSync(brought).equals(fs.readFileSync(original))).toBe(true);
  }
  fs.rmSync(out, { recursive: true });
}

test('every flipped bit of the file list is found', async () => {
  const random = seeded(43);
  const { size } = fs.statSync(manifest());
  const places = Array.from({ length: 8 }, () => Math.floor(random() * size));
  for (const at of [...places, 0, size - 1, size - 40, size - 90]) {
    const undo = flipBit(manifest(), at, Math.floor(random() * 8));
    expect((await fixture.verify(copy)).status, `byte ${at}`).not.toBe('trusted');
    undo();
  }
});

test('a damaged part of the file list loses its own entries; the others come back under their right names', async () => {
  // Into the middle of the rows, which stand first.
  flipBit(manifest(), 100_000, 3);
  const verified = await fixture.verify(copy);
  expect(verified.status).toBe('suspicious');
  expect(verified.findings.some((finding) => /entries \d+ to \d+/.test(finding.item))).toBe(true);
  const out = path.join(fixture.folder, 'out');
  const restored = await fixture.restore(copy, out);
  expect(restored.outcome).toBe('withProblems');
  expect(restored.filesRestored).toBeGreaterThan(FILES / 2);
  expect(restored.filesRestored).toBeLessThan(FILES);
  for (const entry of fs.readdirSync(out, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const brought = path.join(entry.parentPath, entry.name);
    const original = path.join(source, path.relative(path.join(out, 'source'), brought));
    expect(fs.readFileSync(brought).equals(fs.readFileSync(original)), original).toBe(true);
  }
});

describe('a copy is broken', () => {
  test.each([0.5, 0])('when only %d of its archive is there, and names what is missing', async (part) => {
    fs.truncateSync(archive(), Math.floor(fs.statSync(archive()).size * part));
    const verified = await fixture.verify(copy);
    expect(verified.status).toBe('broken');
    expect(verified.findings[0]?.item).toBe('archive');
    // The list is capped, the count is not.
    expect(verified.findings).toHaveLength(1000);
    expect(verified.findingsTotal).toBeGreaterThan(1000);
    expect(verified.findings.slice(1).every((finding) => finding.item.startsWith(source))).toBe(true);
  });

  test('when its archive is gone', async () => {
    fs.rmSync(archive());
    expect((await fixture.verify(copy)).status).toBe('broken');
  });

  test('when its file list is gone', async () => {
    fs.rmSync(manifest());
    expect((await fixture.verify(copy)).status).toBe('broken');
  });
});

test('a file list that is cut off at any place is refused or said, never a crash', async () => {
  const whole = fs.readFileSync(manifest());
  for (const part of [0, 0.1, 0.5, 0.9, 0.999]) {
    fs.writeFileSync(manifest(), whole.subarray(0, Math.floor(whole.length * part)));
    expect((await fixture.verify(copy)).status).not.toBe('trusted');
    const restoring = fixture.restore(copy, path.join(fixture.folder, 'out'));
    await expect(restoring).rejects.toMatchObject({ name: 'DeviceError', kind: 'corrupt' });
  }
});
