import { crc32 } from 'node:zlib';
import { copyBytes } from '../../platform/copy-bytes.ts';
import { roundUp } from './geometry.ts';

/** How the bytes of a block are kept. Where one stands in the list is its number on the device: never reorder. */
export type BlockEncoding = 'raw' | 'zstd' | 'lz4' | 'sealed';
export const BLOCK_ENCODINGS: readonly BlockEncoding[] = ['raw', 'zstd', 'lz4', 'sealed'];

/** A sealed block may be longer than its content, by so much at most. */
const SEAL_ROOM_BYTES = 64;

export function mostStoredBytes(blockBytes: number): number {
  return blockBytes + SEAL_ROOM_BYTES;
}

/**
 * One block on the device: 32 bytes of header, the hash, the stored bytes, zeros up to the next multiple of 8. The check sum
 * begins with that of the store's uuid, so that records of an earlier store on the same device are not taken for own ones.
 */
export interface RecordFacts {
  /** Of the segment it was written into: tells it from what an earlier use of the segment left. */
  readonly sequence: number;
  readonly encoding: BlockEncoding;
  readonly rawBytes: number;
  readonly storedBytes: number;
}

export const RECORD_HEADER_BYTES = 32;
/** The first four bytes of every record. */
export const RECORD_MAGIC = Buffer.from('SBlk', 'latin1');
const MAGIC = RECORD_MAGIC.readUInt32LE(0);
const ALIGNMENT = 8;
const CRC_AT = 28;

export function recordBytes(hashBytes: number, storedBytes: number): number {
  return roundUp(RECORD_HEADER_BYTES + hashBytes + storedBytes, ALIGNMENT);
}

/** Writes a whole record at `at` and gives its length. `into` must have the room. */
export function writeRecord(
  into: Buffer,
  at: number,
  seed: number,
  facts: RecordFacts,
  hash: Buffer,
  stored: Buffer,
): number {
  const length = recordBytes(hash.length, facts.storedBytes);
  into.writeUInt32LE(MAGIC, at);
  into[at + 4] = BLOCK_ENCODINGS.indexOf(facts.encoding);
  into[at + 5] = hash.length;
  into.writeUInt16LE(0, at + 6);
  into.writeUInt32LE(facts.rawBytes, at + 8);
  into.writeUInt32LE(facts.storedBytes, at + 12);
  writeSequence(into, facts.sequence, at + 16);
  into.writeUInt32LE(0, at + 24);
  hash.copy(into, at + RECORD_HEADER_BYTES);
  const end = at + RECORD_HEADER_BYTES + hash.length + facts.storedBytes;
  copyBytes(stored, into, at + RECORD_HEADER_BYTES + hash.length);
  into.fill(0, end, at + length);
  into.writeUInt32LE(recordSum(into, at, end, seed), at + CRC_AT);
  return length;
}

/** Null when no header of a record can be at `at`; says nothing about the bytes behind it. */
export function readRecordHeader(from: Buffer, at: number, hashBytes: number): RecordFacts | null {
  if (at + RECORD_HEADER_BYTES + hashBytes > from.length) return null;
  if (from.readUInt32LE(at) !== MAGIC || from[at + 5] !== hashBytes) return null;
  const encoding = BLOCK_ENCODINGS[from[at + 4] ?? -1];
  if (encoding === undefined) return null;
  return {
    sequence: readSequence(from, at + 16),
    encoding,
    rawBytes: from.readUInt32LE(at + 8),
    storedBytes: from.readUInt32LE(at + 12),
  };
}

/** Whether the record at `at`, whose header was read as `facts`, is whole. */
export function isWholeRecord(
  from: Buffer,
  at: number,
  facts: RecordFacts,
  hashBytes: number,
  seed: number,
): boolean {
  const end = at + RECORD_HEADER_BYTES + hashBytes + facts.storedBytes;
  return end <= from.length && from.readUInt32LE(at + CRC_AT) === recordSum(from, at, end, seed);
}

function recordSum(from: Buffer, at: number, end: number, seed: number): number {
  return crc32(from.subarray(at + RECORD_HEADER_BYTES, end), crc32(from.subarray(at, at + CRC_AT), seed));
}

/** Sequence numbers stay below 2^48: at one segment of 1 MiB every microsecond, eight years; in practice for ever. */
export function writeSequence(into: Buffer, sequence: number, at: number): void {
  into.writeUIntLE(sequence, at, 6);
  into.writeUInt16LE(0, at + 6);
}

export function readSequence(from: Buffer, at: number): number {
  return from.readUIntLE(at, 6);
}
