import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { BlockLines, blockLine } from '../../../../backend/engine/manifest/block-lines.ts';

const limits = { hashBytes: 20, blockBytes: 8192, tarBytes: 1_000_000 };
const lengths = [512, 8192, 1, 700];
const hashes = lengths.map(() => randomBytes(limits.hashBytes));
const text = lengths.map((length, at) => blockLine(length, hashes[at]?.toString('base64') ?? '')).join('');
const info = { first: 40, count: lengths.length, base: 10_000 };
const read = (lines: string, change: Partial<typeof info & typeof limits> = {}): BlockLines =>
  BlockLines.of(Buffer.from(lines), { ...info, ...change }, { ...limits, ...change });

it('tells places, hashes and lines of frames', () => {
  const lines = read(text);
  expect([0, 1, 2, 3, 4].map((at) => lines.startOf(at))).toEqual([10_000, 10_512, 18_704, 18_705, 19_405]);
  expect(lines.frame(1)).toEqual({
    index: 41,
    start: 10_512,
    offset: 0,
    length: 8192,
    rawLength: 8192,
    hash: hashes[1]?.toString('base64'),
  });
  expect(Buffer.from(lines.hashes(1, 3)).equals(Buffer.concat(hashes.slice(1, 3)))).toBe(true);
  expect(lines.text(1, 3).toString()).toBe(
    text
      .split(/(?<=\n)/)
      .slice(1, 3)
      .join(''),
  );
  const places = [10_000, 10_511, 10_512, 18_704, 18_705, 19_404, 19_405];
  expect(places.map((position) => lines.indexAt(position))).toEqual([0, 0, 1, 2, 3, 3, 4]);
});

it('reads lines with other spaces, which another program may have written', () => {
  const lines = read(text.replaceAll(',', ' , ').replace(/\n$/, ''));
  expect(lines.text(0, 4).toString()).toBe(text);
  expect(lines.frame(3).start).toBe(18_705);
});

it('refuses what no writer makes', () => {
  const [first = ''] = text.split(/(?<=\n)/);
  const hash = hashes[0]?.toString('base64') ?? '';
  const wrong: readonly (readonly [string, Partial<typeof info & typeof limits>])[] = [
    [text, { count: 3 }],
    [text, { count: 5 }],
    [text, { count: 2 ** 31 }],
    [text, { tarBytes: 19_404 }],
    [text, { blockBytes: 8191 }],
    [text, { hashBytes: 32 }],
    [first.replace('512', '0'), { count: 1 }],
    [first.replace('512', '-512'), { count: 1 }],
    [first.replace('512', '99999999999999999999'), { count: 1 }],
    [first.replace(hash, `${hash.slice(1)}!`), { count: 1 }],
    [first.replace(`"${hash}"`, '7'), { count: 1 }],
    [first.replace(']', ''), { count: 1 }],
  ];
  for (const [lines, change] of wrong) expect(() => read(lines, change), lines).toThrow(/damaged/);
  expect(read('', { count: 0 }).startOf(0)).toBe(10_000);
});
