import fc from 'fast-check';

/** Values that break things elsewhere. */
const junk: readonly unknown[] = [
  null,
  true,
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\uD800',
  '‮evil',
  "'; drop table tasks; --",
  '%s%n%x',
  '../../../../etc/passwd',
  '\\\\host\\share',
  '__proto__',
  'constructor',
  'x'.repeat(5000),
  '💥'.repeat(300),
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  1e308,
  -1e308,
  5e-324,
  [],
  {},
  [[[[[[[[]]]]]]]],
  { data: { data: {} } },
  Array.from({ length: 1001 }, (_, index) => index + 1),
  { toString: 'x', valueOf: 'y', length: -1 },
];

export const anyJunk: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...junk) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);

/** A value with one place of it broken: another value, a field too many, or one too few. */
export function broken(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(value, fc.array(fc.nat(), { minLength: 6, maxLength: 6 }), anyJunk)
    .map(([whole, dice, bad]) => breakAt(whole, dice, bad));
}

function breakAt(value: unknown, dice: readonly number[], bad: unknown): unknown {
  const [way = 0, where = 0, ...rest] = dice;
  if (typeof value !== 'object' || value === null) return bad;
  if (Array.isArray(value)) {
    if (value.length === 0 || way % 3 === 0) return [...value, bad];
    const at = where % value.length;
    return value.map((inner: unknown, index) => (index === at ? breakAt(inner, rest, bad) : inner));
  }
  const entries = Object.entries(value);
  if (entries.length === 0 || way % 5 === 0) return { ...value, unknown_field: bad };
  const at = where % entries.length;
  if (way % 5 === 1) return Object.fromEntries(entries.filter((_, index) => index !== at));
  if (way % 5 === 2) return bad;
  return Object.fromEntries(
    entries.map(([key, inner], index) => [key, index === at ? breakAt(inner, rest, bad) : inner]),
  );
}

/** What stands where a body should be, byte by byte. */
export const rawBodies: readonly Buffer[] = [
  Buffer.from('{'),
  Buffer.from('{"ids": [1'),
  Buffer.from('nul'),
  Buffer.from('"text"'),
  Buffer.from('[]'),
  Buffer.from('1e999'),
  Buffer.from('{"__proto__": {"admin": true}}'),
  Buffer.from('{"data": {"constructor": {"prototype": {"x": 1}}}}'),
  Buffer.from('{"ids": [1], "ids": [2]}'),
  Buffer.from(`${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`),
  Buffer.from('['.repeat(100_000)),
  Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]),
  Buffer.from([0xc0, 0xaf]),
  Buffer.alloc(1_048_577, 0x20),
  Buffer.from(`{"description": "${'x'.repeat(1_048_000)}"}`),
];

/** Path segments that are no id of anything. */
export const wrongIds: readonly string[] = [
  '0',
  '-1',
  '1.0',
  '1e3',
  '0x10',
  '00001',
  '999999999',
  '9'.repeat(30),
  'abc',
  '%00',
  '%2e%2e',
  '%ff',
  '..%2f..%2fetc',
  'null',
  'undefined',
  'constructor',
  '__proto__',
  '%F0%9F%92%A5',
  'x'.repeat(3000),
  "1'%20or%201=1",
];
