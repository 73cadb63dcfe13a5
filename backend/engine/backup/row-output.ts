import type { Entry, SkippedItem } from '../archive/entry.ts';
import { ROWS_PER_SEGMENT, SEGMENT_TEXT_BYTES, USUAL_HEADER_BYTES } from '../archive/manifest-format.ts';
import { type BlockLine, encodeBlock } from '../archive/manifest-lines.ts';
import { type LineBytes, RowCodec } from '../archive/row-codec.ts';
import { KIND_FOLDERS, KIND_ROWS, KIND_SKIPPED } from '../archive/stream.ts';
import type { UsualRow } from '../archive/usual-row.ts';
import type { TarOutput } from './tar-output.ts';

export const FOLDERS_PER_SEGMENT = 4096;
const SKIPPED_PER_SEGMENT = 1000;
const KEPT_SKIPPED = 1000;

/** Writes the rows of the manifest in segments that can each be read alone. */
export class RowOutput {
  readonly #output: TarOutput;
  readonly #codec: RowCodec;
  readonly #text = new SegmentText();
  /** Of the resource. */
  readonly device: bigint;
  #rows = 0;
  #first = 0;
  #block: BlockLine | null = null;
  nextOrdinal = 0;

  constructor(output: TarOutput, device: bigint) {
    this.#output = output;
    this.device = device;
    this.#codec = new RowCodec({ device: device.toString(), headerBytes: USUAL_HEADER_BYTES });
  }

  beginBlock(block: BlockLine): void {
    this.#block = block;
    this.#text.add(encodeBlock(block));
    // Many empty folders make block lines and no rows: the text must not outgrow a slot all the same.
    if (this.#text.length >= SEGMENT_TEXT_BYTES) this.flush();
  }

  row(entry: Omit<Entry, 'ordinal'>): void {
    this.#beginLine();
    this.#text.add(this.#codec.encode(entry));
    this.#endLine();
  }

  /** A row of the copy before, with where its headers are and which copy of the chain holds them; null: this one. */
  copiedRow(row: UsualRow, headerOffset: number, heldBy: number | null): void {
    this.#beginLine();
    this.#codec.copy(row, { headerOffset, heldBy }, this.#text);
    this.#endLine();
  }

  #beginLine(): void {
    if (this.#text.length > 0 || this.#block === null) return;
    this.#text.add(encodeBlock({ ...this.#block, continued: true }));
  }

  #endLine(): void {
    this.#rows += 1;
    this.nextOrdinal += 1;
    if (this.#rows >= ROWS_PER_SEGMENT || this.#text.length >= SEGMENT_TEXT_BYTES) this.flush();
  }

  flush(): void {
    if (this.#text.length === 0) return;
    this.#output.segment(KIND_ROWS, this.#first, this.#rows, this.#text.take());
    this.#codec.reset();
    this.#rows = 0;
    this.#first = this.nextOrdinal;
  }
}

/** The text of a segment as bytes: lines that are kept as texts until its end would be copied by each collection of young objects. */
class SegmentText implements LineBytes {
  #bytes = Buffer.alloc(2 * SEGMENT_TEXT_BYTES);
  length = 0;

  add(line: string): void {
    // No character of a text takes more than three bytes.
    if (this.length + 3 * line.length > this.#bytes.length) this.#grow(3 * line.length);
    this.length += this.#bytes.write(line, this.length, 'utf8');
  }

  addBytes(bytes: Buffer, from: number, end: number): void {
    if (this.length + end - from > this.#bytes.length) this.#grow(end - from);
    this.length += bytes.copy(this.#bytes, this.length, from, end);
  }

  /** Valid until the next line; it begins anew. */
  take(): Buffer {
    const text = this.#bytes.subarray(0, this.length);
    this.length = 0;
    return text;
  }

  #grow(by: number): void {
    const larger = Buffer.alloc(this.length + by);
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}

/** Number of the folder that has the resource itself as its only child. */
export const TOP = 0;

/** The block with which every copy begins. */
export function beginTop(rows: RowOutput, folders: FolderTable): void {
  folders.add(TOP, 0);
  const none = { headerOffset: 0, headerLength: 0, continued: false };
  rows.beginBlock({ folderId: TOP, parentId: TOP, name: '', ...none });
}

/** Place of each folder's children: 32 bytes a folder, which is all that grows with the number of folders. */
export class FolderTable {
  #numbers = new Float64Array(4 * 1024);
  #count = 0;

  /** Returns the new folder's number. */
  add(parentId: number, ownOrdinal: number): number {
    const id = this.#count;
    if (4 * (id + 1) > this.#numbers.length) {
      const larger = new Float64Array(this.#numbers.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers.set([0, 0, parentId, ownOrdinal], 4 * id);
    this.#count += 1;
    return id;
  }

  setChildren(id: number, firstOrdinal: number, count: number): void {
    this.#numbers.set([firstOrdinal, count], 4 * id);
  }

  get count(): number {
    return this.#count;
  }

  writeTo(output: TarOutput): void {
    for (let first = 0; first < this.#count; first += FOLDERS_PER_SEGMENT) {
      const last = Math.min(this.#count, first + FOLDERS_PER_SEGMENT);
      let text = '';
      for (let id = first; id < last; id += 1) {
        text += `${JSON.stringify([...this.#numbers.subarray(4 * id, 4 * id + 4)])}\n`;
      }
      output.segment(KIND_FOLDERS, first, last - first, text);
    }
  }
}

/** All skipped items go into the manifest as they come; the first ones are kept for the task's log. */
export class SkippedOutput {
  readonly #output: TarOutput;
  readonly kept: SkippedItem[] = [];
  #lines: string[] = [];
  #first = 0;
  #textLength = 0;
  count = 0;

  constructor(output: TarOutput) {
    this.#output = output;
  }

  add(item: SkippedItem): void {
    if (this.kept.length < KEPT_SKIPPED) this.kept.push(item);
    const line = `${JSON.stringify([item.path, item.code, item.class, item.reason])}\n`;
    this.#lines.push(line);
    this.#textLength += Buffer.byteLength(line);
    // What was left out on purpose is listed, but it is nothing that is missing.
    if (item.class !== 'rule') this.count += 1;
    if (this.#lines.length >= SKIPPED_PER_SEGMENT || this.#textLength >= SEGMENT_TEXT_BYTES) this.flush();
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    this.#output.segment(KIND_SKIPPED, this.#first, this.#lines.length, this.#lines.join(''));
    this.#first += this.#lines.length;
    this.#lines = [];
    this.#textLength = 0;
  }
}
