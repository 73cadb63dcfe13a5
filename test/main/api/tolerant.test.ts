import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readTolerantly, WrongShape } from '../../../main/api/tolerant.ts';

const Row = z.object({
  id: z.number(),
  name: z.string().max(3),
  kind: z.enum(['a', 'b']),
  online: z.boolean(),
  note: z.string().nullable().optional(),
  size: z.union([z.number(), z.object({ bytes: z.number() })]),
  parts: z.array(z.object({ n: z.number() })),
  sums: z.record(z.string(), z.number()),
});
const row = {
  id: 1,
  name: 'x',
  kind: 'a',
  online: true,
  note: null,
  size: 1,
  parts: [{ n: 1 }],
  sums: { a: 1 },
};
interface Node {
  readonly n: number;
  readonly inner: Node | null;
}
const Node: z.ZodType<Node> = z.lazy(() => z.object({ n: z.number(), inner: Node.nullable() }));

describe('an answer that is as declared', () => {
  it.each([0, 1, true, 'true', '12', null])('keeps %j, which may be of several kinds', (value) => {
    const Value = z.object({ value: z.union([z.boolean(), z.number(), z.string()]).nullable() });
    expect(readTolerantly(Value, { value })).toEqual({ value });
  });

  it('is taken as it is, without a copy', () => {
    const rows = [row, row];
    expect(readTolerantly(z.array(Row), rows)).toBe(rows);
  });
});

describe('an answer that is nearly as declared', () => {
  it.each([
    ['digits as text', { ...row, id: '12' }, { ...row, id: 12 }],
    ['a number for a text', { ...row, name: 7 }, { ...row, name: '7' }],
    ['an unknown word, and a text that is too long', { ...row, kind: 'zzz', name: 'long' }, null],
    ['0 and 1 for no and yes', { ...row, online: 0 }, { ...row, online: false }],
    ['the second form of several', { ...row, size: { bytes: '5' } }, { ...row, size: { bytes: 5 } }],
    ['a size beyond 2^53, rounded', { ...row, size: '18446744073709551615' }, { ...row, size: 2 ** 64 }],
    ['further fields', { ...row, shiny: { deep: ['x'] } }, null],
    [
      'a change deep inside',
      { ...row, parts: [{ n: 1 }, { n: '2' }] },
      { ...row, parts: [{ n: 1 }, { n: 2 }] },
    ],
    ['a change in a table', { ...row, sums: { a: 1, b: '2' } }, { ...row, sums: { a: 1, b: 2 } }],
  ])('is taken: %s', (_name, given, expected) => {
    const before = structuredClone(given);
    expect(readTolerantly(Row, given)).toEqual(expected ?? given);
    expect(given).toEqual(before);
  });

  it('has null for every field that is missing', () => {
    const read = readTolerantly(Row, { id: 1, extra: 2 });
    expect(read).toEqual({
      ...{ id: 1, extra: 2, name: null, kind: null, online: null },
      ...{ note: null, size: null, parts: null, sums: null },
    });
  });

  it('has no key that would reach the prototype', () => {
    for (const schema of [Row, z.record(z.string(), z.unknown())]) {
      const hostile = JSON.parse('{"id":1,"__proto__":{"isAdmin":true}}') as unknown;
      const read = readTolerantly(schema, hostile) as Record<string, unknown>;
      expect(Object.hasOwn(read, '__proto__')).toBe(false);
      expect(read.isAdmin).toBeUndefined();
      expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    }
  });

  it('may hold itself, as deep as an answer reasonably is', () => {
    const chain = (depth: number): Node => ({ n: depth, inner: depth === 0 ? null : chain(depth - 1) });
    expect(readTolerantly(Node, chain(20))).toEqual(chain(20));
    expect(() => readTolerantly(Node, chain(200))).toThrow(/nested/);
  });
});

describe('an answer of another form', () => {
  it.each([
    ['a text for a record', [row, 'row'], 'data[1] '],
    ['a record for a list', { a: 1 }, 'data '],
    ['a word for a number', [{ ...row, id: 'many' }], 'data[0].id '],
    ['a list for a text', [{ ...row, name: [] }], 'data[0].name '],
    [
      'an id beyond 2^53',
      JSON.parse(`[${JSON.stringify({ ...row, id: 0 }).replace('"id":0', '"id":9007199254740993')}]`),
      'data[0].id ',
    ],
    ['the same as text', [{ ...row, id: '9007199254740993' }], 'data[0].id '],
    ['none of several forms', [{ ...row, size: { bytes: 'x' } }], 'data[0].size.bytes '],
    ['a word deep inside', [row, { ...row, parts: [{ n: 1 }, { n: {} }] }], 'data[1].parts[1].n '],
    ['a word in a table', [{ ...row, sums: { a: 1, b: {} } }], 'data[0].sums.b '],
  ])('is refused by the name of its place: %s', (_name, given, place) => {
    expect(() => readTolerantly(z.array(Row), given)).toThrow(WrongShape);
    expect(() => readTolerantly(z.array(Row), given)).toThrow(place);
  });

  it('is told by its own place after another form was tried before', () => {
    const Pair = z.object({ either: z.union([z.array(z.number()), z.number()]), after: z.number() });
    expect(() => readTolerantly(Pair, { either: 1, after: 'x' })).toThrow('data.after ');
  });
});
