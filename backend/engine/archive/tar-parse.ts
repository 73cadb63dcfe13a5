import type { ByteString } from '../../platform/byte-path.ts';
import { DeviceError } from '../device-error.ts';
import { TAR_BLOCK } from './tar-header.ts';

const XATTR_KEY = 'SCHILY.xattr.';

/**
 * The extended attributes of a member, out of its headers as they lie in the archive. All else a restore needs
 * is in the manifest.
 */
export function parseXattrs(headers: Buffer): ReadonlyMap<ByteString, Buffer> {
  const xattrs = new Map<ByteString, Buffer>();
  if (headers.length < 3 * TAR_BLOCK || headers[156] !== 0x78) return xattrs;
  const length = Number.parseInt(headers.toString('latin1', 124, 135), 8);
  const end = TAR_BLOCK + length;
  if (!(end <= headers.length)) throw damaged('pax header longer than its member');
  let at = TAR_BLOCK;
  while (at < end) {
    const space = headers.indexOf(0x20, at);
    const size = Number.parseInt(headers.toString('latin1', at, space), 10);
    if (space < 0 || !(size > 0) || at + size > end) throw damaged('bad pax record');
    const equals = headers.indexOf(0x3d, space);
    if (equals < 0 || equals >= at + size) throw damaged('bad pax record');
    const key = headers.toString('latin1', space + 1, equals);
    if (key.startsWith(XATTR_KEY)) {
      const name = key.slice(XATTR_KEY.length).replaceAll('%3D', '=').replaceAll('%25', '%');
      xattrs.set(name, headers.subarray(equals + 1, at + size - 1));
    }
    at += size;
  }
  return xattrs;
}

export interface Extent {
  readonly offset: number;
  readonly length: number;
}

export function sparseMap(extents: readonly Extent[]): Buffer {
  const lines = [String(extents.length), ...extents.flatMap((extent) => [extent.offset, extent.length])];
  const text = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
  const size = Math.ceil(text.length / TAR_BLOCK) * TAR_BLOCK;
  return Buffer.concat([text, Buffer.alloc(size - text.length)]);
}

/**
 * Reads a sparse map (GNU.sparse 1.0: decimal numbers, one a line, filled up to a block) piece by piece as the
 * data arrive; `extents` is null until it is complete.
 */
export class SparseMapParser {
  readonly #size: number;
  readonly #extents: Extent[] = [];
  #count: number | null = null;
  #digits = '';
  #offset: number | null = null;
  #bytes = 0;
  extents: readonly Extent[] | null = null;

  constructor(logicalSize: number) {
    this.#size = logicalSize;
  }

  /** Returns how many bytes belonged to the map. */
  push(chunk: Buffer): number {
    for (let i = 0; i < chunk.length; i += 1) {
      this.#bytes += 1;
      if (!this.#isComplete()) this.#byte(chunk[i] ?? 0);
      if (this.#isComplete() && this.#bytes % TAR_BLOCK === 0) {
        this.extents = this.#extents;
        return i + 1;
      }
    }
    return chunk.length;
  }

  #isComplete(): boolean {
    return this.#count !== null && this.#extents.length === this.#count;
  }

  #byte(byte: number): void {
    if (byte !== 0x0a) {
      if (byte < 0x30 || byte > 0x39 || this.#digits.length > 16) throw damaged('bad map of a sparse file');
      this.#digits += String.fromCharCode(byte);
      return;
    }
    if (this.#digits === '') throw damaged('bad map of a sparse file');
    const value = Number(this.#digits);
    this.#digits = '';
    if (this.#count === null) {
      this.#count = value;
    } else if (this.#offset === null) {
      this.#offset = value;
    } else {
      const previous = this.#extents.at(-1);
      const least = previous === undefined ? 0 : previous.offset + previous.length;
      if (this.#offset < least || this.#offset + value > this.#size)
        throw damaged('bad map of a sparse file');
      this.#extents.push({ offset: this.#offset, length: value });
      this.#offset = null;
    }
  }
}

function damaged(what: string): DeviceError {
  return new DeviceError('corrupt', `Damaged archive: ${what}.`);
}
