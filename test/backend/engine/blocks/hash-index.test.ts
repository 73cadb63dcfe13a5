import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HashIndex, NO_PLACE } from '../../../../backend/engine/blocks/hash-index.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strongroom-index-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Of the processor, in this thread and those beside it: others may have the machine meanwhile. */
const secondsOf = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
};

const hashOf = (value: number): Buffer => createHash('sha256').update(`block ${value}`).digest();

test('moves into its working file at the limit, and takes little memory from then on', () => {
  const memoryBytes = 2_000_000;
  const index = new HashIndex({ memoryBytes, workingFile: join(folder, 'work') });
  const count = 300_000;
  let most = 0;
  let isInFile = false;
  for (let value = 0; value < count; value += 1) {
    index.insert(hashOf(value), 0, value);
    if (index.fileBytes === 0) {
      expect(isInFile).toBe(false);
      expect(index.memoryBytes).toBeLessThanOrEqual(memoryBytes);
    } else isInFile = true;
    most = Math.max(most, index.memoryBytes);
  }
  expect(isInFile).toBe(true);
  // One byte a slot and the pages that are kept of the file, whatever it holds.
  const keptPages = 2048 * 4096;
  expect(most).toBeLessThan(2 * count + keptPages + 100_000);
  expect(index.fileBytes).toBeGreaterThan(8 * count);
  for (let value = 0; value < count; value += 11) {
    expect(index.find(hashOf(value), 0, (place) => place === value)).toBe(value);
  }
  index.close();
});

describe.each([
  { where: 'in memory', memoryBytes: 1 << 30 },
  { where: 'in a working file', memoryBytes: 0 },
])('the index of hashes, $where', ({ memoryBytes }) => {
  const open = (): HashIndex => new HashIndex({ memoryBytes, workingFile: join(folder, 'work') });

  test('finds what was put in through several growths, and nothing else', () => {
    const index = open();
    const count = 120_000;
    for (let value = 0; value < count; value += 1) index.insert(hashOf(value), 0, value);
    for (let value = 0; value < count; value += 7) {
      expect(index.find(hashOf(value), 0, (place) => place === value)).toBe(value);
    }
    for (let value = count; value < count + 10_000; value += 1) {
      expect(index.find(hashOf(value), 0, (place) => hashOf(place).equals(hashOf(value)))).toBe(NO_PLACE);
    }
    expect(index.size).toBe(count);
    index.close();
  });

  test('tells two hashes apart that begin with the same bytes', () => {
    const index = open();
    const one = Buffer.alloc(32, 1);
    const other = Buffer.alloc(32, 1).fill(2, 31);
    index.insert(one, 0, 10);
    index.insert(other, 0, 20);
    expect(index.find(other, 0, (place) => place === 20)).toBe(20);
    expect(index.remove(one, 0, 10)).toBe(true);
    expect(index.find(other, 0, (place) => place === 20)).toBe(20);
    expect(index.find(one, 0, (place) => place === 10)).toBe(NO_PLACE);
    index.close();
  });

  test('takes back what it gave in as little time as it took to fill it', () => {
    const index = open();
    // More than what fits into the first table, so that a wrong size shows: then it takes twenty times as long, and much more with more blocks.
    const count = 400_000;
    const hashes = Array.from({ length: count }, (_, value) => hashOf(value));
    const toFill = secondsOf(() => {
      for (const [value, hash] of hashes.entries()) index.insert(hash, 0, value);
    });
    const entries: [tag: number, key: number, place: number][] = [];
    index.forEach((...entry) => void entries.push(entry));
    const again = new HashIndex({ memoryBytes, workingFile: join(folder, 'again') }, entries.length);
    const toRestore = secondsOf(() => {
      for (const entry of entries) again.restore(...entry);
    });
    expect(toRestore).toBeLessThan(4 * toFill + 0.2);
    for (let value = 0; value < count; value += 13) {
      expect(again.find(hashOf(value), 0, (place) => place === value)).toBe(value);
    }
    expect(again.size).toBe(count);
    index.close();
    again.close();
  });

  test('stays as small as it is when blocks come and go', () => {
    const index = open();
    for (let value = 0; value < 400_000; value += 1) {
      index.insert(hashOf(value), 0, value);
      if (value >= 1000) index.remove(hashOf(value - 1000), 0, value - 1000);
    }
    expect(index.size).toBe(1000);
    expect(index.memoryBytes + index.fileBytes).toBeLessThan(65_536 * 9 + 9_000_000);
    index.close();
  });

  test('leaves no working file behind under a name', () => {
    const index = open();
    index.insert(hashOf(1), 0, 1);
    index.close();
    expect(readdirSync(folder)).toEqual([]);
  });
});
