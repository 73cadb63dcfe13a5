import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeChecked, type FrameCodec } from '../../../backend/engine/archive/codec.ts';
import { addonZstdCodec } from '../../../backend/engine/archive/zstd-addon.ts';
import { optimalSettings, zstdCodec } from '../../../backend/engine/archive/zstd-codec.ts';
import { systemZstd } from '../../../backend/platform/system-zstd.ts';

const lengths = [1, 511, 512, 1023, 1024, 11_000, 32_767, 32_768, 200_000, 1_048_576, 1_048_577, 8_323_072];

/** Each way in which frames are made on one machine or another. */
const codecs: Readonly<Record<string, () => FrameCodec>> = {
  'the library of the system': () => {
    expect(systemZstd()).not.toBeNull();
    return zstdCodec(optimalSettings);
  },
  'the addon and the runtime': () => addonZstdCodec(optimalSettings),
  'the addon alone': () => {
    const { zstdCompressSync } = zlib;
    Reflect.deleteProperty(zlib, 'zstdCompressSync');
    try {
      return addonZstdCodec(optimalSettings);
    } finally {
      zlib.zstdCompressSync = zstdCompressSync;
    }
  },
};

const text = (length: number): Buffer =>
  Buffer.from(
    Array.from({ length: Math.ceil(length / 4) }, (_, line) => `line ${line % 7919}\n`).join(''),
  ).subarray(0, length);

const cases = lengths.flatMap((length) => [
  { what: `${length} bytes of text`, raw: text(length) },
  { what: `${length} random bytes`, raw: randomBytes(length) },
  { what: `${length} zeros`, raw: Buffer.alloc(length) },
]);

describe.each(Object.entries(codecs))('%s', (_, codecOf) => {
  it.each(cases)('makes of $what one frame that says its length and that any zstd reads', ({ raw }) => {
    const stored = encodeChecked(codecOf(), raw);
    expect(stored[4]).toBe(0xa0);
    expect(stored.readUInt32LE(5)).toBe(raw.length);
    // Longer than what was given by its headers at most.
    expect(stored.length).toBeLessThan(raw.length + 1024);
    const read = execFileSync('zstd', ['-dc'], { input: stored, maxBuffer: 2 * raw.length + 1024 });
    expect(read.equals(raw)).toBe(true);
  });

  it('is read by each of the others', () => {
    const raw = text(3_000_000);
    const stored = Buffer.from(codecOf().encode(raw));
    for (const other of Object.values(codecs)) {
      expect(other().decode(stored, raw.length).equals(raw)).toBe(true);
      const into = Buffer.alloc(raw.length);
      other().decodeInto(stored, into);
      expect(into.equals(raw)).toBe(true);
    }
  });

  it('refuses every frame that was cut off, lengthened, or announces another length', () => {
    const raw = text(20_000);
    const codec = codecOf();
    const stored = Buffer.from(codec.encode(raw));
    const bad = [stored.subarray(0, -1), Buffer.concat([stored, Buffer.alloc(1)]), Buffer.alloc(0)];
    for (const frame of bad) expect(() => codec.decode(frame, raw.length)).toThrow(/Damaged frame/);
    expect(() => codec.decode(stored, raw.length - 1)).toThrow(/another length/);
    expect(() => codec.decodeInto(stored, Buffer.alloc(raw.length + 1))).toThrow(/another length/);
  });

  it('never writes beyond its memory for a frame with any one byte wrong, and goes on after it', () => {
    const raw = text(5000);
    const codec = codecOf();
    const stored = Buffer.from(codec.encode(raw));
    const memory = Buffer.alloc(raw.length + 4096, 7);
    for (let at = 0; at < stored.length; at += 1) {
      const wrong = Buffer.from(stored);
      wrong.writeUInt8(wrong.readUInt8(at) ^ 0x5a, at);
      expect(codec.reads(wrong, raw)).toBe(false);
      try {
        codec.decodeInto(wrong, memory.subarray(2048, 2048 + raw.length));
      } catch {
        // Most are refused; a wrong literal is another text of the same length.
      }
    }
    expect(memory.subarray(0, 2048).every((byte) => byte === 7)).toBe(true);
    expect(memory.subarray(2048 + raw.length).every((byte) => byte === 7)).toBe(true);
    expect(codec.reads(stored, raw)).toBe(true);
  });

  it('gives frames step by step, each of several under way, whatever else is decoded meanwhile', () => {
    const codec = codecOf();
    const raws = [text(8_323_072), randomBytes(900_000), text(600_001), Buffer.alloc(1)];
    const frames = raws.map((raw) => Buffer.from(codec.encode(raw)));
    const under = raws.map((raw) => ({ raw, into: Buffer.alloc(raw.length), stepper: codec.stepper() }));
    // Each is used for one frame after the other.
    for (const shift of [0, 1, 0]) {
      const turns = under.map(({ stepper }, index) => {
        const raw = raws[(index + shift) % raws.length] ?? Buffer.alloc(0);
        const into = Buffer.alloc(raw.length);
        stepper.begin(frames[(index + shift) % raws.length] ?? Buffer.alloc(0), into);
        return { raw, into, stepper };
      });
      for (const part of [0, 0.01, 0.3, 0.31, 0.9, 1]) {
        for (const { raw, into, stepper } of turns) {
          const wanted = Math.floor(part * raw.length);
          const there = stepper.upTo(wanted);
          expect(there).toBeGreaterThanOrEqual(wanted);
          expect(into.subarray(0, there).equals(raw.subarray(0, there))).toBe(true);
          expect(codec.decode(frames[2] ?? Buffer.alloc(0), 600_001).equals(raws[2] ?? raw)).toBe(true);
        }
      }
    }
    for (const { stepper } of under) stepper.close();
  });

  it('tells of a frame that is not what it announces at the step that finds it, and goes on after it', () => {
    const codec = codecOf();
    const raw = text(3_000_000);
    const stored = Buffer.from(codec.encode(raw));
    const stepper = codec.stepper();
    const all = (frame: Buffer, into: Buffer) => {
      stepper.begin(frame, into);
      stepper.upTo(into.length);
    };
    const memory = Buffer.alloc(raw.length + 400_000, 7);
    for (const announced of [raw.length - 70_000, raw.length - 1, raw.length + 1, raw.length + 200_000]) {
      const frame = Buffer.from(stored);
      frame.writeUInt32LE(announced, 5);
      expect(() => all(frame, memory.subarray(100, 100 + announced))).toThrow(/Damaged frame/);
      expect(memory.subarray(0, 100).every((byte) => byte === 7)).toBe(true);
      expect(memory.subarray(100 + announced).every((byte) => byte === 7)).toBe(true);
    }
    for (const frame of [stored.subarray(0, -1), Buffer.concat([stored, Buffer.alloc(1)]), Buffer.alloc(0)]) {
      expect(() => all(frame, memory.subarray(0, raw.length))).toThrow(/Damaged frame/);
    }
    all(stored, memory.subarray(0, raw.length));
    expect(memory.subarray(0, raw.length).equals(raw)).toBe(true);
    stepper.close();
  });
});
