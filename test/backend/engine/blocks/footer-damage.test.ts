import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BlockStore } from '../../../../backend/engine/blocks/block-store.ts';
import { cleanBlockStore } from '../../../../backend/engine/blocks/cleaning.ts';
import { createBlockStore, openBlockStore } from '../../../../backend/engine/blocks/open-store.ts';
import { flipBit } from '../../../support/bit-flips.ts';
import { type BlockLayout, readBlockLayout } from '../../../support/block-layout.ts';
import { blockOf, hashOf, makeDevice, numbers, type TestDevice } from './fixture.ts';

const count = 400;
const entryBytes = 44;
let device: TestDevice;
let store: BlockStore;

beforeEach(() => {
  device = makeDevice();
  createBlockStore(device.path, { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 });
  open();
  for (const value of numbers(0, count)) store.put(hash(value), blockOf(value));
  store.close();
});
afterEach(() => {
  store.close();
  device.remove();
});

const hash = (value: number): Buffer => hashOf(blockOf(value));
function open(): void {
  store = openBlockStore(device.path, { indexFile: device.indexFile });
}

/** The numbers of the blocks that the store does not give, of those asked for. */
function lost(values = numbers(0, count)): readonly number[] {
  return values.filter((value) => {
    const [isThere] = store.has([hash(value)]);
    if (!isThere) return true;
    try {
      return !store.get(hash(value)).equals(blockOf(value));
    } catch {
      // Whatever the reason.
      return true;
    }
  });
}

function segmentAt(layout: BlockLayout, index: number) {
  const segment = layout.segments.toSorted((one, other) => one.sequence - other.sequence).at(index);
  if (segment?.footerPosition == null) throw new Error('there is no such segment');
  const own = layout.records.filter((record) => record.segment === segment.number);
  return { position: segment.position, footer: segment.footerPosition, own };
}

it.each([
  ['offset', 1],
  ['stored length', 5],
  ['length', 9],
  ['encoding', 11],
  ['hash, at its start', 13],
  ['hash, at its end', 40],
])('a flipped bit in a footer (%s) loses no block, whether the store is open or not', (_, byte) => {
  const { footer } = segmentAt(readBlockLayout(device.path), 0);
  flipBit(device.path, footer + 7 * entryBytes + byte, 0);
  open();
  expect(lost()).toEqual([]);
  flipBit(device.path, footer + 9 * entryBytes + byte, 1);
  flipBit(device.path, footer + 30 * entryBytes + byte, 1);
  expect(lost()).toEqual([]);
});

it('a damaged footer beside a damaged record costs that record alone, also while it is cleaned', () => {
  const { footer, own } = segmentAt(readBlockLayout(device.path), 0);
  flipBit(device.path, (own[10]?.position ?? 0) + 1000, 3);
  flipBit(device.path, footer + 50 * entryBytes + 20, 3);
  open();
  const live = numbers(0, count).filter((value) => value % 3 === 0 || value === 10);
  const { damagedBlocks } = cleanBlockStore(store, live.map(hash));
  expect(damagedBlocks).toBe(1);
  expect(lost(live)).toEqual([10]);
  expect(store.put(hash(10), blockOf(10))).toBe(true);
  expect(lost(live)).toEqual([]);
});

it('a damaged footer of the newest segment beside a damaged record costs that record alone', () => {
  const { footer, own } = segmentAt(readBlockLayout(device.path), -1);
  const [first] = own;
  flipBit(device.path, (first?.position ?? 0) + 1000, 3);
  flipBit(device.path, footer + 2 * entryBytes + 20, 3);
  open();
  expect(lost()).toHaveLength(1);
});

it('a segment is known by any of its records, and its damaged header is made anew', () => {
  const { position, footer, own } = segmentAt(readBlockLayout(device.path), 0);
  flipBit(device.path, position + 9, 0);
  open();
  expect(lost()).toEqual([]);
  store.close();
  expect(readBlockLayout(device.path).segments.map((segment) => segment.position)).toContain(position);
  flipBit(device.path, position, 1);
  flipBit(device.path, footer + 20, 1);
  flipBit(device.path, (own[0]?.position ?? 0) + 1000, 1);
  open();
  expect(lost()).toEqual([0]);
});
