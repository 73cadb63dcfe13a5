import type { BlockDeviceFile } from './block-device-file.ts';
import { PAGE_BYTES, segmentStart } from './geometry.ts';
import type { Layout } from './layout.ts';
import {
  isWholeRecord,
  mostStoredBytes,
  RECORD_HEADER_BYTES,
  RECORD_MAGIC,
  readRecordHeader,
  recordBytes,
} from './record.ts';
import {
  entryBytes,
  isLikeSegmentHeader,
  isWholeFooter,
  readEntry,
  readTrailer,
  readTrailerSequence,
  TRAILER_BYTES,
  type Trailer,
  writeEntry,
} from './segment-format.ts';

/** Everything that is known about the records of one segment, in their order on the device. */
export interface SegmentSummary {
  readonly sequence: number;
  readonly count: number;
  /** `count` entries, as they lie in the footer. */
  readonly entries: Buffer;
  /** Offset in the segment behind the last record. */
  readonly endOffset: number;
}

/**
 * Reads what one segment holds: by its footer, or record by record when the footer is missing or damaged. `isNewest` = the
 * segment may hold records that were written after its footer, so these are looked for too.
 */
export function readSegment(
  device: BlockDeviceFile,
  layout: Layout,
  segment: number,
  sequence: number,
  isNewest: boolean,
): SegmentSummary {
  const known = readFooter(device, layout, segment, sequence);
  if (known !== null && !isNewest) return known;
  const found = known ?? { sequence, count: 0, entries: Buffer.alloc(0), endOffset: PAGE_BYTES };
  return scanRecords(device, layout, segment, found);
}

/** Null when there is no whole footer of this use of the segment. */
export function readFooter(
  device: BlockDeviceFile,
  layout: Layout,
  segment: number,
  sequence: number,
): SegmentSummary | null {
  const end = segmentStart(layout.geometry, segment) + layout.geometry.segmentBytes;
  const trailer = Buffer.alloc(TRAILER_BYTES);
  device.read(trailer, end - TRAILER_BYTES);
  const count = readTrailer(trailer, sequence)?.count;
  if (count === undefined || count > layout.geometry.recordsPerSegment) return null;
  const length = count * entryBytes(layout.hashBytes);
  if (length + TRAILER_BYTES + PAGE_BYTES > layout.geometry.segmentBytes) return null;
  const entries = Buffer.alloc(length);
  device.read(entries, end - TRAILER_BYTES - length);
  if (!isWholeFooter(entries, trailer, layout.seed)) return null;
  return { sequence, count, entries, endOffset: endOfLast(layout, entries) };
}

/** What the last bytes of the segment say, without reading the whole footer; null when they say nothing. */
export function peekTrailer(
  device: BlockDeviceFile,
  { geometry }: Layout,
  segment: number,
  sequence: number,
): Trailer | null {
  const trailer = Buffer.alloc(TRAILER_BYTES);
  device.read(trailer, segmentStart(geometry, segment) + geometry.segmentBytes - TRAILER_BYTES);
  return readTrailer(trailer, sequence);
}

function endOfLast(layout: Layout, entries: Buffer): number {
  if (entries.length === 0) return PAGE_BYTES;
  const last = readEntry(entries, entries.length - entryBytes(layout.hashBytes));
  return last.offset + recordBytes(layout.hashBytes, last.storedBytes);
}

const WINDOW_BYTES = 4_194_304;

/**
 * Goes on behind `known` and takes every whole record of the same use of the segment, also behind damaged ones: a record
 * whose check sum is right is a block, whatever happened around it.
 */
function scanRecords(
  device: BlockDeviceFile,
  layout: Layout,
  segment: number,
  known: SegmentSummary,
): SegmentSummary {
  const found: Buffer[] = [known.entries];
  let { count, endOffset } = known;
  for (const record of wholeRecords(device, layout, segment, endOffset)) {
    if (record.sequence !== known.sequence) continue;
    if (count === layout.geometry.recordsPerSegment) break;
    found.push(record.entry);
    count += 1;
    endOffset = record.endOffset;
  }
  return { sequence: known.sequence, count, entries: Buffer.concat(found), endOffset };
}

interface FoundRecord {
  readonly sequence: number;
  readonly entry: Buffer;
  /** Offset in the segment behind it. */
  readonly endOffset: number;
}

