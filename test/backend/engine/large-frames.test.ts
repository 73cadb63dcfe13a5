import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import zlib from 'node:zlib';
import { expect, it } from 'vitest';
import { codecFor, encodeChecked } from '../../../backend/engine/archive/codec.ts';

const lengths = [1_048_576, 1_048_577, 8_323_072];

const text = (length: number): Buffer =>
  Buffer.from(Array.from({ length: length / 4 }, (_, line) => `line ${line % 7919}\n`).join('')).subarray(
    0,
    length,
  );

const cases = lengths.flatMap((length) => [
  { what: `${length} bytes of text`, raw: text(length) },
  { what: `${length} random bytes`, raw: randomBytes(length) },
  { what: `${length} zeros`, raw: Buffer.alloc(length) },
]);

it.each(cases)('$what become one frame that says its length and that any zstd reads', ({ raw }) => {
  const stored = encodeChecked(codecFor('Optimal'), raw);
  expect(stored[4]).toBe(0xa0);
  expect(stored.readUInt32LE(5)).toBe(raw.length);
  // Longer than what was given by its headers at most.
  expect(stored.length).toBeLessThan(raw.length + 1024);
  const read = execFileSync('zstd', ['-dc'], { input: stored, maxBuffer: 2 * raw.length });
  expect(read.equals(raw)).toBe(true);
});

it('frames of a runtime without zstd of its own and of one with it are read by each other', () => {
  const raw = text(3_000_000);
  const withOwn = codecFor('Optimal');
  const own = Buffer.from(withOwn.encode(raw));
  const { zstdCompressSync } = zlib;
  Reflect.deleteProperty(zlib, 'zstdCompressSync');
  try {
    const without = codecFor('Optimal');
    const other = Buffer.from(without.encode(raw));
    expect(Buffer.from(without.decode(own, raw.length)).equals(raw)).toBe(true);
    expect(Buffer.from(withOwn.decode(other, raw.length)).equals(raw)).toBe(true);
  } finally {
    zlib.zstdCompressSync = zstdCompressSync;
  }
});
