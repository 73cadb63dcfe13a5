import { type ByteString, fromDisplay, toDisplay } from '../../platform/byte-path.ts';
import { DeviceError } from '../device-error.ts';
import { ENTRY_TYPES, type Entry, type EntryType, type Stamp } from './entry.ts';
import { HASH_LENGTH } from './hash.ts';
import { padded } from './tar-header.ts';
import type { UsualRow } from './usual-row.ts';

/**
 * The manifest's text: one JSON value a line, in segments that are compressed each for itself. A segment of rows
 * begins with the line of the block (folder) it is in, so each can be read alone. docs/archive-format.md has the
 * whole format.
 */
export const MANIFEST_NAME = 'manifest.ndjson.zst';
export const FORMAT_NAME = 'strongroom-copy';
/** Says the usual length of a member's headers (`headerBytes`). Older: version 4 has blocks that are sealed, version 3 others; copies without them are of version 2. Version 1 has no stamps and no chains. */
export const HEADER_BYTES_VERSION = 5;
export const SEALED_BLOCKS_VERSION = 4;
export const BLOCKS_VERSION = 3;
export const FORMAT_VERSION = 2;
export const OLDEST_VERSION = 1;
export const ROWS_PER_SEGMENT = 2048;
export const SEGMENT_TEXT_BYTES = 524_288;
/** One header and nothing before it. */
export const USUAL_HEADER_BYTES = 512;
/** Before version 5: a pax header with one record (the nanoseconds) and the header itself. */
const FORMER_HEADER_BYTES = 1536;

/** One folder's children begin: its own number, its parent's, its name, and where its header is in the tar stream. */
export interface BlockLine {
  readonly folderId: number;
  readonly parentId: number;
  readonly name: ByteString;
  readonly headerOffset: number;
  readonly headerLength: number;
  /** The block began in an earlier segment. */
  readonly continued: boolean;
}

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
  if (typeof value !== 'string' || !/^-?\d{1,20}$/.test(value)) throw damaged();
  return BigInt(value);
}

function decodedValues(extras: RowExtras): readonly Buffer[] | null {
  if (extras.y === undefined) return null;
  if (!Array.isArray(extras.y) || extras.y.length !== (extras.x ?? []).length) throw damaged();
  return extras.y.map((value) => Buffer.from(String(value), 'base64'));
}

export function encodeBlock(block: BlockLine): string {
  const { folderId, parentId, name, headerOffset, headerLength, continued } = block;
  return `${JSON.stringify({ b: [folderId, parentId, toDisplay(name), headerOffset, headerLength, continued ? 1 : 0] })}\n`;
}

/** Null when the line is a row. */
export function decodeBlock(line: unknown): BlockLine | null {
  if (line === null || typeof line !== 'object' || !('b' in line)) return null;
  const parts = line.b;
  if (!Array.isArray(parts) || parts.length !== 6) throw damaged();
  return {
    folderId: checkedNumber(parts[0]),
    parentId: checkedNumber(parts[1]),
    name: fromDisplay(String(parts[2])),
    headerOffset: checkedNumber(parts[3]),
    headerLength: checkedNumber(parts[4]),
    continued: parts[5] === 1,
  };
}

export function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DeviceError('corrupt', 'The file list of this copy is damaged.', { cause: error });
  }
}

export function parseLines(text: string): readonly unknown[] {
  return parseLine(`[${text.trimEnd().replaceAll('\n', ',')}]`) as readonly unknown[];
}

export function checkedNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw damaged();
  return value;
}

/** A name that could leave its folder is damage or an attack, never a file. */
function checkedRow(line: unknown): Row {
  if (!Array.isArray(line) || line.length < 8) throw damaged();
  const [name, type, size, mode, uid, gid, mtime, hash, extras] = line as readonly unknown[];
  if (typeof name !== 'string' || !ENTRY_TYPES.has(String(type)) || typeof hash !== 'string') throw damaged();
  if (typeof mtime !== 'string' || !/^-?\d{1,20}$/.test(mtime)) throw damaged();
  if (hash !== '' && hash.length !== HASH_LENGTH) throw damaged();
  if (extras !== undefined && (extras === null || typeof extras !== 'object')) throw damaged();
  for (const value of [size, mode, uid, gid]) checkedNumber(value);
  return line as unknown as Row;
}

export function isSafeName(name: ByteString): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');
}

function defaultStored(entry: { readonly type: EntryType; readonly sizeBytes: number }): number {
  return entry.type === 'f' ? entry.sizeBytes : 0;
}

function damaged(): DeviceError {
  return new DeviceError('corrupt', 'The file list of this copy is damaged.');
}

export type SegmentKind = 'rows' | 'folders' | 'frames' | 'skipped';

