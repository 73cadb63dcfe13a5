import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../backend/engine/archive/entry.ts';
import { parseLine } from '../../../backend/engine/archive/manifest-lines.ts';
import { type LineBytes, RowCodec } from '../../../backend/engine/archive/row-codec.ts';
import { UsualRow } from '../../../backend/engine/archive/usual-row.ts';

const HEADER = { device: '9', headerBytes: 512 };
const FORMER = { device: '9' };
const HASH = 'A'.repeat(42).concat('8');
const DEVICE = 9n;

type Row = Omit<Entry, 'ordinal'>;
const plain: Row = {
  folderId: 1,
  name: 'file-1.txt',
  type: 'f',
  sizeBytes: 5000,
  mode: 0o644,
  uid: 1000,
  gid: 100,
  mtimeNs: 1_700_000_000_123_456_789n,
  hash: HASH,
  headerOffset: 1024,
  headerLength: 512,
  storedBytes: 5000,
  linkTarget: '',
  xattrNames: [],
  childFolderId: null,
  firstLink: null,
  hasLinks: false,
  sparse: false,
  changed: false,
  major: 0,
  minor: 0,
  stamp: { device: DEVICE, inode: 77n, ctimeNs: 1_700_000_000_123_456_789n },
  heldBy: null,
  unread: false,
  xattrValues: null,
};
const stamped = (ctimeNs: bigint, inode = 77n) => ({ stamp: { device: DEVICE, inode, ctimeNs } });

const usual: readonly (readonly [string, Partial<Row>])[] = [
  ['as it is', {}],
  ['in the place that follows', { headerOffset: 1024 + 512 + 5120 }],
  ['empty, so without a hash', { sizeBytes: 0, storedBytes: 0, hash: '' }],
  ['longer headers', { headerLength: 1536 }],
  ['held by an earlier copy', { heldBy: 3 }],
  [
    'of another size and owner',
    { sizeBytes: 1_234_567, storedBytes: 1_234_567, uid: 0, gid: 0, mode: 0o7777 },
  ],
  ['changed later than it was modified', stamped(1_700_000_007_000_000_001n)],
  ['changed so much later that a number would not be exact', stamped(1_790_000_000_999_999_999n)],
  ['modified at the beginning of time', { mtimeNs: 0n, ...stamped(999_999_999n) }],
  ['whose nanoseconds make a second more together', { mtimeNs: 1_999_999_999n, ...stamped(3_000_000_001n) }],
  ['with a large inode', stamped(plain.mtimeNs, 999_999_999_999_999n)],
  ['called by every character that stands for itself', { name: " !#$%&'()*+,-.0Az[]^_`{|}~" }],
];
const unusual: readonly (readonly [string, Partial<Row>])[] = [
  ['a name with a quote', { name: 'a"b' }],
  ['a name with a backslash', { name: 'a\\b' }],
  ['a name with a line end', { name: 'a\nb' }],
  ['a name of other letters', { name: 'd\xc3\xa9j\xc3\xa0' }],
  ['a name of bytes that are no text', { name: '\xff' }],
  ['modified before 1970', { mtimeNs: -1n, ...stamped(5n) }],
  ['changed before it was modified', stamped(1_600_000_000_000_000_000n)],
  ['an inode beyond what a number holds', stamped(plain.mtimeNs, 2n ** 60n)],
  ['another device', { stamp: { device: 8n, inode: 1n, ctimeNs: 1n } }],
  ['holes', { sparse: true, storedBytes: 100 }],
  ['several names', { hasLinks: true }],
  ['a mixture', { changed: true }],
  ['not read', { unread: true, heldBy: 0 }],
  ['attributes', { xattrNames: ['user.a'] }],
  ['without a stamp', { stamp: null }],
  ['a further name', { type: 'h', firstLink: 4, stamp: null, hash: '', storedBytes: 0 }],
  ['a symbolic link', { type: 'l', linkTarget: 'to', stamp: null, hash: '', sizeBytes: 0, storedBytes: 0 }],
  [
    'a folder',
    {
      type: 'd',
      childFolderId: 5,
      headerOffset: null,
      headerLength: 0,
      stamp: null,
      hash: '',
      sizeBytes: 0,
      storedBytes: 0,
    },
  ],
];

class Line implements LineBytes {
  text = '';
  add(text: string): void {
    this.text += text;
  }
  addBytes(bytes: Buffer, from: number, end: number): void {
    this.text += bytes.toString('utf8', from, end);
  }
}

/** What the row says, as its decoding would. */
const factsOf = (row: UsualRow) => ({
  sizeBytes: row.sizeBytes,
  mode: row.mode,
  uid: row.uid,
  gid: row.gid,
  mtimeNs: BigInt(row.mtimeSeconds) * 1_000_000_000n + BigInt(row.mtimeRestNs),
  ctimeNs: BigInt(row.ctimeSeconds) * 1_000_000_000n + BigInt(row.ctimeRestNs),
  inode: BigInt(row.inode),
  heldBy: row.saidHolder < 0 ? null : row.saidHolder,
  headerOffset: row.headerOffset,
  headerLength: row.headerLength,
});
const wantedOf = ({
  sizeBytes,
  mode,
  uid,
  gid,
  mtimeNs,
  stamp,
  heldBy,
  headerOffset,
  headerLength,
}: Row) => ({
  ...{ sizeBytes, mode, uid, gid, mtimeNs, heldBy, headerOffset, headerLength },
  ...{ ctimeNs: stamp?.ctimeNs, inode: stamp?.inode },
});

