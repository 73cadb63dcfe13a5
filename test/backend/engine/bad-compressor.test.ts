import { expect, it } from 'vitest';
import { COMPRESSIONS, codecFor, encodeChecked } from '../../../backend/engine/archive/codec.ts';

const raw = Buffer.from('what has to come back as it was '.repeat(2000));

/** A faulty memory: the first `bad` results have one bit that is wrong, at a place of the content. */
function faulty(compression: (typeof COMPRESSIONS)[number], bad: number) {
  const codec = codecFor(compression);
  let calls = 0;
  return {
    calls: () => calls,
    codec: {
      ...codec,
      encode: (bytes: Buffer): Buffer => {
        const stored = Buffer.from(codec.encode(bytes));
        calls += 1;
        const at = stored.length >> 1;
        if (calls <= bad) stored.writeUInt8(stored.readUInt8(at) ^ 4, at);
        return stored;
      },
    },
  };
}

it.each(COMPRESSIONS)(
  'a bad result of the compressor (%s) is made anew once and never passed on (case 90)',
  (compression) => {
    const once = faulty(compression, 1);
    expect(codecFor(compression).decode(encodeChecked(once.codec, raw), raw.length).equals(raw)).toBe(true);
    expect(once.calls()).toBe(2);
    const twice = faulty(compression, 2);
    expect(() => encodeChecked(twice.codec, raw)).toThrow(/could not be read back.*may be faulty/);
  },
);
