import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writeAllSync } from '../../platform/files.ts';
import { errorCode } from '../../platform/native.ts';
import { toDeviceError } from '../device-error.ts';
import type { HashIndex } from './hash-index.ts';
import { replaceFile } from './replace-file.ts';
import type { SegmentTable } from './segment-table.ts';
import type { Superblock } from './superblock.ts';

/**
 * The index as it was at some moment, so that opening need not read all footers: sections of length, check sum and bytes. The
 * first names the store and the opening that it was closed after, the second tells each segment's sequence number, count and footer at that moment, the others hold 9 bytes
 * a block, an empty one ends it. It is a help only: whatever is wrong with it, the index is made anew from the device.
 */
const MAGIC = Buffer.from('SRBINDX2', 'latin1');
/** Of earlier versions: it does not tell the opening. */
const OLD_MAGIC = Buffer.from('SRBINDX1', 'latin1');
const GENERATION_BYTES = 6;
const SEGMENT_BYTES = 14;
const ENTRY_BYTES = 9;
const ENTRIES_PER_SECTION = 65_536;
const SECTION_HEAD_BYTES = 8;

/** Only for a store that is closed then: nothing may be written to it any more in this generation. */
export function saveIndexFile(
  path: string,
  { uuid, generation }: Pick<Superblock, 'uuid' | 'generation'>,
  table: SegmentTable,
  index: HashIndex,
): void {
  const opening = Buffer.alloc(GENERATION_BYTES);
  opening.writeUIntLE(generation, 0, GENERATION_BYTES);
  replaceFile(path, (fd) => {
    writeSection(fd, Buffer.concat([MAGIC, uuid, opening]));
    writeSection(fd, encodeTable(table));
    writeEntries(fd, index);
    writeSection(fd, Buffer.alloc(0));
  });
}

function encodeTable(table: SegmentTable): Buffer {
  const bytes = Buffer.alloc(table.size * SEGMENT_BYTES);
  for (let segment = 0; segment < table.size; segment += 1) {
    const sequence = table.isUsed(segment) ? table.sequence(segment) : 0;
    bytes.writeUIntLE(sequence, segment * SEGMENT_BYTES, 6);
    bytes.writeUInt32LE(table.count(segment), segment * SEGMENT_BYTES + 6);
    bytes.writeUInt32LE(table.footerSum(segment), segment * SEGMENT_BYTES + 10);
  }
  return bytes;
}

function writeEntries(fd: number, index: HashIndex): void {
  const section = Buffer.alloc(ENTRIES_PER_SECTION * ENTRY_BYTES);
  let used = 0;
  index.forEach((tag, key, place) => {
    section[used] = tag;
    section.writeUInt32LE(key, used + 1);
    section.writeUInt32LE(place, used + 5);
    used += ENTRY_BYTES;
    if (used < section.length) return;
    writeSection(fd, section);
    used = 0;
  });
  if (used > 0) writeSection(fd, section.subarray(0, used));
}

function writeSection(fd: number, bytes: Buffer): void {
  const head = Buffer.alloc(SECTION_HEAD_BYTES);
  head.writeUInt32LE(bytes.length, 0);
  head.writeUInt32LE(crc32(bytes), 4);
  writeAllSync(fd, head);
  writeAllSync(fd, bytes);
}

/** What the saved index knew of a segment. */
export interface SavedSegment {
  readonly sequence: number;
  readonly count: number;
  readonly footerSum: number;
}

export interface SavedIndex {
  /** How many entries it has at most: what comes to be loaded. */
  readonly mostEntries: number;
  /** Of the opening after which the store was closed; null when that is not told. */
  readonly generation: number | null;
  /** Sequence 0 = not used then. */
  readonly segment: (segment: number) => SavedSegment;
  /** Hands every entry over; false when the file turns out to be damaged, and then what was handed over is void. */
  readonly load: (visit: (tag: number, key: number, place: number) => void) => boolean;
  readonly close: () => void;
}

/** Null when there is no such file, or it is damaged, or it belongs to another store. */
export function openIndexFile(path: string, uuid: Buffer, segmentCount: number): SavedIndex | null {
  const fd = openIfThere(path);
  if (fd === null) return null;
  const first = readSection(fd);
  const table = readSection(fd);
  const head = first === null ? null : headOf(first, uuid);
  if (head === null || table?.length !== segmentCount * SEGMENT_BYTES) {
    closeSync(fd);
    return null;
  }
  return {
    ...head,
    mostEntries: Math.floor(fstatSync(fd).size / ENTRY_BYTES),
    segment: (segment) => ({
      sequence: table.readUIntLE(segment * SEGMENT_BYTES, 6),
      count: table.readUInt32LE(segment * SEGMENT_BYTES + 6),
      footerSum: table.readUInt32LE(segment * SEGMENT_BYTES + 10),
    }),
    load: (visit) => {
      for (;;) {
        const section = readSection(fd);
        if (section === null || section.length % ENTRY_BYTES !== 0) return false;
        if (section.length === 0) return true;
        for (let at = 0; at < section.length; at += ENTRY_BYTES) {
          visit(section[at] ?? 0, section.readUInt32LE(at + 1), section.readUInt32LE(at + 5));
        }
      }
    },
    close: () => closeSync(fd),
  };
}

function headOf(section: Buffer, uuid: Buffer): Pick<SavedIndex, 'generation'> | null {
  if (section.equals(Buffer.concat([OLD_MAGIC, uuid]))) return { generation: null };
  const name = Buffer.concat([MAGIC, uuid]);
  const isRight =
    section.length === name.length + GENERATION_BYTES && section.subarray(0, name.length).equals(name);
  return isRight ? { generation: section.readUIntLE(name.length, GENERATION_BYTES) } : null;
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw toDeviceError(error, path);
  }
}

const LONGEST_SECTION = 67_108_864;

/** Null when it is damaged or cut off. */
function readSection(fd: number): Buffer | null {
  const head = Buffer.alloc(SECTION_HEAD_BYTES);
  if (!readOn(fd, head)) return null;
  const length = head.readUInt32LE(0);
  if (length > LONGEST_SECTION) return null;
  const bytes = Buffer.alloc(length);
  return readOn(fd, bytes) && crc32(bytes) === head.readUInt32LE(4) ? bytes : null;
}

function readOn(fd: number, into: Buffer): boolean {
  let done = 0;
  while (done < into.length) {
    const count = readSync(fd, into, done, into.length - done, null);
    if (count === 0) return false;
    done += count;
  }
  return true;
}
