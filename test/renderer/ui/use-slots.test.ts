import { expect, test } from 'vitest';
import { rowsInView } from '../../../renderer/ui/grid/rows-in-view.ts';
import { fillSlots } from '../../../renderer/ui/grid/use-slots.ts';

const slots = 32;
const at = (topPx: number, count = 1000) => rowsInView({ count, rowPx: 10, topPx, heightPx: 100 });
const indexes = (now: number, rest: number, count = 1000) =>
  fillSlots({ now: at(now, count), rest: at(rest), slots, count }).map(({ index }) => index);
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test('at rest all rows are drawn in their order, each by the element that its number gives', () => {
  const filled = fillSlots({ now: at(500), rest: at(500), slots, count: 1000 });
  expect(filled.map(({ index }) => index)).toEqual(numbers(42, 67));
  expect(filled.every(({ slot, index, restIndex }) => slot === index % slots && restIndex === index)).toBe(
    true,
  );
  expect(filled.filter(({ isSeen }) => isSeen).map(({ index }) => index)).toEqual(numbers(50, 59));
});

test('after a leap the rows in view are drawn, no element has moved, and the others wait where they were', () => {
  const before = fillSlots({ now: at(500), rest: at(500), slots, count: 1000 });
  const filled = fillSlots({ now: at(4000), rest: at(500), slots, count: 1000 });
  expect(
    filled
      .filter(({ isSeen }) => isSeen)
      .map(({ index }) => index)
      .sort(),
  ).toEqual(numbers(400, 409));
  const kept = before.map(({ slot }) => slot);
  expect(filled.map(({ slot }) => slot).slice(0, kept.length)).toEqual(kept);
  for (const { slot, isSeen, index, restIndex } of filled) {
    expect(restIndex).toBe(before.find((one) => one.slot === slot)?.index ?? null);
    if (!isSeen) expect(index).toBe(restIndex);
  }
});

test('a row is drawn once only, and one that is gone not at all', () => {
  for (const now of [0, 440, 560, 9000]) {
    const drawn = indexes(now, 500);
    expect(new Set(drawn).size).toBe(drawn.length);
  }
  expect(indexes(500, 500, 55)).toEqual(numbers(42, 54));
  expect(indexes(0, 500, 0)).toEqual([]);
});
