import { describe, expect, it } from 'vitest';
import { USUAL_HEADER_BYTES } from '../../../backend/engine/archive/manifest-format.ts';
import { RowCodec } from '../../../backend/engine/archive/row-codec.ts';
import { type TarMember, tarHeaders } from '../../../backend/engine/archive/tar-header.ts';
import { bareRow } from '../../../backend/engine/backup/source-rows.ts';

const plain: TarMember = {
  path: 'resource/file',
  type: 'f',
  storedBytes: 5,
  mode: 0o644,
  uid: 1000,
  gid: 1000,
  userName: 'someone',
  groupName: 'users',
  mtimeNs: 1_700_000_000_123_456_789n,
  linkTarget: '',
  xattrs: [],
  sparseSize: null,
  major: 0,
  minor: 0,
};
const textOf = (member: Partial<TarMember>) => tarHeaders({ ...plain, ...member }).toString('latin1');

describe('headers of a member', () => {
  it('are one block where only nanoseconds do not fit', () => {
    const headers = textOf({});
    expect(headers).toHaveLength(USUAL_HEADER_BYTES);
    expect(headers.slice(136, 147)).toBe((1_700_000_000).toString(8));
    expect(headers.slice(257, 265)).toBe('ustar\x0000');
  });

  it.each([
    ['a long name', { path: `resource/${'n'.repeat(120)}` }],
    ['an extended attribute', { xattrs: [{ name: 'user.a', value: Buffer.from('b') }] }],
    ['a big number', { uid: 4_000_000_000 }],
  ] as const)('have the nanoseconds too where there is a pax header for %s', (_what, member) => {
    expect(textOf(member)).toContain('30 mtime=1700000000.123456789\n');
  });

  it('have a pax header for a time before 1970', () => {
    expect(textOf({ mtimeNs: -1_500_000_000n })).toContain('mtime=-1.5\n');
  });

  it('leave nothing of the ones before', () => {
    const first = textOf({});
    textOf({
      path: 'x'.repeat(90),
      linkTarget: 'y'.repeat(90),
      type: 'l',
      userName: 'z'.repeat(31),
      major: 7,
    });
    textOf({ path: 'x'.repeat(900), xattrs: [{ name: 'user.a', value: Buffer.alloc(9000, 'v') }] });
    expect(textOf({})).toBe(first);
  });
});

describe('the header of a file like the one before', () => {
  const other: Partial<TarMember> = { uid: 77 };

  it.each([
    ['a short path after a long one', { path: 'r/a' }],
    ['a path of 100 characters', { path: 'p'.repeat(100) }],
    ['a path that is too long', { path: 'p'.repeat(101) }],
    ['a path that is not ASCII', { path: 'r/\xc3\xa4b' }],
    ['no data', { storedBytes: 0 }],
    ['much data', { storedBytes: 2 ** 33 - 1 }],
    ['more data than fit', { storedBytes: 2 ** 33 }],
    ['the beginning of time', { mtimeNs: 0n }],
    ['the last nanosecond of a second', { mtimeNs: 1_699_999_999_999_999_999n }],
    ['the first nanosecond of a second', { mtimeNs: 1_700_000_000_000_000_001n }],
    ['a time before 1970', { mtimeNs: -1n }],
    ['the last second that fits', { mtimeNs: 8_589_934_591_000_000_000n }],
    ['a time that does not fit', { mtimeNs: 8_589_934_592_000_000_000n }],
    ['other permissions', { mode: 0o4755 }],
    ['another group', { groupName: 'wheel' }],
    ['another type', { type: 'd', storedBytes: 0 }],
    ['holes', { sparseSize: 9000 }],
    ['a target of a link', { type: 'h', linkTarget: 'r/first', storedBytes: 0 }],
  ] as const)('is the same as that of one alone: %s', (_what, member) => {
    textOf(other);
    const alone = textOf(member);
    textOf(other);
    textOf({ path: `resource/${'n'.repeat(80)}` });
    expect(textOf(member)).toBe(alone);
    // What was only begun leaves nothing behind.
    textOf(other);
    const next = textOf({ path: 'r' });
    textOf({ path: `resource/${'n'.repeat(80)}` });
    textOf(member);
    expect(textOf({ path: 'r' })).toBe(next);
  });

  const folder = { type: 'd', storedBytes: 0 } as const;

  it.each([
    ['a short path after a long one', { path: 'r/a' }],
    ['a path that fits with its slash', { path: 'p'.repeat(99) }],
    ['a path that does not fit with its slash', { path: 'p'.repeat(100) }],
    ['another time', { mtimeNs: 1_600_000_000_000_000_000n }],
    ['other permissions', { mode: 0o2755 }],
    ['a file', { type: 'f', storedBytes: 12 }],
  ] as const)('is that of one alone for folders too: %s', (_what, member) => {
    textOf({ ...folder, ...other });
    const alone = textOf({ ...folder, ...member });
    textOf({ ...folder, ...other });
    textOf({ ...folder, path: `resource/${'n'.repeat(80)}` });
    textOf({ path: `resource/${'m'.repeat(70)}` });
    expect(textOf({ ...folder, ...member })).toBe(alone);
  });
});

describe('the length of headers in a row', () => {
  const row = { ...bareRow('file', 0, 'f', plain, []), headerOffset: 0, storedBytes: 5, sizeBytes: 5 };
  const read = (codec: RowCodec, line: string) => codec.decode(JSON.parse(line), 0, 0).headerLength;

  it('is left out where it is the usual one of the copy', () => {
    const now = { headerBytes: USUAL_HEADER_BYTES };
    const usual = new RowCodec(now).encode({ ...row, headerLength: 512 });
    const other = new RowCodec(now).encode({ ...row, headerLength: 1536 });
    expect(usual).not.toContain('"l"');
    expect([usual, other].map((line) => read(new RowCodec(now), line))).toEqual([512, 1536]);
  });

  it('is 1,536 in copies that do not say it', () => {
    const line = new RowCodec({}).encode({ ...row, headerLength: 1536 });
    expect(line).not.toContain('"l"');
    expect(read(new RowCodec({}), line)).toBe(1536);
  });
});

describe('the line of a usual file', () => {
  const stamp = { device: 9n, inode: 77n, ctimeNs: plain.mtimeNs + 5n };
  const usual = { ...bareRow('a "name"\xff', 3, 'f', plain, []), storedBytes: 5, sizeBytes: 5, stamp };
  const place = { headerOffset: 4096, headerLength: 512 };

  it.each([
    ['in this copy', { ...place }],
    ['in another copy', { ...place, heldBy: 2 }],
    ['with other headers', { ...place, headerLength: 2048 }],
    [
      'with numbers that no number holds',
      { ...place, stamp: { ...stamp, inode: 2n ** 63n, ctimeNs: 2n ** 62n } },
    ],
  ])('says all of it %s', (_what, more) => {
    const header = { device: '9', headerBytes: 512 };
    const row = { ...usual, hash: 'h'.repeat(43), ...more };
    const codec = new RowCodec(header);
    const lines = [
      codec.encode(row),
      codec.encode({ ...row, headerOffset: row.headerOffset + row.headerLength + 512 }),
    ];
    const back = new RowCodec(header);
    const [first, second] = lines.map((line, ordinal) => back.decode(JSON.parse(line), ordinal, 3));
    expect(first).toEqual({ ...row, ordinal: 0 });
    expect(second).toEqual({ ...row, ordinal: 1, headerOffset: row.headerOffset + row.headerLength + 512 });
    expect(lines[0]).toContain('"o":4096');
    expect(lines[1]).not.toContain('"o"');
  });
});
