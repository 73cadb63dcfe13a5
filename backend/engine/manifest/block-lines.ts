import { base64Length, isBase64, readBase64 } from '../../platform/base64-bytes.ts';
import { BRACKET, COMMA, END_BRACKET, NEWLINE, NINE, QUOTE, ZERO } from '../archive/ascii.ts';
import type { SegmentInfo } from '../archive/manifest-format.ts';
import { checkedNumber, damagedList, parseLines } from '../archive/manifest-lines.ts';
import type { Frame } from './frame-table.ts';

/** What the blocks of a copy are like. */
export interface BlockLimits {
  readonly hashBytes: number;
  /** The longest block. */
  readonly blockBytes: number;
  readonly tarBytes: number;
}

/**
 * The blocks of a copy that stand in one segment of its table of frames, `[length,"hash"]` in each line, left as text where they
 * lie: whoever takes them over into another copy needs the bytes of the lines, and no object for each of them.
 */
export class BlockLines {
  /** Number of the first frame. */
  readonly first: number;
  readonly count: number;
  readonly #text: Buffer;
  readonly #hashBytes: number;
  /** Where each frame begins in the tar stream, and the end of the last one. */
  readonly #starts: Float64Array;
  /** Where each line begins, and the end of the last one. */
  readonly #lines: Uint32Array;

  private constructor(
    text: Buffer,
    { first, count, base }: Pick<SegmentInfo, 'first' | 'count' | 'base'>,
    limits: BlockLimits,
  ) {
    this.first = first;
    this.count = count;
    this.#text = text;
    this.#hashBytes = limits.hashBytes;
    this.#starts = new Float64Array(count + 1);
    this.#lines = new Uint32Array(count + 1);
    this.#starts[0] = base;
  }

  /** `text`: as it stands in the segment; it is kept. Throws `corrupt` when it is not that of blocks. */
  static of(
    text: Buffer,
    info: Pick<SegmentInfo, 'first' | 'count' | 'base'>,
    limits: BlockLimits,
  ): BlockLines {
    if (info.count > text.length) throw damagedList();
    const found = new BlockLines(text, info, limits);
    if (found.#read(limits)) return found;
    // The same may be written with other spaces.
    const again = new BlockLines(rewritten(text), info, limits);
    if (!again.#read(limits)) throw damagedList();
    return again;
  }

  /** Where frame `at` (counted from the first one here) begins in the tar stream; of `count`: where the last one ends. */
  startOf(at: number): number {
    return this.#starts[at] ?? 0;
  }

  /** The frame that holds this place of the tar stream, which must not lie before the first one; `count` when all end before it. */
  indexAt(position: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.startOf(middle + 1) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  frame(at: number): Frame {
    const start = this.startOf(at);
    const rawLength = this.startOf(at + 1) - start;
    const index = this.first + at;
    return { index, start, offset: 0, length: rawLength, rawLength, hash: this.hash(at) };
  }

  /** In base64. */
  hash(at: number): string {
    const from = this.#hashAt(at);
    return this.#text.toString('latin1', from, from + base64Length(this.#hashBytes));
  }

  /** Of the frames from `from` to before `end`, one behind the other. */
  hashes(from: number, end: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array((end - from) * this.#hashBytes);
    for (let at = from; at < end; at += 1)
      readBase64(this.#text, this.#hashAt(at), this.#hashBytes, bytes, (at - from) * this.#hashBytes);
    return bytes;
  }

  /** The lines of the frames from `from` to before `end`. */
  text(from: number, end: number): Buffer {
    return this.#text.subarray(this.#lines[from], this.#lines[end]);
  }

  #hashAt(at: number): number {
    return (this.#lines[at + 1] ?? 0) - base64Length(this.#hashBytes) - LINE_REST;
  }

  /** False when a line does not look as the writer makes it. */
  #read({ hashBytes, blockBytes, tarBytes }: BlockLimits): boolean {
    const text = this.#text;
    const hashLength = base64Length(hashBytes);
    let at = 0;
    let start = this.startOf(0);
    for (let index = 0; index < this.count; index += 1) {
      this.#lines[index] = at;
      if (text[at] !== BRACKET) return false;
      at += 1;
      let length = 0;
      for (let digit = text[at] ?? 0; digit >= ZERO && digit <= NINE; digit = text[at] ?? 0) {
        length = length * 10 + digit - ZERO;
        // Also so that the number stays one.
        if (length > blockBytes) throw damagedList();
        at += 1;
      }
      if (text[at] !== COMMA || text[at + 1] !== QUOTE) return false;
      at += 2;
      const end = at + hashLength;
      if (text[end] !== QUOTE || text[end + 1] !== END_BRACKET || text[end + 2] !== NEWLINE) return false;
      if (!isBase64(text, at, hashBytes)) return false;
      at = end + LINE_REST;
      start += length;
      if (length === 0 || start > tarBytes) throw damagedList();
      this.#starts[index + 1] = start;
    }
    this.#lines[this.count] = at;
    return at === text.length;
  }
}

/** Behind the hash. */
const LINE_REST = 3;

function rewritten(text: Buffer): Buffer {
  const lines = parseLines(text.toString('utf8')).map((line) => {
    if (!Array.isArray(line) || typeof line[1] !== 'string') throw damagedList();
    return blockLine(checkedNumber(line[0]), line[1]);
  });
  return Buffer.from(lines.join(''), 'utf8');
}

/** `hash` in base64. */
export function blockLine(length: number, hash: string): string {
  return `[${length},"${hash}"]\n`;
}
