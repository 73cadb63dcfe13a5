import { BRACE, NEWLINE } from '../archive/ascii.ts';
import type { Entry } from '../archive/entry.ts';
import type { SegmentInfo } from '../archive/manifest-format.ts';
import { type BlockLine, damagedList, decodeBlock, parseLine } from '../archive/manifest-lines.ts';
import { RowCodec } from '../archive/row-codec.ts';
import { UsualRow } from '../archive/usual-row.ts';
import type { ManifestFile } from './manifest-file.ts';

/** The rows of one segment in their order, each decoded or only looked at where it lies. */
export class SegmentRows {
  readonly info: SegmentInfo;
  readonly #file: ManifestFile;
  readonly #raw: Buffer;
  readonly #codec: RowCodec;
  readonly #usual = new UsualRow();
  #at = 0;
  #rows = 0;
  #block: BlockLine | null = null;

  constructor(file: ManifestFile, info: SegmentInfo) {
    this.info = info;
    this.#file = file;
    this.#codec = new RowCodec(file.header);
    this.#raw = file.raw(info);
  }

  /** Nothing of it may be used any more. */
  close(): void {
    this.#file.release(this.#raw);
  }

  /** Of the row that comes next. */
  get nextOrdinal(): number {
    return this.info.first + this.#rows;
  }

  /** Throws `corrupt` where it is not what the writer makes. */
  next(): Entry {
    const { folderId } = this.#toRow();
    const usual = this.#readUsual();
    if (usual !== null) {
      const entry = this.#codec.entryOf(usual, this.nextOrdinal, folderId);
      this.pass();
      return entry;
    }
    const entry = this.#codec.decode(this.#line(), this.nextOrdinal, folderId);
    this.#rows += 1;
    return entry;
  }

  /** The next row, which stays the next one; valid until another call. Null when it is to be decoded. */
  usual(): UsualRow | null {
    this.#toRow();
    return this.#readUsual();
  }

  #readUsual(): UsualRow | null {
    return this.#usual.read(this.#raw, this.#at) && this.#codec.place(this.#usual) ? this.#usual : null;
  }

  /** The row that `usual` answered is done with. */
  pass(): void {
    this.#codec.pass(this.#usual);
    this.#at = this.#usual.end;
    this.#rows += 1;
  }

  /** Block lines and rows, each decoded when it is asked for. Throws like `next`. */
  *all(): Generator<BlockLine | Entry> {
    while (this.#at < this.#raw.length) yield this.#raw[this.#at] === BRACE ? this.#toBlock() : this.next();
    if (this.#rows !== this.info.count) throw damagedList();
  }

  /** Block lines, and rows of what is no file as nearly all are; those are passed. Throws like `next`. */
  *unusual(): Generator<BlockLine | Entry> {
    while (this.#at < this.#raw.length) {
      if (this.#raw[this.#at] === BRACE) yield this.#toBlock();
      else if (this.usual() === null) yield this.next();
      else this.pass();
    }
    if (this.#rows !== this.info.count) throw damagedList();
  }

  #toBlock(): BlockLine {
    const block = decodeBlock(this.#line());
    if (block === null) throw damagedList();
    this.#block = block;
    return block;
  }

  #toRow(): BlockLine {
    while (this.#raw[this.#at] === BRACE) this.#toBlock();
    if (this.#block === null || this.#rows === this.info.count) throw damagedList();
    return this.#block;
  }

  #line(): unknown {
    const found = this.#raw.indexOf(NEWLINE, this.#at);
    const end = found < 0 ? this.#raw.length : found;
    const line = parseLine(this.#raw.toString('utf8', this.#at, end));
    this.#at = end + 1;
    return line;
  }
}
