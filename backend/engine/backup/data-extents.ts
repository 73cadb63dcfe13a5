import fs from 'node:fs';
import { errorCode } from '../../platform/native.ts';
import type { Extent } from '../archive/tar-parse.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { nativeCalls } from './source-item.ts';

/** Beyond this many the map itself would grow large; holes that are too short to pay are then kept as data. */
export const MOST_IMAGE_EXTENTS = 100_000;
const READ_BYTES = 4_194_304;

/**
 * Where an image is not zero, in units of `grainBytes` from its beginning. Holes that the file system knows are not read;
 * all else is. Null when there is nothing to leave out.
 */
export function findDataExtents(
  fd: number,
  sizeBytes: number,
  options: {
    readonly grainBytes: number;
    readonly control: Control;
    readonly shown: string;
    readonly mostExtents?: number;
  },
): readonly Extent[] | null {
  const { grainBytes, control, shown } = options;
  if (sizeBytes === 0) return null;
  const extents = new ExtentList(grainBytes, options.mostExtents ?? MOST_IMAGE_EXTENTS);
  const chunk = Buffer.alloc(Math.max(1, Math.floor(READ_BYTES / grainBytes)) * grainBytes);
  const zeros = Buffer.alloc(grainBytes);
  const holes = new HoleFinder(fd);
  let at = 0;
  while (at < sizeBytes) {
    control.check();
    const data = holes.nextData(at);
    if (data === null) break;
    at = Math.max(at, Math.floor(data / grainBytes) * grainBytes);
    const length = Math.min(chunk.length, sizeBytes - at);
    readWhole(fd, chunk.subarray(0, length), at, shown);
    for (let from = 0; from < length; from += grainBytes) {
      const grain = chunk.subarray(from, Math.min(length, from + grainBytes));
      if (grain.compare(zeros, 0, grain.length) !== 0) extents.add(at + from, grain.length);
    }
    at += length;
    control.set('bytesDone', at);
  }
  return extents.toMap(sizeBytes);
}

/** Asks the file system for the next data; a device, or a file system that cannot tell, has data everywhere. */
class HoleFinder {
  readonly #fd: number;
  #calls = nativeCalls();

  constructor(fd: number) {
    this.#fd = fd;
  }

  nextData(from: number): number | null {
    if (this.#calls === null) return from;
    try {
      return this.#calls.seekData(this.#fd, from);
    } catch (error) {
      if (!['EINVAL', 'EOPNOTSUPP', 'ENOTSUP'].includes(errorCode(error))) throw error;
      this.#calls = null;
      return from;
    }
  }
}

/** Stretches of data in their order. When they become too many, the shortest holes between them are given up. */
class ExtentList {
  readonly #most: number;
  #extents: { offset: number; length: number }[] = [];
  #leastHole: number;

  constructor(grainBytes: number, most: number) {
    this.#most = most;
    this.#leastHole = grainBytes;
  }

  add(offset: number, length: number): void {
    this.#append(this.#extents, offset, length);
    while (this.#extents.length > this.#most) this.#giveUpShortHoles();
  }

  /** Null when all is data. The end of the image is named, or readers would make it shorter than it is. */
  toMap(sizeBytes: number): readonly Extent[] | null {
    const [first] = this.#extents;
    if (first !== undefined && first.offset === 0 && first.length === sizeBytes) return null;
    const last = this.#extents.at(-1);
    const isEndNamed = last !== undefined && last.offset + last.length === sizeBytes;
    return isEndNamed ? this.#extents : [...this.#extents, { offset: sizeBytes, length: 0 }];
  }

  #giveUpShortHoles(): void {
    this.#leastHole *= 2;
    const fewer: { offset: number; length: number }[] = [];
    for (const { offset, length } of this.#extents) this.#append(fewer, offset, length);
    this.#extents = fewer;
  }

  #append(to: { offset: number; length: number }[], offset: number, length: number): void {
    const last = to.at(-1);
    if (last !== undefined && offset - (last.offset + last.length) < this.#leastHole) {
      last.length = offset + length - last.offset;
    } else to.push({ offset, length });
  }
}

function readWhole(fd: number, into: Buffer, position: number, shown: string): void {
  let done = 0;
  while (done < into.length) {
    let count: number;
    try {
      count = fs.readSync(fd, into, done, into.length - done, position + done);
    } catch (error) {
      throw toDeviceError(error, `${shown} cannot be read at byte ${position + done}`);
    }
    if (count === 0) throw endedEarly(shown, position + done);
    done += count;
  }
}

export function endedEarly(shown: string, at: number): DeviceError {
  return new DeviceError(
    'permanent',
    `${shown} ended at byte ${at}, before its size was reached. It was taken away or made smaller while it was read.`,
  );
}
