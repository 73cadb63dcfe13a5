import { type ByteString, fromDisplay, toDisplay } from '../../platform/byte-path.ts';
import { ENTRY_TYPES, type Entry, type EntryType, type Stamp } from './entry.ts';
import { HASH_LENGTH } from './hash.ts';
import type { ManifestHeader } from './manifest-format.ts';
import { checkedNumber, damagedList } from './manifest-lines.ts';
import { padded } from './tar-header.ts';
import type { UsualRow } from './usual-row.ts';

/** Before version 5: a pax header with one record (the nanoseconds) and the header itself. */
const FORMER_HEADER_BYTES = 1536;

interface RowExtras {
  /** header offset */ o?: number;
  /** header length */ l?: number;
  /** link target */ k?: string;
  /** names of extended attributes */ x?: readonly string[];
  /** folder number */ d?: number;
  /** stored bytes, where they are not the size */ z?: number;
  /** first link's ordinal */ w?: number;
  /** has further links */ m?: 1;
  /** sparse */ s?: 1;
  /** changed while read */ c?: 1;
  /** major and minor */ v?: readonly [number, number];
  /** inode; text when a number cannot hold it */ i?: number | string;
  /** change time less modification time, in ns; text likewise */ t?: number | string;
  /** device, where it is not the resource's */ e?: string;
  /** index of the copy that holds the data */ r?: number;
  /** not read this time */ u?: 1;
  /** values of the extended attributes, base64 */ y?: readonly string[];
}

type Row = readonly [string, string, number, number, number, number, string, string, RowExtras?];

/** What a line is put together in. */
export interface LineBytes {
  add(text: string): void;
  addBytes(bytes: Buffer, from: number, end: number): void;
}

/** Encodes or decodes rows in order; offsets that follow from the row before are left out. */
export class RowCodec {
  /** Where the next member is, by the copy that holds it (-1: this one). */
  readonly #expected = new Map<number, number>();
  readonly #device: bigint;
  readonly #headerBytes: number;

  /** `device` (of the resource) and `headerBytes` as the manifest's header has them. */
  constructor(header: Pick<ManifestHeader, 'device' | 'headerBytes'>) {
    this.#device = BigInt(header.device ?? 0);
    this.#headerBytes = header.headerBytes ?? FORMER_HEADER_BYTES;
  }

  /** A new segment: nothing before it is known. */
  reset(): void {
    this.#expected.clear();
  }

