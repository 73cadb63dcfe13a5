import fs from 'node:fs';
import { writeAllSync } from '../../platform/files.ts';
import { errorCode, type NativeCalls } from '../../platform/native.ts';
import { type Extent, SparseMapParser } from '../archive/tar-parse.ts';
import { nativeCalls } from '../backup/source-item.ts';
import type { Control } from '../job/control.ts';

const ZEROS = Buffer.alloc(1_048_576);
/** One call for at most so many bytes, so that a stop is seen in between. */
const PUNCH_BYTES = 268_435_456;

/** Puts an image where it belongs: data are written, and what lies between them is made to read as zeros. */
export class ImageSink {
  readonly #fd: number;
  readonly #sizeBytes: number;
  readonly #control: Control;
  readonly #parser: SparseMapParser | null;
  #calls: NativeCalls | null = nativeCalls();
  #extents: readonly Extent[] | null;
  #next = 0;
  #doneInExtent = 0;
  /** All before this place is as it is to be. */
  #position = 0;
  writtenBytes = 0;

  /** `isSparse`: the data begin with a map. */
  constructor(fd: number, sizeBytes: number, isSparse: boolean, control: Control) {
    this.#fd = fd;
    this.#sizeBytes = sizeBytes;
    this.#control = control;
    this.#parser = isSparse ? new SparseMapParser(sizeBytes) : null;
    this.#extents = isSparse ? null : [{ offset: 0, length: sizeBytes }];
  }

  write(bytes: Buffer): void {
    let from = 0;
    if (this.#parser !== null && this.#extents === null) {
      from = this.#parser.push(bytes);
      this.#extents = this.#parser.extents;
    }
    while (this.#extents !== null && from < bytes.length) {
      const extent = this.#current(this.#extents);
      if (extent === null) return;
      const at = extent.offset + this.#doneInExtent;
      this.#zeroTo(at);
      const count = Math.min(bytes.length - from, extent.length - this.#doneInExtent);
      writeAllSync(this.#fd, bytes.subarray(from, from + count), at);
      this.#moveTo(at + count);
      this.writtenBytes += count;
      this.#doneInExtent += count;
      from += count;
    }
  }

  /** Zeros up to the size of the image; all is on the disk afterwards. */
  end(): void {
    this.#zeroTo(this.#sizeBytes);
    fs.fsyncSync(this.#fd);
  }

  #current(extents: readonly Extent[]): Extent | null {
    for (;;) {
      const extent = extents[this.#next];
      if (extent === undefined) return null;
      if (this.#doneInExtent < extent.length) return extent;
      this.#next += 1;
      this.#doneInExtent = 0;
    }
  }

  #zeroTo(end: number): void {
    while (this.#position < end) {
      this.#control.check();
      const length = Math.min(PUNCH_BYTES, end - this.#position);
      if (!this.#punch(length)) {
        const part = ZEROS.subarray(0, length);
        writeAllSync(this.#fd, part, this.#position);
        this.#moveTo(this.#position + part.length);
      } else this.#moveTo(this.#position + length);
    }
  }

  #punch(length: number): boolean {
    if (this.#calls === null) return false;
    try {
      this.#calls.punchHole(this.#fd, this.#position, length);
      return true;
    } catch (error) {
      // Not every device and file system can: then zeros are written.
      if (!['EOPNOTSUPP', 'ENOTSUP', 'EINVAL', 'ENOSYS', 'ENODEV'].includes(errorCode(error))) throw error;
      this.#calls = null;
      return false;
    }
  }

  #moveTo(position: number): void {
    this.#control.add('bytesDone', position - this.#position);
    this.#position = position;
  }
}
