import { DeviceError } from '../device-error.ts';

/** How a device is divided. All of it is decided once, when the store is made, and stands in the superblock. */
export interface Geometry {
  readonly deviceBytes: number;
  readonly blockBytes: number;
  /** Where segment 0 begins. */
  readonly dataStart: number;
  readonly segmentBytes: number;
  readonly segmentCount: number;
  /** Most records in one segment; a record's place is `segment * recordsPerSegment + number`, below 2^32. */
  readonly recordsPerSegment: number;
}

/** What a disk writes as a whole; headers fill one, and what was synchronised is never in one that is written again. */
export const PAGE_BYTES = 4096;

export const BLOCK_SIZES_BYTES: readonly number[] = [
  8_192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576,
];

const DATA_START = 1_048_576;
const SMALLEST_SEGMENT = 1_048_576;
const MOST_BLOCKS_PER_SMALL_SEGMENT = 16;
/** Larger segments mean fewer waits for the disk; more of them, finer cleaning. */
const MOST_SEGMENTS = 4096;
const FEW_SEGMENTS = 64;
const LARGE_ENOUGH = 67_108_864;
const LARGEST_SEGMENT = 1_073_741_824;
const FEWEST_SEGMENTS = 6;
/** Small files and the headers between files make records much smaller than a block; the smallest are hardly below this. */
const SMALL_RECORD_BYTES = 256;
const MOST_RECORDS = 2 ** 32;

/** Throws `noSpace` when the device is too small for a store, `permanent` for a wrong block size. */
export function planGeometry(deviceBytes: number, blockBytes: number): Geometry {
  if (!BLOCK_SIZES_BYTES.includes(blockBytes)) {
    throw new DeviceError(
      'permanent',
      `block size: ${blockBytes} is not one of ${BLOCK_SIZES_BYTES.join(', ')}.`,
    );
  }
  const least = Math.max(SMALLEST_SEGMENT, blockBytes * MOST_BLOCKS_PER_SMALL_SEGMENT);
  const few = Math.min(LARGE_ENOUGH, deviceBytes / FEW_SEGMENTS);
  const wanted = Math.max(least, few, deviceBytes / MOST_SEGMENTS);
  const segmentBytes = Math.min(LARGEST_SEGMENT, powerOfTwoFrom(wanted));
  const segmentCount = Math.floor((deviceBytes - DATA_START - PAGE_BYTES) / segmentBytes);
  if (segmentCount < FEWEST_SEGMENTS) {
    const bytesNeeded = DATA_START + PAGE_BYTES + FEWEST_SEGMENTS * segmentBytes;
    throw new DeviceError('noSpace', `The device is too small: ${bytesNeeded} bytes are needed.`, {
      bytesNeeded,
    });
  }
  const recordsPerSegment = Math.min(
    segmentBytes / SMALL_RECORD_BYTES,
    Math.floor(MOST_RECORDS / segmentCount),
  );
  if (recordsPerSegment < segmentBytes / blockBytes) {
    throw new DeviceError('permanent', 'The device is too large for this block size; choose a larger one.');
  }
  return { deviceBytes, blockBytes, dataStart: DATA_START, segmentBytes, segmentCount, recordsPerSegment };
}

export function segmentStart(geometry: Geometry, segment: number): number {
  return geometry.dataStart + segment * geometry.segmentBytes;
}

/** Where the second superblock lies: the last whole page. */
export function lastPage(deviceBytes: number): number {
  return (Math.floor(deviceBytes / PAGE_BYTES) - 1) * PAGE_BYTES;
}

function powerOfTwoFrom(least: number): number {
  return 2 ** Math.ceil(Math.log2(least));
}

export function roundUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}
