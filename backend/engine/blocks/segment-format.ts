import { crc32 } from 'node:zlib';
import { PAGE_BYTES } from './geometry.ts';
import { BLOCK_ENCODINGS, type BlockEncoding, readSequence, writeSequence } from './record.ts';

/** The first page of a segment. A page that is neither is a segment that was never used, or a torn header: free. */
export type SegmentState = 'used' | 'free';

export interface SegmentHeader {
  readonly state: SegmentState;
  readonly sequence: number;
}

/** What the footer keeps of a record. `offset` counts from the start of the segment. */
export interface SegmentEntry {
  readonly offset: number;
  readonly storedBytes: number;
  readonly rawBytes: number;
  readonly encoding: BlockEncoding;
}

const HEADER_MAGIC = 0x67655342;
const FOOTER_MAGIC = 0x746f5342;
const HEADER_USED_BYTES = 32;
/** Bytes of an entry besides its hash: offset 4, stored length 4, raw length 3, encoding 1. */
const ENTRY_FACTS_BYTES = 12;
/** At the very end of the segment: magic 4, check sum 4, sequence 8, count 4, zero 4. */
export const TRAILER_BYTES = 24;

export function encodeSegmentHeader(header: SegmentHeader, seed: number): Buffer {
  const page = Buffer.alloc(PAGE_BYTES);
  page.writeUInt32LE(HEADER_MAGIC, 0);
  page.writeUInt32LE(header.state === 'used' ? 1 : 0, 4);
  writeSequence(page, header.sequence, 8);
  page.writeUInt32LE(crc32(page.subarray(0, HEADER_USED_BYTES), seed), HEADER_USED_BYTES);
  return page;
}

/** Null when the page is no header of this store. */
export function decodeSegmentHeader(page: Buffer, seed: number): SegmentHeader | null {
  if (page.readUInt32LE(0) !== HEADER_MAGIC) return null;
  if (page.readUInt32LE(HEADER_USED_BYTES) !== crc32(page.subarray(0, HEADER_USED_BYTES), seed)) return null;
  return { state: page.readUInt32LE(4) === 1 ? 'used' : 'free', sequence: readSequence(page, 8) };
}

/** Whether a page that is no header may have been one: most of its first bytes still say so. */
export function isLikeSegmentHeader(page: Buffer): boolean {
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(HEADER_MAGIC);
  return magic.filter((byte, index) => page[index] === byte).length >= 3;
}

export function entryBytes(hashBytes: number): number {
  return ENTRY_FACTS_BYTES + hashBytes;
}

/** Bytes that the footer of `count` records takes from the end of its segment. */
export function footerBytes(hashBytes: number, count: number): number {
  return TRAILER_BYTES + count * entryBytes(hashBytes);
}

export function writeEntry(into: Buffer, at: number, hash: Buffer, entry: SegmentEntry): void {
  into.writeUInt32LE(entry.offset, at);
  into.writeUInt32LE(entry.storedBytes, at + 4);
  into.writeUIntLE(entry.rawBytes, at + 8, 3);
  into[at + 11] = BLOCK_ENCODINGS.indexOf(entry.encoding);
  hash.copy(into, at + ENTRY_FACTS_BYTES);
}

export function readEntry(from: Buffer, at: number): SegmentEntry {
  return {
    offset: from.readUInt32LE(at),
    storedBytes: from.readUInt32LE(at + 4),
    rawBytes: from.readUIntLE(at + 8, 3),
    encoding: BLOCK_ENCODINGS[from[at + 11] ?? 0] ?? 'raw',
  };
}

/** Where the hash lies in an entry. */
export const ENTRY_HASH_AT = ENTRY_FACTS_BYTES;

/** `entries` are all entries one behind the other; the footer is them and the trailer. */
export function encodeFooter(entries: Buffer, count: number, sequence: number, seed: number): Buffer {
  const footer = Buffer.alloc(entries.length + TRAILER_BYTES);
  entries.copy(footer, 0);
  const trailer = footer.subarray(entries.length);
  trailer.writeUInt32LE(FOOTER_MAGIC, 0);
  writeSequence(trailer, sequence, 8);
  trailer.writeUInt32LE(count, 16);
  trailer.writeUInt32LE(crc32(entries, crc32(trailer.subarray(8), seed)), 4);
  return footer;
}

/** The sum in the trailer of a whole footer. */
export function footerSum(footer: Buffer): number {
  return footer.readUInt32LE(footer.length - TRAILER_BYTES + 4);
}

/** The end of a footer. The sum is that of all entries, so two footers with the same sum are the same. */
export interface Trailer {
  readonly count: number;
  readonly sum: number;
}

/** Null when it is no trailer of that use of the segment. */
export function readTrailer(trailer: Buffer, sequence: number): Trailer | null {
  if (trailer.readUInt32LE(0) !== FOOTER_MAGIC || readSequence(trailer, 8) !== sequence) return null;
  return { count: trailer.readUInt32LE(16), sum: trailer.readUInt32LE(4) };
}

/** Which use of the segment a trailer belongs to; null when it is no trailer at all. */
export function readTrailerSequence(trailer: Buffer): number | null {
  return trailer.readUInt32LE(0) === FOOTER_MAGIC ? readSequence(trailer, 8) : null;
}

export function isWholeFooter(entries: Buffer, trailer: Buffer, seed: number): boolean {
  return trailer.readUInt32LE(4) === crc32(entries, crc32(trailer.subarray(8), seed));
}
