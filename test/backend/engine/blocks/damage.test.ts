import { closeSync, openSync, readSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlockStore } from '../../../../backend/engine/blocks/block-store.ts';
import { createBlockStore, openBlockStore } from '../../../../backend/engine/blocks/open-store.ts';
import { scanBlockStore } from '../../../../backend/engine/blocks/scan-store.ts';
import { blockOf, hashOf, MIB, makeDevice, numbers, randomFrom, type TestDevice } from './fixture.ts';

const count = 700;
let device: TestDevice;
beforeEach(() => {
  device = makeDevice();
  createBlockStore(device.path, { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 });
  const store = open();
  for (const value of numbers(0, count)) store.put(hash(value), blockOf(value));
  store.close();
});
afterEach(() => device.remove());

const open = (): BlockStore => openBlockStore(device.path, { indexFile: device.indexFile });
const hash = (value: number): Buffer => hashOf(blockOf(value));

function overwrite(position: number, change: (byte: number) => number, length = 1): void {
  const fd = openSync(device.path, 'r+');
  const bytes = Buffer.alloc(length);
  readSync(fd, bytes, 0, length, position);
  writeSync(fd, bytes.map(change), 0, length, position);
  closeSync(fd);
}

/** The numbers of the blocks that cannot be read. */
function unreadable(store: BlockStore): readonly number[] {
  return numbers(0, count).filter((value) => {
    try {
      return !store.get(hash(value)).equals(blockOf(value));
    } catch {
      // Whatever the reason.
      return true;
    }
  });
}

describe('a damaged block store', () => {
  test('gives no wrong block for any flipped bit, loses at most one block, and takes it again', () => {
    const random = randomFrom(7);
    for (let flip = 0; flip < 60; flip += 1) {
      const position = random(7 * MIB);
      const mask = 1 << random(8);
      overwrite(position, (byte) => byte ^ mask);
      // Half of them without the saved index, so that the flipped bit may lie in what is read at opening.
      if (flip % 2 === 0) rmSync(device.indexFile, { force: true });
      const store = open();
      const lost = unreadable(store);
      expect(lost.length).toBeLessThanOrEqual(1);
      for (const value of lost) expect(store.put(hash(value), blockOf(value))).toBe(true);
      expect(unreadable(store)).toEqual([]);
      store.close();
    }
  });

  test('tells how many damaged blocks were stored anew, also after it was closed between (case 88)', () => {
    let store = open();
    for (const value of [10, 333, 600]) {
      const address = store.locate(hash(value));
      overwrite((address?.position ?? 0) + 100, (byte) => byte ^ 4);
    }
    expect(unreadable(store)).toEqual([10, 333, 600]);
    expect(store.put(hash(count), blockOf(count))).toBe(true);
    expect(store.put(hash(10), blockOf(10))).toBe(true);
    expect([store.takeHealed(), store.takeHealed()]).toEqual([1, 0]);
    store.close();
    store = open();
    expect(store.put(hash(333), blockOf(333))).toBe(true);
    expect(store.put(hash(333), blockOf(333))).toBe(false);
    expect(store.takeHealed()).toBe(1);
    store.close();
    // A file that is not of this store is no reason to fail.
    writeFileSync(`${device.indexFile}.damaged`, `junk\n${hash(600).toString('hex')}\n`);
    store = open();
    expect(store.put(hash(600), blockOf(600))).toBe(true);
    expect([store.takeHealed(), unreadable(store)]).toEqual([0, []]);
    store.close();
  });

  test('names exactly the damaged blocks in a scan, and does not build on them', () => {
    const store = open();
    for (const value of [10, 333, 600]) {
      const address = store.locate(hash(value));
      overwrite((address?.position ?? 0) + 100, (byte) => byte ^ 4);
    }
    const damaged = [...scanBlockStore(store)].filter((block) => !block.isWhole).map((block) => block.hash);
    expect(damaged.map(String)).toEqual([10, 333, 600].map((value) => String(hash(value))));
    expect(store.has([hash(10), hash(11), hash(333)])).toEqual([false, true, false]);
    store.close();
  });

  test('does not build on a block found damaged after the next opening either', () => {
    const store = open();
    const address = store.locate(hash(10));
    overwrite((address?.position ?? 0) + 100, (byte) => byte ^ 4);
    expect(() => store.get(hash(10))).toThrow(expect.objectContaining({ kind: 'corrupt' }));
    store.close();
    const again = open();
    expect(again.has([hash(10), hash(11)])).toEqual([false, true]);
    expect(again.put(hash(10), blockOf(10))).toBe(true);
    again.close();
    rmSync(device.indexFile);
    const healed = open();
    expect(unreadable(healed)).toEqual([]);
    healed.close();
  });

  test.each([
    { what: 'its first superblock', position: 0 },
    { what: 'its last superblock', position: 16 * MIB - 4096 },
    { what: 'the header of a segment', position: MIB },
    { what: 'the footer of a segment', position: 2 * MIB - 4096 },
  ])('needs $what not at all', ({ position }) => {
    overwrite(position, () => 0xa5, 4096);
    const store = open();
    expect(unreadable(store)).toEqual([]);
    store.close();
    const again = open();
    expect(unreadable(again)).toEqual([]);
    again.close();
  });

  test('is refused when neither superblock is whole, and when the device became smaller', () => {
    truncateSync(device.path, 15 * MIB);
    expect(open).toThrow(/was made for/);
    truncateSync(device.path, 16 * MIB);
    overwrite(0, () => 0, 4096);
    overwrite(16 * MIB - 4096, () => 0, 4096);
    expect(open).toThrow(expect.objectContaining({ kind: 'corrupt' }));
  });
});
