import { checkedNumber, damagedList } from './manifest-lines.ts';

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
  if (!Array.isArray(line) || line.length !== 8) throw damagedList();
  const [kind, first, count, offset, length, rawLength, hash, base] = line as readonly unknown[];
  if (!['rows', 'folders', 'frames', 'skipped'].includes(String(kind)) || typeof hash !== 'string')
    throw damagedList();
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
  if (bytes.length !== TRAILER_BYTES || bytes.readUInt32LE(0) !== TRAILER_MAGIC) throw damagedList();
  if (bytes.toString('latin1', 8, 16) !== TRAILER_MARK) throw damagedList();
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
