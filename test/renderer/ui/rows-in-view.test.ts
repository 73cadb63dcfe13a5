import { expect, test } from 'vitest';
import { bodyPx, rowsInView, topToShow } from '../../../renderer/ui/grid/rows-in-view.ts';

const view = { count: 1000, rowPx: 28, topPx: 0, heightPx: 280 };

test('at the top the rows that fit are seen, and some below', () => {
  expect(rowsInView(view)).toEqual({ first: 0, last: 17, firstSeen: 0, lastSeen: 9, startPx: 0 });
});

test('in the middle there are some on both sides', () => {
  expect(rowsInView({ ...view, topPx: 100 * 28 + 3.5 })).toEqual({
    first: 92,
    last: 118,
    firstSeen: 100,
    lastSeen: 110,
    startPx: 0,
  });
});

test('the end is the last row, and none is none', () => {
  expect(rowsInView({ ...view, topPx: 28_000 - 280 }).last).toBe(999);
  const none = rowsInView({ ...view, count: 0 });
  expect(none.last).toBeLessThan(none.first);
  expect(none.lastSeen).toBeLessThan(none.firstSeen);
});

test('a table that became shorter than where it is scrolled to still shows its last rows', () => {
  expect(rowsInView({ ...view, count: 5, topPx: 20_000 })).toEqual({
    first: 0,
    last: 4,
    firstSeen: 4,
    lastSeen: 4,
    startPx: 0,
  });
});

test('a row is scrolled to only as far as is needed to see it whole', () => {
  expect(topToShow(3, view)).toBe(0);
  expect(topToShow(10, view)).toBe(28);
  expect(topToShow(3, { ...view, topPx: 280 })).toBe(84);
});

// Two million rows of 36 pixels are more than twice as tall as the browser makes anything.
const tall = { count: 2_000_000, rowPx: 36, topPx: 0, heightPx: 600 };

test('the last of more rows than the browser can lay out is reached at the end of the scroll bar (case 47)', () => {
  const endPx = bodyPx(tall) - tall.heightPx;
  expect(bodyPx(tall)).toBeLessThan(33_554_428);
  const { last, startPx } = rowsInView({ ...tall, topPx: endPx });
  expect(last).toBe(1_999_999);
  expect(Math.abs(startPx + (last + 1) * tall.rowPx - (endPx + tall.heightPx))).toBeLessThanOrEqual(2);
});

test('every row of such a table can be scrolled to, and is then seen whole (case 47)', () => {
  let topPx = 0;
  for (const index of [0, 1, 777_777, 777_778, 1_234_567, 1_999_999, 1_999_998, 1_000_000, 0]) {
    topPx = topToShow(index, { ...tall, topPx });
    const { startPx, first, last } = rowsInView({ ...tall, topPx });
    const rowTopPx = startPx + index * tall.rowPx;
    expect(first).toBeLessThanOrEqual(index);
    expect(last).toBeGreaterThanOrEqual(index);
    expect(rowTopPx).toBeGreaterThanOrEqual(topPx - 2);
    expect(rowTopPx + tall.rowPx).toBeLessThanOrEqual(topPx + tall.heightPx + 2);
    expect(rowTopPx % 4).toBe(0);
  }
});
