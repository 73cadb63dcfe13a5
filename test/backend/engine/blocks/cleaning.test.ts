import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlockStore } from '../../../../backend/engine/blocks/block-store.ts';
import { Cleaning, cleanBlockStore } from '../../../../backend/engine/blocks/cleaning.ts';
import { createBlockStore, openBlockStore } from '../../../../backend/engine/blocks/open-store.ts';
import { scanBlockStore } from '../../../../backend/engine/blocks/scan-store.ts';
import { blockOf, hashOf, makeDevice, numbers, randomFrom, type TestDevice } from './fixture.ts';

let device: TestDevice;
let store: BlockStore;
beforeEach(() => {
  device = makeDevice();
  createBlockStore(device.path, { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 });
  store = openBlockStore(device.path, { indexFile: device.indexFile });
});
afterEach(() => {
  store.close();
  device.remove();
});

const reopen = (): void => {
  store.close();
  store = openBlockStore(device.path, { indexFile: device.indexFile });
};
const hash = (value: number): Buffer => hashOf(blockOf(value));
const hashes = (values: readonly number[]): readonly Buffer[] => values.map(hash);
const put = (value: number): boolean => store.put(hash(value), blockOf(value));
const fill = (from: number): number => {
  let value = from;
  try {
    for (; ; value += 1) put(value);
  } catch {
    // It is full.
    return value;
  }
};
const expectAll = (values: readonly number[]): void => {
  for (const value of values) expect(store.get(hash(value)).equals(blockOf(value))).toBe(true);
};

describe('cleaning', () => {
  test('frees what nobody uses and keeps every block that lives, also for the next opening', () => {
    for (const value of numbers(0, 1000)) put(value);
    const live = numbers(0, 1000).filter((value) => value % 10 === 0);
    const before = store.stats().usedBytes;
    const result = cleanBlockStore(store, hashes(live));
    expect(result).toMatchObject({ missingBlocks: 0, damagedBlocks: 0 });
    expect(result.freedSegments).toBeGreaterThan(5);
    expect(store.stats().usedBytes).toBeLessThan(before);
    expectAll(live);
    reopen();
    expectAll(live);
    expect([...scanBlockStore(store)].every((block) => block.isWhole)).toBe(true);
  });

  test('makes room on a device that is full to the last block (case 83)', () => {
    const count = fill(0);
    const live = numbers(0, count).filter((value) => value % 3 === 0);
    const result = cleanBlockStore(store, hashes(live));
    expect(result.freedSegments).toBeGreaterThan(2);
    expectAll(live);
    expect(fill(10_000)).toBeGreaterThan(10_200);
  });

  test('leaves segments alone that are mostly in use', () => {
    for (const value of numbers(0, 600)) put(value);
    const live = numbers(0, 600).filter((value) => value % 10 !== 0);
    expect(cleanBlockStore(store, hashes(live))).toMatchObject({ freedSegments: 0, copiedBlocks: 0 });
  });

  test('keeps what running backups put, and what they were told is there (case 93)', () => {
    for (const value of numbers(0, 600)) put(value);
    const endSession = store.openSession();
    expect(store.has([hash(7)])).toEqual([true]);
    const cleaning = new Cleaning(store);
    cleaning.mark([]);
    put(5000);
    while (cleaning.step()) {
      if (store.has([hash(300)])[0] === false) put(300);
    }
    cleaning.close();
    expectAll([7, 300, 5000]);
    cleanBlockStore(store, []);
    expectAll([7, 300, 5000]);
    endSession();
    for (const value of numbers(6000, 6300)) put(value);
    cleanBlockStore(store, []);
    expect(store.has(hashes([7, 300]))).toEqual([false, false]);
  });

  test('goes on past blocks that are needed and are not there, and says how many (case 92)', () => {
    put(1);
    expect(cleanBlockStore(store, hashes([1, 2, 3]))).toMatchObject({ missingBlocks: 2 });
  });

  test('uses freed room again and again, with random work between', () => {
    const random = randomFrom(42);
    const copies: number[][] = [];
    for (let round = 0; round < 60; round += 1) {
      const from = random(3000);
      const copy = [...numbers(from, from + 20 + random(150))];
      for (const value of copy) put(value);
      store.sync();
      copies.push(copy);
      while (copies.length > 4) copies.splice(random(copies.length), 1);
      if (random(3) === 0) cleanBlockStore(store, hashes(copies.flat()));
      if (random(5) === 0) reopen();
    }
    expectAll(copies.flat());
    cleanBlockStore(store, hashes(copies.flat()));
    expectAll(copies.flat());
    expect([...scanBlockStore(store)].every((block) => block.isWhole)).toBe(true);
  });
});