/** All records with a right check sum from `from` on, of whatever use of the segment. */
function* wholeRecords(
  device: BlockDeviceFile,
  layout: Layout,
  segment: number,
  from: number,
): Generator<FoundRecord> {
  const { segmentBytes, blockBytes } = layout.geometry;
  const { hashBytes } = layout;
  const start = segmentStart(layout.geometry, segment);
  const window = Buffer.alloc(Math.min(segmentBytes, WINDOW_BYTES));
  const mostBytes = recordBytes(hashBytes, mostStoredBytes(blockBytes));
  let endOffset = from;
  let at = from;
  while (at < segmentBytes) {
    const view = window.subarray(0, Math.min(window.length, segmentBytes - at));
    device.read(view, start + at);
    // A record that begins before this place is whole in the window; the last window is searched to its end.
    const searchEnd = at + view.length === segmentBytes ? view.length : view.length - mostBytes;
    let inside = nextRecord(view, 0);
    while (inside >= 0 && inside < searchEnd) {
      const found = recordAt(view, inside, at + inside, layout);
      if (found !== null) {
        endOffset = found.endOffset;
        yield found;
      }
      inside = nextRecord(view, found === null ? inside + 8 : endOffset - at);
    }
    // A record may reach over the place where this window's search ends; the next search begins behind it.
    at = Math.max(at + searchEnd, endOffset);
  }
}

/** Null when no record is whole at `inside`. */
function recordAt(view: Buffer, inside: number, offset: number, layout: Layout): FoundRecord | null {
  const { hashBytes, seed } = layout;
  const facts = readRecordHeader(view, inside, hashBytes);
  const { blockBytes } = layout.geometry;
  if (facts === null || facts.rawBytes > blockBytes) return null;
  if (facts.storedBytes > mostStoredBytes(blockBytes)) return null;
  if (!isWholeRecord(view, inside, facts, hashBytes, seed)) return null;
  const entry = Buffer.alloc(entryBytes(hashBytes));
  const hashAt = inside + RECORD_HEADER_BYTES;
  writeEntry(entry, 0, view.subarray(hashAt, hashAt + hashBytes), { ...facts, offset });
  return { sequence: facts.sequence, entry, endOffset: offset + recordBytes(hashBytes, facts.storedBytes) };
}

/** Null when no record is whole at this place of the device. Of a segment that was never used only a few bytes are read. */
function firstRecord(device: BlockDeviceFile, layout: Layout, position: number): FoundRecord | null {
  const { hashBytes } = layout;
  const head = Buffer.alloc(RECORD_HEADER_BYTES + hashBytes);
  device.read(head, position);
  const facts = readRecordHeader(head, 0, hashBytes);
  if (facts === null || facts.storedBytes > mostStoredBytes(layout.geometry.blockBytes)) return null;
  const record = Buffer.alloc(recordBytes(hashBytes, facts.storedBytes));
  device.read(record, position);
  return recordAt(record, 0, PAGE_BYTES, layout);
}

/** The next place, a multiple of 8 as the segments' starts are, where the first bytes of a record stand. */
function nextRecord(view: Buffer, from: number): number {
  let at = view.indexOf(RECORD_MAGIC, from);
  while (at >= 0 && at % 8 !== 0) at = view.indexOf(RECORD_MAGIC, at + 1);
  return at;
}

/**
 * For a segment whose header is damaged: the sequence number that its footer tells, or its first record, or any other. Null when
 * none of them is whole, so nothing that was acknowledged lies there. `header`: the damaged page.
 */
export function sequenceByContent(
  device: BlockDeviceFile,
  layout: Layout,
  segment: number,
  header: Buffer,
): number | null {
  const start = segmentStart(layout.geometry, segment);
  const trailer = Buffer.alloc(TRAILER_BYTES);
  device.read(trailer, start + layout.geometry.segmentBytes - TRAILER_BYTES);
  const told = readTrailerSequence(trailer);
  if (told !== null && readFooter(device, layout, segment, told) !== null) return told;
  const first = firstRecord(device, layout, start + PAGE_BYTES)?.sequence;
  if (first !== undefined) return first;
  // Not in a segment that never was one: a large device would be read as a whole.
  if (!isLikeSegmentHeader(header)) return null;
  let highest: number | null = null;
  for (const { sequence } of wholeRecords(device, layout, segment, PAGE_BYTES)) {
    highest = Math.max(highest ?? 0, sequence);
  }
  return highest;
}
