import type { CopyTotals } from '../archive/entry.ts';
import type { SegmentInfo } from '../archive/manifest-format.ts';
import { DeviceError } from '../device-error.ts';
import { isBlock, type ManifestReader } from '../manifest/manifest-reader.ts';

/** What one thread verifies: all of a copy, or one of two parts, of which the first has the file list and all else besides. */
export type VerifyPart = 'whole' | 'first' | 'second';

/** A stretch of the tar stream with the segments of rows that tell what is in it. */
export interface Stretch {
  readonly from: number;
  readonly end: number;
  readonly takes: (segment: number) => boolean;
}

/** A second thread takes longer to start than less than that takes to be looked at. */
const LEAST_BYTES = 16_777_216;
const LEAST_ENTRIES = 4096;
/** To look at a file takes as long as to look at so many bytes. */
const BYTES_PER_ENTRY = 16_384;

/** Only of blocks: of an archive another thread decodes what is verified next, which is as quick. */
export function isWorthParting({ entries, sourceBytes }: CopyTotals): boolean {
  return entries >= LEAST_ENTRIES && sourceBytes >= LEAST_BYTES;
}

/** Both threads come to the same border. Not for a copy in the order of arrival. */
export function stretchOf(reader: ManifestReader, part: VerifyPart): Stretch {
  const { tarBytes } = reader.file.header;
  const all: Stretch = { from: 0, end: tarBytes, takes: () => true };
  if (part === 'whole') return all;
  const segments = reader.file.segments('rows');
  const border = middleOf(reader, segments);
  if (!canBeginWith(reader, border)) {
    return part === 'first' ? all : { from: tarBytes, end: tarBytes, takes: () => false };
  }
  const at = startOf(reader, segments, border);
  return part === 'first'
    ? { from: 0, end: at, takes: (segment) => segment < border }
    : { from: at, end: tarBytes, takes: (segment) => segment >= border };
}

/** In a damaged list only who comes from before it may know where in the tree these rows belong. */
function canBeginWith(reader: ManifestReader, segment: number): boolean {
  for (const step of reader.walk(null, { takes: (number) => number === segment }))
    return step.kind !== 'lost';
  return false;
}

/** The first segment that is to be looked at in the second half of the time. */
function middleOf(reader: ManifestReader, segments: readonly SegmentInfo[]): number {
  const { tarBytes, totals } = reader.file.header;
  const half = (tarBytes + totals.entries * BYTES_PER_ENTRY) / 2;
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const before = startOf(reader, segments, middle) + (segments[middle]?.first ?? 0) * BYTES_PER_ENTRY;
    if (before < half) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the first member begins of which this segment, or one behind it, tells. */
function startOf(reader: ManifestReader, segments: readonly SegmentInfo[], segment: number): number {
  for (const info of segments.slice(segment)) {
    const start = startIn(reader, info);
    if (start !== null) return start;
  }
  return reader.file.header.tarBytes;
}

/** Null where it tells of none, or cannot be read: that is told by whoever verifies it. */
function startIn(reader: ManifestReader, info: SegmentInfo): number | null {
  try {
    for (const step of reader.decode(info)) {
      // A folder that goes on here began before.
      if (isBlock(step) ? !step.continued : step.headerOffset !== null && step.heldBy === null) {
        return step.headerOffset;
      }
    }
  } catch (error) {
    if (!(error instanceof DeviceError) || !['corrupt', 'permanent'].includes(error.kind)) throw error;
  }
  return null;
}
