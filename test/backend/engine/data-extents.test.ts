import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findDataExtents } from '../../../backend/engine/backup/data-extents.ts';
import { Control } from '../../../backend/engine/job/control.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const grainBytes = 4096;
let folder: Awaited<ReturnType<typeof makeTempDir>>;
beforeEach(async () => {
  folder = await makeTempDir('extents');
});
afterEach(() => folder.remove());

/** A file in which the grains with these numbers are data; `isWritten`: the zeros are there, not holes. */
function withFile<T>(
  grains: readonly number[],
  sizeBytes: number,
  isWritten: boolean,
  look: (fd: number, control: Control) => T,
): T {
  const file = join(folder.path, 'image');
  const fd = fs.openSync(file, 'w+');
  try {
    if (isWritten) fs.writeSync(fd, Buffer.alloc(sizeBytes));
    else fs.ftruncateSync(fd, sizeBytes);
    for (const grain of grains) {
      // One byte makes data of a grain: the last one, as far as it is in the file.
      const at = Math.min((grain + 1) * grainBytes, sizeBytes) - 1;
      fs.writeSync(fd, Buffer.from([1]), 0, 1, at);
    }
    return look(fd, Control.create());
  } finally {
    fs.closeSync(fd);
  }
}

const extent = (first: number, count: number) => ({ offset: first * grainBytes, length: count * grainBytes });

describe.each([
  ['holes', false],
  ['zeros that are written', true],
])('an image with %s', (_name, isWritten) => {
  const find = (grains: readonly number[], sizeBytes: number, mostExtents?: number) =>
    withFile(grains, sizeBytes, isWritten, (fd, control) =>
      findDataExtents(fd, sizeBytes, {
        grainBytes,
        control,
        shown: 'it',
        ...(mostExtents === undefined ? {} : { mostExtents }),
      }),
    );
  const size = 2000 * grainBytes;
  const end = { offset: size, length: 0 };

  it('has data where it is not zero, up to its named end', () => {
    expect(find([0, 1, 5, 1999], size)).toEqual([extent(0, 2), extent(5, 1), extent(1999, 1)]);
    expect(find([700, 1500], size)).toEqual([extent(700, 1), extent(1500, 1), end]);
    expect(find([], size)).toEqual([end]);
  });

  it('of an odd size ends where it ends', () => {
    const odd = 10 * grainBytes + 77;
    expect(find([10], odd)).toEqual([{ offset: 10 * grainBytes, length: 77 }]);
    expect(find([0], odd)).toEqual([extent(0, 1), { offset: odd, length: 0 }]);
  });

  it('that is data all over, or empty, has no map', () => {
    expect(find([0, 1, 2], 3 * grainBytes)).toBeNull();
    expect(find([], 0)).toBeNull();
  });

  it('gives up the shortest holes when there are too many', () => {
    // Holes of one grain, and one of a thousand.
    const grains = Array.from({ length: 200 }, (_, index) => (index < 100 ? 2 * index : 1000 + 2 * index));
    const found = find(grains, size, 10) ?? [];
    expect(found).toEqual([extent(0, 199), extent(1200, 199), end]);
  });
});

it('says where an image ends that was made shorter meanwhile', () => {
  withFile([0], 3 * grainBytes, true, (fd, control) => {
    expect(() => findDataExtents(fd, 9 * grainBytes, { grainBytes, control, shown: '/dev/x' })).toThrow(
      `/dev/x ended at byte ${3 * grainBytes}`,
    );
  });
});
