import fs from 'node:fs';
import path from 'node:path';
import { readFullySync } from '../../platform/files.ts';
import { MANIFEST_LEVEL, zstdCodec } from '../archive/codec.ts';
import { ContentHash, hashBytes } from '../archive/hash.ts';
import {
  decodeSegmentInfo,
  decodeTrailer,
  FORMAT_NAME,
  FORMAT_VERSION,
  MANIFEST_NAME,
  type ManifestHeader,
  parseLines,
  type SegmentInfo,
  type SegmentKind,
  TRAILER_BYTES,
} from '../archive/manifest-format.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';

/** No segment that the writer makes is larger; a larger figure is damage and must not be allocated. */
const MOST_SEGMENT_BYTES = 2 * 1_048_576;
const MOST_FRAME_BYTES = 16 * 1_048_576;
const MOST_INDEX_BYTES = 256 * 1_048_576;

/**
 * The manifest of one copy, open for reading. Opening reads its end only. All reading is synchronous: a segment is
 * at most half a megabyte of text, so a page costs the API's thread a few milliseconds.
 */
export class ManifestFile {
  readonly header: ManifestHeader;
  readonly copyPath: string;
  readonly #fd: number;
  readonly #segments: ReadonlyMap<SegmentKind, readonly SegmentInfo[]>;
  readonly #codec = zstdCodec(MANIFEST_LEVEL);
  readonly #hash = new ContentHash();

  constructor(copyPath: string) {
    this.copyPath = copyPath;
    try {
      this.#fd = fs.openSync(path.join(copyPath, MANIFEST_NAME), 'r');
    } catch (error) {
      throw toDeviceError(error, 'The file list of this copy cannot be read');
    }
    try {
      const lines = this.#readIndex();
      this.header = checkedHeader(lines[0]);
      this.#segments = grouped(lines.slice(1).map(decodeSegmentInfo));
    } catch (error) {
      fs.closeSync(this.#fd);
      throw error;
    }
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  segments(kind: SegmentKind): readonly SegmentInfo[] {
    return this.#segments.get(kind) ?? [];
  }

  /** The segment that holds item number `index`; null when there is none. */
  segmentOf(kind: SegmentKind, index: number): SegmentInfo | null {
    const all = this.segments(kind);
    let low = 0;
    let high = all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((all[middle]?.first ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    // Segments with block lines only have no rows: the last one that begins at or before is the right one.
    for (let at = low - 1; at >= 0; at -= 1) {
      const info = all[at];
      if (info === undefined) break;
      if (index < info.first + info.count) return info;
      if (info.count > 0) break;
    }
    return null;
  }

  lines(info: SegmentInfo): readonly unknown[] {
    return parseLines(this.#text(info.offset, info.length, info.rawLength, info.hash));
  }

  #text(offset: number, length: number, rawLength: number, hash: string): string {
    const stored = this.#bytes(offset, length);
    if (this.#hash.of(stored) !== hash) throw damaged();
    try {
      return this.#codec.decode(stored, rawLength).toString('utf8');
    } catch (error) {
      throw damaged(error);
    }
  }

  #bytes(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    try {
      if (readFullySync(this.#fd, bytes, offset) !== length) throw damaged();
    } catch (error) {
      throw toDeviceError(error, 'The file list of this copy cannot be read');
    }
    return bytes;
  }

  #readIndex(): readonly unknown[] {
    const size = fs.fstatSync(this.#fd).size;
    if (size < TRAILER_BYTES) throw damaged();
    const trailer = decodeTrailer(this.#bytes(size - TRAILER_BYTES, TRAILER_BYTES));
    const { indexOffset, indexLength, indexRawLength, indexHash } = trailer;
    if (indexOffset + indexLength + TRAILER_BYTES !== size || indexRawLength > MOST_INDEX_BYTES)
      throw damaged();
    const stored = this.#bytes(indexOffset, indexLength);
    if (!hashBytes(this.#hash.of(stored)).equals(indexHash)) throw damaged();
    return parseLines(this.#codec.decode(stored, indexRawLength).toString('utf8'));
  }
}

function grouped(all: readonly SegmentInfo[]): ReadonlyMap<SegmentKind, readonly SegmentInfo[]> {
  const groups = new Map<SegmentKind, SegmentInfo[]>();
  for (const info of all) {
    if (info.length > MOST_SEGMENT_BYTES || info.rawLength > MOST_SEGMENT_BYTES) throw damaged();
    const group = groups.get(info.kind) ?? [];
    group.push(info);
    groups.set(info.kind, group);
  }
  return groups;
}

/** A frame that does not compress grows a little; no frame of the writer is longer than this. */
export function mostStoredBytes(frameBytes: number): number {
  return frameBytes + 65_536;
}

function checkedHeader(line: unknown): ManifestHeader {
  if (line === null || typeof line !== 'object') throw damaged();
  const header = line as ManifestHeader;
  if (header.format !== FORMAT_NAME) throw damaged();
  if (header.version !== FORMAT_VERSION) {
    throw new DeviceError('permanent', `This copy was made by a newer version (format ${header.version}).`);
  }
  const numbers = [header.frameBytes, header.tarBytes, header.archiveBytes, header.frames];
  if (!numbers.every((value) => Number.isSafeInteger(value) && value >= 0)) throw damaged();
  if (header.frameBytes < 1 || header.frameBytes > MOST_FRAME_BYTES) throw damaged();
  return header;
}

export function damaged(cause?: unknown): DeviceError {
  return new DeviceError('corrupt', 'The file list of this copy is damaged.', { cause });
}
