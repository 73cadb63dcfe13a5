import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { type BlockLayout, countingRecords, type LaidRecord } from './block-layout.ts';
import type { Seeded } from './random/seeded.ts';

const recordHeader = 32;
const page = 4096;

/** Where a flip goes, so that every part of a store gets some. */
export const flipPlaces = {
  anywhere: 4,
  data: 10,
  recordHeader: 4,
  recordHash: 3,
  recordEnd: 1,
  footer: 5,
  trailer: 2,
  segmentHeader: 3,
  superblock: 2,
  lastSuperblock: 2,
  unused: 3,
} as const;
export type FlipPlace = keyof typeof flipPlaces;

/** A byte of the device to flip a bit of. */
export function placeFor(kind: FlipPlace, layout: BlockLayout, random: Seeded): number {
  const record = random.pick(layout.records);
  const segment = random.pick(layout.segments);
  const segmentEnd = segment.position + layout.segmentBytes;
  const footer = segment.footerPosition ?? segmentEnd - 24;
  switch (kind) {
    case 'data':
      return record.position + recordHeader + layout.hashBytes + random.below(record.storedBytes);
    case 'recordHeader':
      return record.position + random.below(recordHeader);
    case 'recordHash':
      return record.position + recordHeader + random.below(layout.hashBytes);
    case 'recordEnd':
      return record.position + record.length - 1;
    case 'footer':
      return footer + random.below(segmentEnd - footer);
    case 'trailer':
      return segmentEnd - 24 + random.below(24);
    case 'segmentHeader':
      return segment.position + random.below(36);
    case 'superblock':
      return random.below(116);
    case 'lastSuperblock':
      return layout.deviceBytes - page + random.below(116);
    case 'unused':
      return unusedPlace(layout, random);
    case 'anywhere':
      return random.below(layout.deviceBytes);
  }
}

/** Between the superblock and the first segment, or behind the last record of a segment. */
function unusedPlace(layout: BlockLayout, random: Seeded): number {
  if (random.chance(20)) return page + random.below(layout.dataStart - page);
  const segment = random.pick(layout.segments);
  const own = layout.records.filter((record) => record.segment === segment.number);
  const from = Math.max(segment.position + page, ...own.map(({ position, length }) => position + length));
  const to = segment.footerPosition ?? segment.position + layout.segmentBytes - 24;
  return from < to ? from + random.below(to - from) : page;
}

export function flipBit(device: string, position: number, bit: number): void {
  const fd = openSync(device, 'r+');
  const byte = Buffer.alloc(1);
  readSync(fd, byte, 0, 1, position);
  byte[0] = (byte[0] ?? 0) ^ (1 << bit);
  writeSync(fd, byte, 0, 1, position);
  closeSync(fd);
}

/** The blocks that are lost by flips at these places: those whose counting record has one below its check sum. */
export function lostBlocks(layout: BlockLayout, positions: readonly number[]): ReadonlySet<string> {
  const isHit = ({ position, storedBytes }: LaidRecord) => {
    const end = position + recordHeader + layout.hashBytes + storedBytes;
    return positions.some((at) => at >= position && at < end);
  };
  const lost = [...countingRecords(layout).values()].filter(isHit);
  return new Set(lost.map(({ hash }) => hash));
}
