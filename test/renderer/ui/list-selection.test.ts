import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  neighbour,
  nothingSelected,
  selectOne,
  selectRange,
  toggleOne,
  withoutRows,
} from '../../../renderer/ui/index.ts';

const order = [10, 20, 30, 40, 50];

test('a range goes from the anchor to the row, in either direction', () => {
  const down = selectRange(selectOne(20), 40, order);
  expect([...down.ids]).toEqual([20, 30, 40]);
  const up = selectRange(down, 10, order);
  expect([...up.ids]).toEqual([10, 20]);
  expect(up.anchor).toBe(20);
  expect(up.current).toBe(10);
});

test('a range without an anchor in the list is the row alone', () => {
  expect([...selectRange(nothingSelected, 30, order).ids]).toEqual([30]);
  expect([...selectRange(selectOne(99), 30, order).ids]).toEqual([30]);
});

test('the selection follows ids when the order changes (case 45)', () => {
  const selection = selectRange(selectOne(20), 30, order);
  const reordered = [30, 50, 10, 20, 40];
  expect(reordered.filter((id) => selection.ids.has(id))).toEqual([30, 20]);
});

test('toggling twice is as before, whatever the ids', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer()), fc.integer(), (ids, id) => {
      const before = { ids: new Set(ids), current: null, anchor: null };
      expect(toggleOne(toggleOne(before, id), id).ids).toEqual(before.ids);
    }),
  );
});

test('arrows stop at the ends', () => {
  expect(neighbour(50, order, 1)).toBe(50);
  expect(neighbour(10, order, -1)).toBe(10);
  expect(neighbour(null, order, 1)).toBe(10);
  expect(neighbour(null, [], 1)).toBeNull();
});

test('rows that are gone leave the selection', () => {
  const left = withoutRows(selectRange(selectOne(20), 40, order), new Set([20, 40]));
  expect([...left.ids]).toEqual([30]);
  expect(left.current).toBeNull();
  expect(left.anchor).toBeNull();
});
