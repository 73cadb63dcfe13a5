import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** A record of a block store as it lies on the device. */
export interface LaidRecord {
  /** Base64. */
  readonly hash: string;
  readonly segment: number;
  readonly sequence: number;
  /** On the device, of the record's first byte. */
  readonly position: number;
  /** With its header, its hash and the zeros at its end. */
  readonly length: number;
  readonly storedBytes: number;
  readonly encoding: number;
}

export interface LaidSegment {
  readonly number: number;
  readonly position: number;
  readonly sequence: number;
  /** On the device, of the footer that ends with the segment; null when there is none. */
  readonly footerPosition: number | null;
}

export interface BlockLayout {
  readonly deviceBytes: number;
  readonly hashBytes: number;
  readonly blockBytes: number;
  readonly segmentBytes: number;
  readonly dataStart: number;
  readonly segmentCount: number;
  /** Those in use. */
  readonly segments: readonly LaidSegment[];
  readonly records: readonly LaidRecord[];
}

const page = 4096;
const recordHeader = 32;

/** Reads a store from the words of docs/block-device-format.md alone, without the code that it proves. */
export function readBlockLayout(path: string): BlockLayout {
  const fd = openSync(path, 'r');
  try {
    return layoutOf(fd);
  } finally {
    closeSync(fd);
  }
}

function layoutOf(fd: number): BlockLayout {
  const deviceBytes = fstatSync(fd).size;
  const last = (Math.floor(deviceBytes / page) - 1) * page;
  const [superblock] = [0, last]
    .map((position) => read(fd, position, page))
    .filter((bytes) => bytes.toString('latin1', 0, 8) === 'SRBLOCKS')
    .filter((bytes) => bytes.readUInt32LE(112) === crc32(bytes.subarray(0, 112)))
    .toSorted((one, other) => Number(other.readBigUInt64LE(32) - one.readBigUInt64LE(32)));
  if (superblock === undefined) throw new Error(`there is no block store on the device`);
  const seed = crc32(superblock.subarray(16, 32));
  const facts = {
    deviceBytes,
    hashBytes: superblock.readUInt32LE(44),
    blockBytes: superblock.readUInt32LE(48),
    dataStart: Number(superblock.readBigUInt64LE(64)),
    segmentBytes: Number(superblock.readBigUInt64LE(72)),
    segmentCount: superblock.readUInt32LE(80),
  };
  const segments: LaidSegment[] = [];
  const records: LaidRecord[] = [];
  for (let number = 0; number < facts.segmentCount; number += 1) {
    const position = facts.dataStart + number * facts.segmentBytes;
    const header = read(fd, position, page);
    const told = sequenceIn(header, seed);
    if (told === 'free') continue;
    const bytes = read(fd, position, facts.segmentBytes);
    const all = [...recordsOf(bytes, facts.hashBytes, seed)];
    // A damaged header: what lies behind it tells.
    const sequence = told ?? Math.max(0, ...all.map((record) => record.sequence));
    if (sequence === 0) continue;
    segments.push({
      number,
      position,
      sequence,
      footerPosition: footerOf(bytes, position, sequence, facts.hashBytes),
    });
    for (const record of all.filter((each) => each.sequence === sequence)) {
      records.push({ ...record, segment: number, position: position + record.position });
    }
  }
  return { ...facts, segments, records };
}

/** Null when it is no header. */
function sequenceIn(header: Buffer, seed: number): number | 'free' | null {
  if (header.toString('latin1', 0, 4) !== 'BSeg') return null;
  if (header.readUInt32LE(32) !== crc32(header.subarray(0, 32), seed)) return null;
  return header.readUInt32LE(4) === 1 ? Number(header.readBigUInt64LE(8)) : 'free';
}

function footerOf(bytes: Buffer, position: number, sequence: number, hashBytes: number): number | null {
  const trailer = bytes.subarray(-24);
  if (trailer.toString('latin1', 0, 4) !== 'BSot' || Number(trailer.readBigUInt64LE(8)) !== sequence)
    return null;
  const length = 24 + trailer.readUInt32LE(16) * (12 + hashBytes);
  return length > bytes.length ? null : position + bytes.length - length;
}

type Found = Omit<LaidRecord, 'segment'>;

function* recordsOf(bytes: Buffer, hashBytes: number, seed: number): Generator<Found> {
  for (let at = bytes.indexOf('SBlk', page, 'latin1'); at >= 0; at = bytes.indexOf('SBlk', at, 'latin1')) {
    const found = at % 8 === 0 ? recordAt(bytes, at, hashBytes, seed) : null;
    if (found !== null) yield found;
    at += found?.length ?? 1;
  }
}

function recordAt(bytes: Buffer, at: number, hashBytes: number, seed: number): Found | null {
  if (at + recordHeader + hashBytes > bytes.length || bytes[at + 5] !== hashBytes) return null;
  const storedBytes = bytes.readUInt32LE(at + 12);
  const end = at + recordHeader + hashBytes + storedBytes;
  if (end > bytes.length) return null;
  const sum = crc32(bytes.subarray(at + recordHeader, end), crc32(bytes.subarray(at, at + 28), seed));
  if (sum !== bytes.readUInt32LE(at + 28)) return null;
  return {
    sequence: Number(bytes.readBigUInt64LE(at + 16)),
    hash: bytes.toString('base64', at + recordHeader, at + recordHeader + hashBytes),
    position: at,
    length: Math.ceil((end - at) / 8) * 8,
    storedBytes,
    encoding: bytes[at + 4] ?? -1,
  };
}

/** The record of each block that counts: of two, that in the segment used later, then the later one. */
export function countingRecords(layout: BlockLayout): ReadonlyMap<string, LaidRecord> {
  const inOrder = layout.records.toSorted(
    (one, other) => one.sequence - other.sequence || one.position - other.position,
  );
  return new Map(inOrder.map((record) => [record.hash, record]));
}

function read(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const count = readSync(fd, bytes, done, length - done, position + done);
    if (count === 0) throw new Error(`the device ends at ${position + done}`);
    done += count;
  }
  return bytes;
}