/** Where a segment lies in the manifest file. */
export interface SegmentInfo {
  readonly kind: SegmentKind;
  /** rows: first ordinal; folders: first folder number; frames: first frame; skipped: first item. */
  readonly first: number;
  readonly count: number;
  readonly offset: number;
  readonly length: number;
  readonly rawLength: number;
  readonly hash: string;
  /** frames: offset of the first one in the archive, in copies with blocks that in the tar stream; else 0. */
  readonly base: number;
}

export function encodeSegmentInfo(info: SegmentInfo): string {
  const { kind, first, count, offset, length, rawLength, hash, base } = info;
  return `${JSON.stringify([kind, first, count, offset, length, rawLength, hash, base])}\n`;
}

export function decodeSegmentInfo(line: unknown): SegmentInfo {
  if (!Array.isArray(line) || line.length !== 8) throw damaged();
  const [kind, first, count, offset, length, rawLength, hash, base] = line as readonly unknown[];
  if (!['rows', 'folders', 'frames', 'skipped'].includes(String(kind)) || typeof hash !== 'string')
    throw damaged();
  return {
    kind: kind as SegmentKind,
    first: checkedNumber(first),
    count: checkedNumber(count),
    offset: checkedNumber(offset),
    length: checkedNumber(length),
    rawLength: checkedNumber(rawLength),
    hash,
    base: checkedNumber(base),
  };
}

/** The last bytes of the manifest: a zstd skippable frame, so that `zstd -dc` prints the lines and nothing else. */
export const TRAILER_BYTES = 96;
const TRAILER_MAGIC = 0x184d2a50;
const TRAILER_MARK = 'SRMANIF1';

export interface Trailer {
  readonly indexOffset: number;
  readonly indexLength: number;
  readonly indexRawLength: number;
  readonly indexHash: Buffer;
  /** BLAKE3 of all bytes of the file before these last 32. */
  readonly wholeHash: Buffer;
}

/** All but the hash of the whole, which is made over these bytes too. */
export function encodeTrailerHead(trailer: Omit<Trailer, 'wholeHash'>): Buffer {
  const bytes = Buffer.alloc(TRAILER_BYTES - 32);
  bytes.writeUInt32LE(TRAILER_MAGIC, 0);
  bytes.writeUInt32LE(TRAILER_BYTES - 8, 4);
  bytes.write(TRAILER_MARK, 8, 'latin1');
  bytes.writeBigUInt64LE(BigInt(trailer.indexOffset), 16);
  bytes.writeUInt32LE(trailer.indexLength, 24);
  bytes.writeUInt32LE(trailer.indexRawLength, 28);
  trailer.indexHash.copy(bytes, 32, 0, 32);
  return bytes;
}

export function decodeTrailer(bytes: Buffer): Trailer {
  if (bytes.length !== TRAILER_BYTES || bytes.readUInt32LE(0) !== TRAILER_MAGIC) throw damaged();
  if (bytes.toString('latin1', 8, 16) !== TRAILER_MARK) throw damaged();
  return {
    indexOffset: Number(bytes.readBigUInt64LE(16)),
    indexLength: bytes.readUInt32LE(24),
    indexRawLength: bytes.readUInt32LE(28),
    indexHash: Buffer.from(bytes.subarray(32, 64)),
    wholeHash: Buffer.from(bytes.subarray(64, 96)),
  };
}

/** First line of the index. */
export interface ManifestHeader {
  readonly format: typeof FORMAT_NAME;
  readonly version: number;
  readonly compression: string;
  readonly frameBytes: number;
  readonly tarBytes: number;
  readonly archiveBytes: number;
  readonly frames: number;
  /** Display form of the absolute path that was backed up. */
  readonly source: string;
  readonly createdAtMs: number;
  readonly totals: import('./entry.ts').CopyTotals;
  /** Names for the numbers that occur (display form); empty with `numericOwner`. */
  readonly users: Readonly<Record<string, string>>;
  readonly groups: Readonly<Record<string, string>>;
  /** Device number of the resource; missing in version 1. */
  readonly device?: string;
  /** Bytes of the headers of a member where its row does not say; missing before version 5. */
  readonly headerBytes?: number;
  /** Missing when the frames lie in the copy's own archive. */
  readonly blocks?: BlockFacts;
  /** The members stand in the tar stream as they arrived, not in the order of the rows; missing for all other copies. */
  readonly order?: 'arrival';
  /** The copies that this one builds on, oldest first; missing or empty for a full copy. */
  readonly chain?: readonly ChainMember[];
}

/** Where the frames of a copy are that lie as blocks in a store. */
export interface BlockFacts {
  /** The uuid of the store, 32 hexadecimal digits. */
  readonly store: string;
  readonly algorithm: string;
  readonly hashBytes: number;
}

export interface ChainMember {
  /** Name of the copy's folder; where it lies is not recorded, since a storage may be moved. */
  readonly copyId: string;
}