  encode(entry: Omit<Entry, 'ordinal'>): string {
    if (!this.#isUsual(entry)) return this.#encodeAny(entry);
    const { name, sizeBytes, mode, uid, gid, mtimeNs, hash, stamp } = entry;
    let extras = '';
    if (entry.headerOffset !== this.#expected.get(entry.heldBy ?? -1)) extras = `"o":${entry.headerOffset},`;
    if (entry.headerLength !== this.#headerBytes) extras += `"l":${entry.headerLength},`;
    if (entry.heldBy !== null) extras += `"r":${entry.heldBy},`;
    const change = shortestText((stamp?.ctimeNs ?? 0n) - mtimeNs);
    extras += `"i":${shortestText(stamp?.inode ?? 0n)},"t":${change}`;
    this.#advance(entry);
    return `[${JSON.stringify(toDisplay(name))},"f",${sizeBytes},${mode},${uid},${gid},"${mtimeNs}","${hash}",{${extras}}]\n`;
  }

  /** A file as nearly all are: its line is put together without objects between, which take longer than the rest. */
  #isUsual(entry: Omit<Entry, 'ordinal'>): boolean {
    return (
      entry.type === 'f' &&
      entry.stamp !== null &&
      entry.stamp.device === this.#device &&
      entry.storedBytes === entry.sizeBytes &&
      entry.xattrNames.length === 0 &&
      entry.xattrValues === null &&
      entry.firstLink === null &&
      entry.headerOffset !== null &&
      !(entry.hasLinks || entry.sparse || entry.changed || entry.unread)
    );
  }

  #encodeAny(entry: Omit<Entry, 'ordinal'>): string {
    const extras: RowExtras = {};
    if (entry.headerOffset !== null) {
      if (entry.headerOffset !== this.#expected.get(entry.heldBy ?? -1)) extras.o = entry.headerOffset;
      if (entry.headerLength !== this.#headerBytes) extras.l = entry.headerLength;
    }
    if (entry.linkTarget !== '') extras.k = toDisplay(entry.linkTarget);
    if (entry.xattrNames.length > 0) extras.x = entry.xattrNames.map(toDisplay);
    if (entry.childFolderId !== null) extras.d = entry.childFolderId;
    if (entry.storedBytes !== defaultStored(entry)) extras.z = entry.storedBytes;
    if (entry.firstLink !== null) extras.w = entry.firstLink;
    if (entry.hasLinks) extras.m = 1;
    if (entry.sparse) extras.s = 1;
    if (entry.changed) extras.c = 1;
    if (entry.major !== 0 || entry.minor !== 0) extras.v = [entry.major, entry.minor];
    if (entry.heldBy !== null) extras.r = entry.heldBy;
    if (entry.unread) extras.u = 1;
    if (entry.xattrValues !== null) extras.y = entry.xattrValues.map((value) => value.toString('base64'));
    if (entry.stamp !== null) this.#encodeStamp(extras, entry.stamp, entry.mtimeNs);
    this.#advance(entry);
    const { name, type, sizeBytes, mode, uid, gid, mtimeNs, hash } = entry;
    const row = [toDisplay(name), type, sizeBytes, mode, uid, gid, mtimeNs.toString(), hash];
    return `${JSON.stringify(Object.keys(extras).length === 0 ? row : [...row, extras])}\n`;
  }

  decode(line: unknown, ordinal: number, folderId: number): Entry {
    const row = checkedRow(line);
    const extras = row[8] ?? {};
    const type = row[1] as EntryType;
    const isFolder = type === 'd';
    const heldBy = extras.r === undefined ? null : checkedNumber(extras.r);
    // A folder's header is where its block says, unless another copy holds it.
    const isPlaced = !isFolder || heldBy !== null;
    const headerOffset = isPlaced ? checkedNumber(extras.o ?? this.#expected.get(heldBy ?? -1)) : null;
    const mtimeNs = BigInt(row[6]);
    const base = { type, sizeBytes: row[2] };
    const entry: Entry = {
      ordinal,
      folderId,
      name: fromDisplay(row[0]),
      type,
      sizeBytes: row[2],
      mode: row[3],
      uid: row[4],
      gid: row[5],
      mtimeNs,
      hash: row[7],
      headerOffset,
      headerLength: !isPlaced ? 0 : checkedNumber(extras.l ?? this.#headerBytes),
      storedBytes: checkedNumber(extras.z ?? defaultStored(base)),
      linkTarget: extras.k === undefined ? '' : fromDisplay(String(extras.k)),
      xattrNames: Array.isArray(extras.x) ? extras.x.map((name) => fromDisplay(String(name))) : [],
      childFolderId: isFolder ? checkedNumber(extras.d) : null,
      firstLink: type === 'h' ? checkedNumber(extras.w) : null,
      hasLinks: extras.m === 1,
      sparse: extras.s === 1,
      changed: extras.c === 1,
      major: checkedNumber(extras.v?.[0] ?? 0),
      minor: checkedNumber(extras.v?.[1] ?? 0),
      stamp: this.#decodeStamp(extras, mtimeNs),
      heldBy,
      unread: extras.u === 1,
      xattrValues: decodedValues(extras),
    };
    this.#advance(entry);
    return entry;
  }

  /** Where the headers of such a row are, which stands next in the order. False when that cannot be told. */
  place(row: UsualRow): boolean {
    row.headerLength = row.saidLength < 0 ? this.#headerBytes : row.saidLength;
    row.headerOffset = row.saidOffset < 0 ? (this.#expected.get(row.saidHolder) ?? -1) : row.saidOffset;
    return row.headerOffset >= 0;
  }

  /** What `decode` answers for such a row, which has been placed and is still to be passed. */
  entryOf(row: UsualRow, ordinal: number, folderId: number): Entry {
    const { sizeBytes, mode, uid, gid, headerOffset, headerLength, inode } = row;
    return {
      ordinal,
      folderId,
      name: row.name,
      type: 'f',
      sizeBytes,
      mode,
      uid,
      gid,
      mtimeNs: nanoseconds(row.mtimeSeconds, row.mtimeRestNs),
      hash: row.hash,
      headerOffset,
      headerLength,
      storedBytes: sizeBytes,
      linkTarget: '',
      xattrNames: NO_NAMES,
      childFolderId: null,
      firstLink: null,
      hasLinks: false,
      sparse: false,
      changed: false,
      major: 0,
      minor: 0,
      stamp: {
        device: this.#device,
        inode: BigInt(inode),
        ctimeNs: nanoseconds(row.ctimeSeconds, row.ctimeRestNs),
      },
      heldBy: row.saidHolder < 0 ? null : row.saidHolder,
      unread: false,
      xattrValues: null,
    };
  }

  /** The row was passed as it is. */
  pass(row: UsualRow): void {
    this.#expectBehind(row.saidHolder, row.headerOffset + row.headerLength, row.sizeBytes);
  }

  /** The same row with another place: all but what belongs to one copy only is taken as it stands. */
  copy(
    row: UsualRow,
    { headerOffset, heldBy }: Pick<Entry, 'heldBy'> & { headerOffset: number },
    to: LineBytes,
  ): void {
    const holder = heldBy ?? -1;
    const isOffsetSaid = headerOffset !== this.#expected.get(holder);
    const isLengthSaid = row.headerLength !== this.#headerBytes;
    const isAsBefore =
      row.saidHolder === holder &&
      row.saidOffset === (isOffsetSaid ? headerOffset : -1) &&
      row.saidLength >= 0 === isLengthSaid;
    if (isAsBefore) to.addBytes(row.bytes, row.start, row.end);
    else {
      to.addBytes(row.bytes, row.start, row.extrasAt);
      const offset = isOffsetSaid ? `"o":${headerOffset},` : '';
      const length = isLengthSaid ? `"l":${row.headerLength},` : '';
      const held = heldBy === null ? '' : `"r":${heldBy},`;
      to.add(`${offset}${length}${held}`);
      to.addBytes(row.bytes, row.stampAt, row.end);
    }
    this.#expectBehind(holder, headerOffset + row.headerLength, row.sizeBytes);
  }

  #advance(entry: Pick<Entry, 'headerOffset' | 'headerLength' | 'storedBytes' | 'heldBy'>): void {
    if (entry.headerOffset === null) return;
    this.#expectBehind(entry.heldBy ?? -1, entry.headerOffset + entry.headerLength, entry.storedBytes);
  }

  /** Where the next member of this holder is, when it stands right behind this one. */
  #expectBehind(holder: number, dataAt: number, storedBytes: number): void {
    this.#expected.set(holder, dataAt + padded(storedBytes));
  }

  #encodeStamp(extras: RowExtras, stamp: Stamp, mtimeNs: bigint): void {
    extras.i = shortest(stamp.inode);
    extras.t = shortest(stamp.ctimeNs - mtimeNs);
    if (stamp.device !== this.#device) extras.e = stamp.device.toString();
  }

  #decodeStamp(extras: RowExtras, mtimeNs: bigint): Stamp | null {
    if (extras.i === undefined || extras.t === undefined) return null;
    const device = extras.e === undefined ? this.#device : checkedBig(extras.e);
    return { device, inode: checkedBig(extras.i), ctimeNs: mtimeNs + checkedBig(extras.t) };
  }
}

const NO_NAMES: readonly ByteString[] = [];
const NS_PER_SECOND = 1_000_000_000n;

function nanoseconds(seconds: number, rest: number): bigint {
  return BigInt(seconds) * NS_PER_SECOND + BigInt(rest);
}

/** A number where it is exact. */
function shortest(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/** The same as JSON. */
function shortestText(value: bigint): string {
  return Number.isSafeInteger(Number(value)) ? value.toString() : `"${value}"`;
}

function checkedBig(value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value !== 'string' || !/^-?\d{1,20}$/.test(value)) throw damagedList();
  return BigInt(value);
}

function decodedValues(extras: RowExtras): readonly Buffer[] | null {
  if (extras.y === undefined) return null;
  if (!Array.isArray(extras.y) || extras.y.length !== (extras.x ?? []).length) throw damagedList();
  return extras.y.map((value) => Buffer.from(String(value), 'base64'));
}

function checkedRow(line: unknown): Row {
  if (!Array.isArray(line) || line.length < 8) throw damagedList();
  const [name, type, size, mode, uid, gid, mtime, hash, extras] = line as readonly unknown[];
  if (typeof name !== 'string' || !ENTRY_TYPES.has(String(type)) || typeof hash !== 'string')
    throw damagedList();
  if (typeof mtime !== 'string' || !/^-?\d{1,20}$/.test(mtime)) throw damagedList();
  if (hash !== '' && hash.length !== HASH_LENGTH) throw damagedList();
  if (extras !== undefined && (extras === null || typeof extras !== 'object')) throw damagedList();
  for (const value of [size, mode, uid, gid]) checkedNumber(value);
  return line as unknown as Row;
}

function defaultStored(entry: { readonly type: EntryType; readonly sizeBytes: number }): number {
  return entry.type === 'f' ? entry.sizeBytes : 0;
}
