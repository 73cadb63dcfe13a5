import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clockOf, clockWithOffsetFile } from '../../../backend/platform/clock.ts';
import { fromWireTime, toWireTime } from '../../../backend/platform/wire-time.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

describe('the clock with an offset file', () => {
  it('follows the file within 200 ms, keeps the last good offset, and runs without a file', async () => {
    const folder = await makeTempDir('clock');
    const file = join(folder.path, 'offset');
    let monotonic = 0;
    const clock = clockWithOffsetFile(file, { now: () => 1_000_000, monotonic: () => monotonic });
    expect(clock.now()).toBe(1_000_000);
    const write = async (text: string): Promise<number> => {
      await writeFile(file, text);
      monotonic += 200;
      return clock.now();
    };
    expect(await write('86400000\n')).toBe(87_400_000);
    expect(await write('')).toBe(87_400_000);
    expect(await write('junk')).toBe(87_400_000);
    expect(await write('-5000')).toBe(995_000);
    await folder.remove();
  });

  it('is the machine’s clock when the environment names no file', () => {
    expect(Math.abs(clockOf({}).now() - Date.now())).toBeLessThan(5_000);
  });
});

describe('a date on the wire', () => {
  it('is ISO 8601 without zone in local time, and comes back unchanged', () => {
    const epochMs = new Date(2030, 0, 31, 23, 59, 58, 7).getTime();
    expect(toWireTime(epochMs)).toBe('2030-01-31T23:59:58.007');
    expect(fromWireTime('2030-01-31T23:59:58.007')).toBe(epochMs);
    expect(toWireTime(epochMs - 7)).toBe('2030-01-31T23:59:58');
    expect(fromWireTime('2030-01-31T23:59:58.1234567')).toBe(epochMs - 7 + 123);
  });

  it.each([
    '2030-02-31T00:00:00',
    '2030-01-01T24:00:00',
    '2030-01-01',
    '2030-01-01T00:00:00Z',
    '',
    'x',
    '٢٠٣٠-01-01T00:00:00',
  ])('like "%s" is none', (text) => {
    expect(fromWireTime(text)).toBeNull();
  });

  it('keeps years that have two digits', () => {
    expect(toWireTime(fromWireTime('0099-03-01T00:00:00') ?? 0)).toBe('0099-03-01T00:00:00');
  });
});