describe('a line of a file as nearly all are', () => {
  it.each(usual)('is read where it lies: %s', (_, more) => {
    const entry = { ...plain, ...more };
    const bytes = Buffer.from(`something before ${new RowCodec(HEADER).encode(entry)}something behind`);
    const row = new UsualRow();
    expect(row.read(bytes, 'something before '.length)).toBe(true);
    expect(new RowCodec(HEADER).place(row)).toBe(true);
    expect(factsOf(row)).toEqual(wantedOf(entry));
    expect(bytes.toString('latin1', row.end)).toBe('something behind');
    expect(row.compareName(entry.name)).toBe(0);
    for (const name of ['', 'a', 'file-1.tx', 'file-1.txtt', 'file-2', 'zz', '\xff'])
      expect(Math.sign(row.compareName(name)), name).toBe(
        Math.sign(Buffer.compare(Buffer.from(entry.name, 'latin1'), Buffer.from(name, 'latin1'))),
      );
  });

  it.each([HEADER, FORMER])('is the entry that decoding its text gives (%j)', (header) => {
    const [encoding, reading, decoding] = [new RowCodec(header), new RowCodec(header), new RowCodec(header)];
    const row = new UsualRow();
    usual.forEach(([, more], ordinal) => {
      const line = encoding.encode({ ...plain, ...more });
      expect(row.read(Buffer.from(line), 0) && reading.place(row)).toBe(true);
      expect(reading.entryOf(row, ordinal, 7)).toEqual(decoding.decode(parseLine(line), ordinal, 7));
      reading.pass(row);
    });
  });

  it.each(unusual)('is left to the decoder else: %s', (_, more) => {
    const line = new RowCodec(HEADER).encode({ ...plain, ...more });
    expect(new UsualRow().read(Buffer.from(line), 0)).toBe(false);
  });

  it.each([HEADER, FORMER])('is copied byte for byte as it would be encoded (%j)', (header) => {
    const [reading, writing, encoding] = [new RowCodec(header), new RowCodec(HEADER), new RowCodec(HEADER)];
    const old = new RowCodec(header);
    const row = new UsualRow();
    const places = usual.map(([, more], index) => ({ headerOffset: 4096 * (index >> 1), ...more }));
    for (const more of [...places, ...places.map((one) => ({ ...one, heldBy: 1 })), {}, {}]) {
      const entry = { ...plain, ...more };
      expect(row.read(Buffer.from(old.encode(entry)), 0) && reading.place(row)).toBe(true);
      const line = new Line();
      const heldBy = entry.heldBy ?? 1;
      writing.copy(row, { headerOffset: row.headerOffset, heldBy }, line);
      reading.pass(row);
      expect(line.text).toBe(encoding.encode({ ...entry, heldBy }));
    }
  });

  it('has no place where neither the line nor the row before says one', () => {
    const codec = new RowCodec(HEADER);
    codec.encode({ ...plain, headerOffset: 0 });
    const row = new UsualRow();
    expect(row.read(Buffer.from(codec.encode({ ...plain, headerOffset: 512 + 5120 })), 0)).toBe(true);
    expect(new RowCodec(HEADER).place(row)).toBe(false);
  });

  it('is taken, whatever stands there, only where the decoder takes it for the same', () => {
    const entry = { ...plain, headerLength: 1024, heldBy: 2, ...stamped(1_790_000_000_999_999_999n) };
    const good = Buffer.from(new RowCodec(HEADER).encode(entry));
    const row = new UsualRow();
    let taken = 0;
    for (let at = 0; at < good.length; at += 1) {
      for (const byte of [...Buffer.from('019-+.e,:"\\[]{}nfiro \n'), 0, 31, 127, 255]) {
        for (const isInserted of [false, true]) {
          const bytes = Buffer.concat([
            good.subarray(0, at),
            Buffer.of(byte),
            good.subarray(isInserted ? at : at + 1),
          ]);
          const codec = new RowCodec(HEADER);
          if (!row.read(bytes, 0) || !codec.place(row)) continue;
          taken += 1;
          const line = bytes.toString('utf8', 0, row.end - 1);
          const decoded = new RowCodec(HEADER).decode(parseLine(line), 0, 1);
          expect(factsOf(row), line).toEqual(wantedOf(decoded));
          expect(row.compareName(decoded.name), line).toBe(0);
        }
      }
    }
    expect(taken).toBeGreaterThan(500);
  });

  it('is not read beyond the end of what there is', () => {
    const good = Buffer.from(new RowCodec(HEADER).encode(plain));
    for (let length = 0; length < good.length; length += 1)
      expect(new UsualRow().read(good.subarray(0, length), 0), `${length}`).toBe(false);
  });
});
