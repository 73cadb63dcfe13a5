import { expect, it } from 'vitest';
import type { Cartridge } from '../../../backend/features/tape-libraries/tape-store.ts';
import {
  candidatesOf,
  cartridgesOf,
  whatToAssign,
} from '../../../backend/features/tape-libraries/written-set.ts';
import { cartridgeWith } from './cartridge.ts';

const cartridge = (id: number, more: Partial<Cartridge> = {}): Cartridge =>
  cartridgeWith({ id, barcode: `SR000${id}L8`, elementAddress: id, ...more });
const holding = { state: 'labelled', written: 1, copies: 1 } as const;
const weekly = { name: 'Weekly', takesScratch: false };
const ids = (set: Parameters<typeof candidatesOf>[0], all: readonly Cartridge[]): readonly number[] =>
  candidatesOf(set, all).map(({ cartridge: { id } }) => id);

const all = [
  cartridge(1, holding),
  cartridge(2),
  cartridge(3, { mediaSet: 'Weekly' }),
  cartridge(4, { mediaSet: 'Monthly' }),
  cartridge(5, { mediaSet: 'Weekly', ...holding }),
];

it('a pool without a set takes any cartridge', () => {
  expect(ids(null, all)).toEqual([1, 5, 2, 3, 4]);
});

it('a pool with a set takes its cartridges alone, and empty ones without a set behind them where it may', () => {
  expect(ids(weekly, all)).toEqual([5, 3]);
  // Never what holds copies, or belongs to another set.
  expect(ids({ ...weekly, takesScratch: true }, all)).toEqual([5, 3, 2]);
  expect(cartridgesOf(weekly, all).map(({ id }) => id)).toEqual([3, 5]);
});

it('what a person has to see to comes behind the scratch cartridges too', () => {
  const locked = [cartridge(1, { mediaSet: 'Weekly', isWriteProtected: true }), cartridge(2)];
  expect(ids({ ...weekly, takesScratch: true }, locked)).toEqual([2, 1]);
});

it('says what else can be done where the set has no room', () => {
  expect(whatToAssign(null, all)).toBe('');
  expect(whatToAssign(weekly, all)).toBe(
    ' Or put another cartridge into the media set Weekly (without a set are SR0002L8), or let the pool take cartridges without a set.',
  );
  expect(whatToAssign(weekly, [])).toContain('no cartridge without a set has room');
});
