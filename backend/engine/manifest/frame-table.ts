import type { SegmentInfo } from '../archive/manifest-format.ts';
import { checkedNumber, damagedList } from '../archive/manifest-lines.ts';
import { BlockLines } from './block-lines.ts';
import { type ManifestFile, mostStoredBytes } from './manifest-file.ts';

export interface Frame {
  readonly index: number;
  /** Where it begins in the tar stream. */
  readonly start: number;
  /** Where it lies in the archive; 0 for a block. */
  readonly offset: number;
  readonly length: number;
  readonly rawLength: number;
  /** BLAKE3 of the stored bytes; the block's own hash for a block. */
  readonly hash: string;
}

const CACHED_SEGMENTS = 8;

/** The frames of a copy's tar stream, in an archive or as blocks. */
export class FrameTable {
  readonly #file: ManifestFile;
  readonly #frames = new Map<SegmentInfo, readonly Frame[]>();
  readonly #blocks = new Map<SegmentInfo, BlockLines>();

  constructor(file: ManifestFile) {
    this.#file = file;
  }

  at(index: number): Frame {
    if (this.#file.header.blocks !== undefined) {
      const lines = this.linesOf(index);
      return lines.frame(index - lines.first);
    }
    const info = this.#file.segmentOf('frames', index);
    const frame = info === null ? undefined : this.#decodedFrames(info)[index - info.first];
    if (frame === undefined) throw damagedList();
    return frame;
  }

  /** Of a copy of blocks: the lines among which the one of this frame is. */
  linesOf(index: number): BlockLines {
    const info = this.#file.segmentOf('frames', index);
    if (info === null) throw damagedList();
    return this.#linesIn(info);
  }

  /** Of a copy of blocks: the lines among which the one of the frame is that holds this place of the tar stream. */
  linesHolding(position: number): BlockLines {
    const info = lastFrom(this.#file.segments('frames'), ({ base }) => base <= position);
    const lines = info === null ? null : this.#linesIn(info);
    if (lines === null || position >= lines.startOf(lines.count)) throw damagedList();
    return lines;
  }

  /** The frame that holds this place of the tar stream. */
  indexAt(position: number): number {
    const { header } = this.#file;
    if (header.blocks === undefined) return Math.floor(position / header.frameBytes);
    const lines = this.linesHolding(position);
    return lines.first + lines.indexAt(position);
  }

  /** The hashes of all blocks of the copy, many at once; none for a copy without blocks. */
  *blockHashes(): Generator<readonly string[]> {
    if (this.#file.header.blocks === undefined) return;
    for (const info of this.#file.segments('frames')) {
      const lines = this.#linesIn(info);
      yield Array.from({ length: lines.count }, (_, at) => lines.hash(at));
    }
  }

  /** Of a copy of blocks: the hashes of the frames from `index` on that stand with it, at most `most`, one behind the other. */
  hashesFrom(index: number, most: number): Uint8Array {
    const lines = this.linesOf(index);
    const from = index - lines.first;
    return lines.hashes(from, Math.min(from + most, lines.count));
  }

  #linesIn(info: SegmentInfo): BlockLines {
    const known = this.#blocks.get(info);
    if (known !== undefined) return known;
    const { frameBytes, tarBytes, blocks } = this.#file.header;
    if (blocks === undefined) throw damagedList();
    const limits = { hashBytes: blocks.hashBytes, blockBytes: frameBytes, tarBytes };
    const lines = BlockLines.of(this.#file.raw(info), info, limits);
    remember(this.#blocks, info, lines);
    return lines;
  }

  #decodedFrames(info: SegmentInfo): readonly Frame[] {
    const known = this.#frames.get(info);
    if (known !== undefined) return known;
    const { frameBytes, tarBytes } = this.#file.header;
    let offset = info.base;
    const frames = this.#file.lines(info).map((line, at) => {
      if (!Array.isArray(line) || typeof line[1] !== 'string') throw damagedList();
      const index = info.first + at;
      const length = checkedNumber(line[0]);
      const frame = {
        index,
        start: index * frameBytes,
        offset,
        length,
        rawLength: Math.min(frameBytes, tarBytes - index * frameBytes),
        hash: line[1],
      };
      if (frame.rawLength <= 0 || length > mostStoredBytes(frameBytes)) throw damagedList();
      offset += length;
      return frame;
    });
    remember(this.#frames, info, frames);
    return frames;
  }
}

/** The last of the items, which stand in order, for which it holds; null when there is none. */
function lastFrom<T>(items: readonly T[], holds: (item: T) => boolean): T | null {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && holds(item)) low = middle + 1;
    else high = middle;
  }
  return items[low - 1] ?? null;
}

/** Keeps the last few that were decoded. */
export function remember<V>(cache: Map<SegmentInfo, V>, info: SegmentInfo, value: V): void {
  cache.set(info, value);
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHED_SEGMENTS) break;
    cache.delete(oldest);
  }
}
