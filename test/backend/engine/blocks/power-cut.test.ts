import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlockStore } from '../../../../backend/engine/blocks/block-store.ts';
import { Cleaning } from '../../../../backend/engine/blocks/cleaning.ts';
import { createBlockStore, openBlockStore } from '../../../../backend/engine/blocks/open-store.ts';
import { scanBlockStore } from '../../../../backend/engine/blocks/scan-store.ts';
import { blockOf, hashOf, MIB, makeDevice, numbers, randomFrom, type TestDevice } from './fixture.ts';
import { cutDevice, PowerCut } from './power-cut.ts';

let device: TestDevice;
beforeEach(() => {
  device = makeDevice(8 * MIB);
});
afterEach(() => device.remove());

/** What a run promised before the power failed. */
interface Promised {
  readonly acknowledged: Set<number>;
  /** No longer needed once cleaning began, so they may be gone. */
  readonly given: Set<number>;
}

const put = (store: BlockStore, value: number): void => {
  store.put(hashOf(blockOf(value)), blockOf(value));
};

/** Puts, synchronises, opens again and cleans until the power fails; every number that is promised is noted. */
function work(path: string, cutAt: number, seed: number, promised: Promised): number {
  const random = randomFrom(seed);
  let calls = 0;
  const open = (): BlockStore =>
    openBlockStore(path, {
      indexFile: join(device.folder, 'index'),
      openDevice: (which) => {
        const cut = cutDevice(which, cutAt - calls, randomFrom(seed * 7 + cutAt));
        return {
          ...cut,
          close: () => {
            calls += cut.calls();
            cut.close();
          },
        };
      },
    });
  let store: BlockStore | null = null;
  try {
    store = open();
    let next = 0;
    for (let round = 0; round < 5; round += 1) {
      const end = next + 60 + random(60);
      const fresh = numbers(next, end);
      for (const value of fresh) put(store, value);
      store.sync();
      for (const value of fresh) promised.acknowledged.add(value);
      next = end;
      if (round % 2 === 1) {
        store.close();
        store = null;
        store = open();
      }
      if (round >= 2) cleanSome(store, random, promised);
    }
    store.close();
    return calls;
  } catch (error) {
    if (!(error instanceof PowerCut)) throw error;
    if (store !== null) store.device.close();
    return cutAt;
  }
}

function cleanSome(store: BlockStore, random: (below: number) => number, promised: Promised): void {
  const most = Math.max(...promised.acknowledged);
  const given = [...promised.acknowledged].filter((value) => value < most * 0.8 && random(10) < 7);
  for (const value of given) {
    promised.acknowledged.delete(value);
    promised.given.add(value);
  }
  const cleaning = new Cleaning(store);
  cleaning.mark([...promised.acknowledged].map((value) => hashOf(blockOf(value))));
  while (cleaning.step());
  cleaning.close();
}

function expectPromises(path: string, promised: Promised): void {
  const store = openBlockStore(path, { indexFile: join(device.folder, 'index') });
  try {
    for (const value of promised.acknowledged) {
      expect(store.get(hashOf(blockOf(value))).equals(blockOf(value))).toBe(true);
    }
    // Whatever else it says it has is whole too.
    for (const block of scanBlockStore(store)) expect(block.isWhole).toBe(true);
    put(store, 100_000);
    store.sync();
    expect(store.get(hashOf(blockOf(100_000))).equals(blockOf(100_000))).toBe(true);
  } finally {
    store.close();
  }
}

describe('a power cut', () => {
  test('at any write loses nothing that was acknowledged, while blocks are put and cleaned (cases 84, 85)', () => {
    const empty = join(device.folder, 'empty.img');
    createBlockStore(device.path, { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 });
    copyFileSync(device.path, empty);
    const total = work(device.path, Number.MAX_SAFE_INTEGER, 1, {
      acknowledged: new Set(),
      given: new Set(),
    });
    expect(total).toBeGreaterThan(60);
    for (let cutAt = 1; cutAt <= total; cutAt += 1) {
      copyFileSync(empty, device.path);
      const promised: Promised = { acknowledged: new Set(), given: new Set() };
      work(device.path, cutAt, 1, promised);
      expectPromises(device.path, promised);
    }
  });
});
