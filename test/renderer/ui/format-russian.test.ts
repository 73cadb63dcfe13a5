import { beforeAll, describe, expect, test, vi } from 'vitest';

/** The language is the page's, read when the texts are: the formats of a page that is Russian from its beginning. */
let ui: typeof import('../../../renderer/ui/format.ts');

beforeAll(async () => {
  document.documentElement.lang = 'ru';
  vi.resetModules();
  ui = await import('../../../renderer/ui/format.ts');
  return () => {
    document.documentElement.lang = 'en';
    vi.resetModules();
  };
});

const plain = (text: string | undefined) => text?.replaceAll('\u00a0', ' ');

describe('in Russian', () => {
  test.each([
    [0, '0 Б'],
    [1023, '1023 Б'],
    [1536, '1,50 КиБ'],
    [1_319_413_953, '1,23 ГиБ'],
    [5 * 1024 ** 5, '5,00 ПиБ'],
    [null, '–'],
  ])('%s bytes are %s', (bytes, text) => {
    expect(ui.formatBytes(bytes)).toBe(text);
  });

  test('counts that have little room are written in the language of the window', () => {
    expect([999, 1000, 12_999, 3_400_000].map(ui.formatShortCount)).toEqual(['999', '1К', '12К', '3М']);
  });

  test('figures stand in threes, and count as the language does', () => {
    expect(plain(ui.formatCount(1_234_567))).toBe('1 234 567');
    expect([1, 2, 5, 1_319_413_953].map((bytes) => plain(ui.formatExactBytes(bytes)))).toEqual([
      '1 байт',
      '2 байта',
      '5 байт',
      '1 319 413 953 байта',
    ]);
  });

  test.each([
    [3, '3 с'],
    [250, '4 мин 10 с'],
    [7500, '2 ч 5 мин'],
    [3 * 86_400 + 4 * 3600, '3 д 4 ч'],
  ])('%s seconds are %s', (seconds, text) => {
    expect(ui.formatDuration(seconds)).toBe(text);
  });

  test('a time near to now is told by its distance', () => {
    const now = Date.parse('2026-03-01T12:00:00Z');
    expect([0, -30, -120, 7200].map((seconds) => ui.formatRelative(now + seconds * 1000, now))).toEqual([
      'сейчас',
      '30 с назад',
      '2 мин назад',
      'через 2 ч',
    ]);
  });
});
