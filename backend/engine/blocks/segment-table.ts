import type { BlockDeviceFile } from './block-device-file.ts';
import { PAGE_BYTES, segmentStart } from './geometry.ts';
import type { Layout } from './layout.ts';
import { decodeSegmentHeader, encodeSegmentHeader } from './segment-format.ts';
import { sequenceByContent } from './segment-reader.ts';

/**
 * Which segment is used since when, in memory: 17 bytes a segment. On the device each segment says it itself in its header,
 * so there is no table that could be lost.
 */
export class SegmentTable {
  readonly #sequences: Float64Array;
  readonly #counts: Uint32Array;
  readonly #footerSums: Uint32Array;
  readonly #used: Uint8Array;
  readonly #free: number[] = [];
  #newest = -1;
  #highest = 0;

  constructor(segmentCount: number) {
    this.#sequences = new Float64Array(segmentCount);
    this.#counts = new Uint32Array(segmentCount);
    this.#footerSums = new Uint32Array(segmentCount);
    this.#used = new Uint8Array(segmentCount);
  }

  /** All segments, used or free. */
  get size(): number {
    return this.#used.length;
  }

  get freeCount(): number {
    return this.#free.length;
  }

  /** The used segment with the highest sequence number; -1 when none is used. */
  get newest(): number {
    return this.#newest;
  }

  isUsed(segment: number): boolean {
    return this.#used[segment] === 1;
  }

  sequence(segment: number): number {
    return this.#sequences[segment] ?? 0;
  }

  count(segment: number): number {
    return this.#counts[segment] ?? 0;
  }

  setCount(segment: number, count: number): void {
    this.#counts[segment] = count;
  }

  /** The sum of the footer that was written or read last; 0 = none. */
  footerSum(segment: number): number {
    return this.#footerSums[segment] ?? 0;
  }

  setFooterSum(segment: number, sum: number): void {
    this.#footerSums[segment] = sum;
  }

  /** Used segments, the oldest first. */
  inOrder(): readonly number[] {
    const used: number[] = [];
    for (const segment of this.#used.keys()) if (this.isUsed(segment)) used.push(segment);
    return used.sort((one, other) => this.sequence(one) - this.sequence(other));
  }

  nextSequence(): number {
    return this.#highest + 1;
  }

  /** The free segment that is used next; -1 when the device is full. */
  nextFree(): number {
    return this.#free.at(-1) ?? -1;
  }

  /** Call it after the header was written. */
  use(segment: number, sequence: number): void {
    const at = this.#free.lastIndexOf(segment);
    if (at >= 0) this.#free.splice(at, 1);
    this.#used[segment] = 1;
    this.#sequences[segment] = sequence;
    this.#counts[segment] = 0;
    this.#footerSums[segment] = 0;
    this.#highest = Math.max(this.#highest, sequence);
    if (this.#newest < 0 || sequence > this.sequence(this.#newest)) this.#newest = segment;
  }

  /** Call it after the header that says so was written. */
  release(segment: number): void {
    this.#used[segment] = 0;
    this.#counts[segment] = 0;
    this.#free.push(segment);
  }

  /**
   * Reads all headers. A page that is none belongs to a segment that was never used or whose header tore before anything was
   * written into it; unless its content tells that it was damaged later.
   */
  static read(device: BlockDeviceFile, layout: Layout): SegmentTable {
    const { segmentCount } = layout.geometry;
    const table = new SegmentTable(segmentCount);
    const page = Buffer.alloc(PAGE_BYTES);
    // From the end, so that the list of free ones gives the first segments of the device first.
    for (let segment = segmentCount - 1; segment >= 0; segment -= 1) {
      device.read(page, segmentStart(layout.geometry, segment));
      const header = decodeSegmentHeader(page, layout.seed);
      table.#highest = Math.max(table.#highest, header?.sequence ?? 0);
      const told = header === null ? sequenceByContent(device, layout, segment, page) : null;
      // Made anew at once: with more damage later nothing might tell it any more.
      if (told !== null) writeUsedHeader(device, layout, segment, told);
      const sequence = header?.state === 'used' ? header.sequence : told;
      if (sequence === null) table.#free.push(segment);
      else table.use(segment, sequence);
    }
    return table;
  }
}

function writeUsedHeader(device: BlockDeviceFile, layout: Layout, segment: number, sequence: number): void {
  const page = encodeSegmentHeader({ state: 'used', sequence }, layout.seed);
  device.write(page, segmentStart(layout.geometry, segment));
}

/** Says on the device that a segment is free. It keeps the number, so that numbers never go back. */
export function writeFreeHeader(
  device: BlockDeviceFile,
  layout: Layout,
  segment: number,
  sequence: number,
): void {
  const page = encodeSegmentHeader({ state: 'free', sequence }, layout.seed);
  device.write(page, segmentStart(layout.geometry, segment));
}
