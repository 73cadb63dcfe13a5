import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { copyBytes } from '../../../backend/platform/copy-bytes.ts';

const shared = (bytes: Buffer): Buffer => {
  const buffer = Buffer.from(new SharedArrayBuffer(bytes.length));
  buffer.set(bytes);
  return buffer;
};
const own = (bytes: Buffer): Buffer => Buffer.from(new ArrayBuffer(bytes.length)).fill(bytes);

it.each([
  ['own', 'own', own, own],
  ['own', 'shared', own, shared],
  ['shared', 'own', shared, own],
  ['shared', 'shared', shared, shared],
])(
  'bytes of %s memory come to %s memory as they are, and nothing beside them changes',
  (_, __, make, makeTarget) => {
    const content = randomBytes(10_000);
    const before = randomBytes(12_000);
    // At the beginning, in the middle, at the end, and all of the memory; shorter and longer than what is made a part.
    for (const [start, end] of [
      [0, 0],
      [0, 100],
      [9_950, 10_000],
      [0, 5_000],
      [17, 6_001],
      [3_000, 10_000],
      [0, 10_000],
    ] as const) {
      const target = makeTarget(before);
      copyBytes(make(content).subarray(start, end), target, 500);
      const expected = Buffer.from(before);
      content.copy(expected, 500, start, end);
      expect(target.equals(expected)).toBe(true);
    }
  },
);

it('what does not fit is refused, and nothing of it is written', () => {
  const target = Buffer.from(new SharedArrayBuffer(1_000));
  const memory = target.subarray(0, 600);
  for (const [length, at] of [
    [400, 201],
    [400, 601],
    [50, 551],
    [601, 0],
  ] as const) {
    expect(() => copyBytes(own(Buffer.alloc(1_000, 7)).subarray(0, length), memory, at)).toThrow(RangeError);
  }
  expect(target.every((byte) => byte === 0)).toBe(true);
});
