import { describe, expect, test } from 'vitest';
import {
  counted,
  formatBytes,
  formatDuration,
  formatExactBytes,
  formatRelative,
  formatServerTime,
  formatShortCount,
} from '../../../renderer/ui/index.ts';

describe('sizes', () => {
  test.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.00 KiB'],
    [1536, '1.50 KiB'],
    [10_229, '9.99 KiB'],
    [10_236, '10.0 KiB'],
    [102_400, '100 KiB'],
    [1_048_575, '1.00 MiB'],
    [1_047_552, '1023 KiB'],
    [1_319_413_953, '1.23 GiB'],
    [5 * 1024 ** 5, '5.00 PiB'],
    [5000 * 1024 ** 5, '4.88 EiB'],
    [2 ** 70, '1.00 ZiB'],
    [5000 * 1024 ** 8, '5000 YiB'],
    [1e300, '8.27e+275 YiB'],
    [null, '–'],
    [undefined, '–'],
    [Number.NaN, '–'],
  ])('%s bytes are %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  test('have three significant digits, whatever they are', () => {
    for (let bytes = 1024; bytes < 1024 ** 4; bytes = Math.floor(bytes * 1.37) + 1) {
      const figure = formatBytes(bytes).split(' ')[0] ?? '';
      const digits = figure.replace('.', '').length;
      expect(digits === 3 || (digits === 4 && Number(figure) >= 1000), `${bytes}: ${figure}`).toBe(true);
    }
  });

  test('are told in full on request', () => {
    expect(formatExactBytes(1_319_413_953)).toBe('1,319,413,953 bytes');
    expect(formatExactBytes(null)).toBeUndefined();
  });
});

describe('times', () => {
  test.each([
    [0, '0 s'],
    [59.4, '59 s'],
    [59.6, '1 min 0 s'],
    [3599, '59 min 59 s'],
    [3600, '1 h 0 min'],
    [90_000, '1 d 1 h'],
    [-5, '0 s'],
  ])('%s seconds last %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });

  test('of a server are shown as it wrote them, in its own local time', () => {
    expect(formatServerTime('2026-03-29T02:30:00')).toBe('2026-03-29 02:30:00');
    expect(formatServerTime('2026-03-29T02:30')).toBe('2026-03-29 02:30');
    expect(formatServerTime('soon')).toBe('soon');
    expect(formatServerTime(null)).toBe('–');
  });

  test('are relative under a day and exact after it', () => {
    const now = new Date(2026, 2, 1, 12, 0, 0).getTime();
    expect(formatRelative(now - 2000, now)).toBe('now');
    expect(formatRelative(now - 42_000, now)).toBe('42 s ago');
    expect(formatRelative(now - 3 * 60_000, now)).toBe('3 min ago');
    expect(formatRelative(now + 5 * 3_600_000, now)).toBe('in 5 h');
    expect(formatRelative(now - 86_400_000, now)).toBe('2026-02-28 12:00:00');
  });
});

test('counts name one and many', () => {
  expect(counted(1, 'copy', 'copies')).toBe('1 copy');
  expect(counted(0, 'copy', 'copies')).toBe('0 copies');
  expect(counted(12_345, 'task')).toBe('12,345 tasks');
});

test('counts that have little room are cut, never rounded up', () => {
  expect([0, 999, 1000, 1999, 999_999, 3_400_000].map(formatShortCount)).toEqual([
    '0',
    '999',
    '1k',
    '1k',
    '999k',
    '3M',
  ]);
});
