import { base64Length, writeBase64 } from '../../platform/base64-bytes.ts';
import { copyBytes } from '../../platform/copy-bytes.ts';
import { BRACKET, COMMA, END_BRACKET, NEWLINE, QUOTE, ZERO } from '../archive/ascii.ts';

const FRAMES_PER_SEGMENT = 4096;
const FIRST_BYTES = 262_144;
/** What stands in a line beside the hash, with a length of ten digits. */
const LINE_BYTES = 16;

/** A segment of the table: number of its first frame and of all, their lines, and where the first one begins. */
type WriteSegment = (first: number, count: number, text: Buffer, base: number) => void;

/** The table of frames of a new copy, made as bytes: a text for each of many small blocks would take longer than all else here. */
export class FrameTableOutput {
  readonly #write: WriteSegment;
  #text = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;
  #count = 0;
  #base = 0;
  /** All frames so far. */
  frames = 0;

  /** `write`: is given the bytes until it returns. */
  constructor(write: WriteSegment) {
    this.#write = write;
  }

  /** `end`: where the frame ends. */
  addLine(line: string, end: number): void {
    this.#makeRoom(3 * line.length);
    this.#length += this.#text.write(line, this.#length, 'utf8');
    this.#noteFrames(1, end);
  }

  /** A block with its hash; `end`: where it ends in the tar stream. */
  addBlock(rawLength: number, hash: Uint8Array, end: number): void {
    this.#makeRoom(LINE_BYTES + base64Length(hash.length));
    const text = this.#text;
    let at = this.#length;
    text[at] = BRACKET;
    at = writeDigits(text, at + 1, rawLength);
    text[at] = COMMA;
    text[at + 1] = QUOTE;
    at = writeBase64(hash, text, at + 2);
    text[at] = QUOTE;
    text[at + 1] = END_BRACKET;
    text[at + 2] = NEWLINE;
    this.#length = at + 3;
    this.#noteFrames(1, end);
  }

  /** So many lines of another table; where the first of their blocks begins and the last one ends in the tar stream. */
  addRun(lines: Buffer, count: number, start: number, end: number): void {
    const room = FRAMES_PER_SEGMENT - this.#count;
    if (count <= room) {
      this.#addLines(lines, count, end);
      return;
    }
    const first = partOf(lines, room);
    const cut = start + first.rawLength;
    this.#addLines(lines.subarray(0, first.bytes), room, cut);
    this.addRun(lines.subarray(first.bytes), count - room, cut, end);
  }

  #addLines(lines: Buffer, count: number, end: number): void {
    this.#makeRoom(lines.length);
    copyBytes(lines, this.#text, this.#length);
    this.#length += lines.length;
    this.#noteFrames(count, end);
  }

  /** Nothing follows. */
  end(position: number): void {
    if (this.#count === 0) return;
    this.#write(this.frames - this.#count, this.#count, this.#text.subarray(0, this.#length), this.#base);
    this.#count = 0;
    this.#length = 0;
    this.#base = position;
  }

  #noteFrames(count: number, end: number): void {
    this.#count += count;
    this.frames += count;
    if (this.#count >= FRAMES_PER_SEGMENT) this.end(end);
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#text.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + bytes));
    this.#text.copy(larger, 0, 0, this.#length);
    this.#text = larger;
  }
}

/** How long the blocks of the first so many lines are, and these lines. */
function partOf(lines: Buffer, count: number): { readonly rawLength: number; readonly bytes: number } {
  let rawLength = 0;
  let at = 0;
  for (let line = 0; line < count; line += 1) {
    at += 1;
    let length = 0;
    for (let digit = lines[at] ?? COMMA; digit !== COMMA; digit = lines[at] ?? COMMA) {
      length = length * 10 + digit - ZERO;
      at += 1;
    }
    rawLength += length;
    at = lines.indexOf(NEWLINE, at) + 1;
  }
  return { rawLength, bytes: at };
}

function writeDigits(into: Uint8Array, at: number, value: number): number {
  let end = at + 1;
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) end += 1;
  let rest = value;
  for (let to = end - 1; to >= at; to -= 1) {
    into[to] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return end;
}
