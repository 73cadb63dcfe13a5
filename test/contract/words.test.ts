import { describe, expect, it } from 'vitest';
import {
  AbsolutePath,
  ClientText,
  DurationText,
  formatClientText,
  formatDuration,
  isIsoDateTime,
  ObjectName,
  parseClientText,
  parseDuration,
  TimeOfDay,
  utf8Length,
} from '../../contract/words.ts';

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown): boolean =>
  schema.safeParse(value).success;

describe('durations', () => {
  it.each([
    ['1 year', '1 year'],
    ['1 years', '1 year'],
    ['2 week', '2 weeks'],
    ['30 days', '30 days'],
    ['12 months', '12 months'],
  ])('%s is stored as %s', (written, stored) => {
    const duration = parseDuration(written);
    expect(duration && formatDuration(duration)).toBe(stored);
    expect(accepts(DurationText, written)).toBe(true);
  });

  it.each([
    '0 days',
    '-1 day',
    '1day',
    '1  day',
    ' 1 day',
    '1 day ',
    '1 hour',
    '1.5 years',
    '01 day',
    'year',
    '1 Year',
    '',
    '100000 days',
    '1 day\n',
  ])('%j is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
    expect(accepts(DurationText, text)).toBe(false);
  });

  it('tells what is right when one is wrong', () => {
    expect(DurationText.safeParse('soon').error?.issues[0]?.message).toMatch(/like `1 year`/);
  });
});

describe('the text form of a client', () => {
  it('is taken apart and put together again', () => {
    const text = 'a host (with) brackets (0123456789abcdef)';
    const client = parseClientText(text);
    expect(client).toEqual({ name: 'a host (with) brackets', hwid: '0123456789abcdef' });
    expect(client && formatClientText(client)).toBe(text);
  });

  it.each([
    'host',
    'host (0123)',
    'host (0123456789ABCDEF)',
    '(0123456789abcdef)',
    ' (0123456789abcdef)x',
    'a\nb (0123456789abcdef)',
  ])('is refused for %j', (text) => expect(accepts(ClientText, text)).toBe(false));
});

describe('dates', () => {
  it.each(['2030-01-31T23:59:59', '2030-01-31T23:59:59.5', '2028-02-29T00:00:00.123456789'])(
    'accept %s',
    (text) => {
      expect(isIsoDateTime(text)).toBe(true);
    },
  );
  it.each([
    '2030-02-30T00:00:00',
    '2029-02-29T00:00:00',
    '2030-01-31T24:00:00',
    '2030-01-31T23:59:60',
    '2030-13-01T00:00:00',
    '2030-01-31T23:59:59Z',
    '2030-01-31T23:59:59+01:00',
    '2030-01-31',
    '2030-01-31 23:59:59',
    '2030-01-31T23:59',
    '0000-01-01T00:00:00',
  ])('refuse %s', (text) => expect(isIsoDateTime(text)).toBe(false));
});

describe('times of day', () => {
  it.each(['00:00:00', '23:59:59'])('accept %s', (text) => expect(accepts(TimeOfDay, text)).toBe(true));
  it.each(['24:00:00', '1:00:00', '00:60:00', '00:00', '00:00:00.0', ''])('refuse %j', (text) =>
    expect(accepts(TimeOfDay, text)).toBe(false),
  );
});

describe('paths and names', () => {
  it.each(['/', '/a b/ü', 'C:\\data', 'D:/x'])('%j is an absolute path', (path) =>
    expect(accepts(AbsolutePath, path)).toBe(true),
  );
  it.each(['', 'a', './a', '../a', '~/a', '/a\0b', 'C:', `/${'x'.repeat(40_000)}`])('%j is none', (path) =>
    expect(accepts(AbsolutePath, path)).toBe(false),
  );
  it.each(['a', 'Ünï cödé 💾', '__proto__'])('%j is a name', (name) =>
    expect(accepts(ObjectName, name)).toBe(true),
  );
  it.each(['', ' a', 'a ', 'a\u0000', 'a\nb', 'x'.repeat(256), 7, null])('%j is no name', (name) =>
    expect(accepts(ObjectName, name)).toBe(false),
  );
  it.each(['', 'a', 'ü', '€', '💾', 'a\u0301'])('the bytes of %j are counted as UTF-8', (text) => {
    expect(utf8Length(text)).toBe(Buffer.byteLength(text));
  });
});
