import { expect, it } from 'vitest';
import { codecFor } from '../../backend/engine/archive/codec.ts';
import { zstdCodec } from '../../backend/engine/archive/zstd-codec.ts';
import { smallSize } from '../../bench/engine/trees.ts';
import { createRandom } from '../../bench/support/random.ts';
import { textMaker } from '../../bench/support/text.ts';

const FILES = 800;
const level3 = zstdCodec(() => ({ level: 3 }));

it('texts of the benchmark shrink as those of people do: by lz4, by zstd, and more where many lie in one stream', () => {
  const random = createRandom(1);
  const text = textMaker(createRandom(2), { repeated: 500, common: 400 });
  const files = Array.from({ length: FILES }, () => text(smallSize(random)));
  const bytes = files.reduce((sum, file) => sum + file.length, 0);
  const each = (encode: (raw: Buffer) => Buffer) =>
    files.reduce((sum, file) => sum + Math.min(file.length, encode(file).length), 0) / bytes;
  expect(bytes / FILES).toBeGreaterThan(8500);
  expect(bytes / FILES).toBeLessThan(9900);
  expect(each((raw) => codecFor('Fast').encode(raw))).toBeCloseTo(0.6, 1);
  const alone = each((raw) => level3.encode(raw));
  expect(alone).toBeGreaterThan(0.39);
  expect(alone).toBeLessThan(0.43);
  const together = level3.encode(Buffer.concat(files)).length / bytes;
  expect(together).toBeGreaterThan(0.25);
  expect(together).toBeLessThan(0.29);
});

it('no text of the benchmark lies in another one, where a large window would find it', () => {
  const text = textMaker(createRandom(2), { repeated: 500, common: 400 });
  const first = text(8000).toString('latin1');
  const second = text(8000).toString('latin1');
  const runs = Array.from({ length: 8000 - 200 }, (_, at) => first.slice(at, at + 200));
  expect(runs.filter((run) => second.includes(run))).toEqual([]);
});

it('the same seed writes the same texts', () => {
  const made = () => textMaker(createRandom(5), { repeated: 700, common: 20 })(50_000);
  expect(made().equals(made())).toBe(true);
});
