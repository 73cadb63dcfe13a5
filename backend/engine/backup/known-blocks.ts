import type { Entry } from '../archive/entry.ts';
import { TAR_BLOCK } from '../archive/tar-header.ts';
import type { UsualRow } from '../archive/usual-row.ts';
import { StoreClient } from '../blocks/store-client.ts';
import type { StoreLink } from '../blocks/store-requests.ts';
import type { Control } from '../job/control.ts';
import type { BlockLines } from '../manifest/block-lines.ts';
import type { PreviousCopy } from './previous-copy.ts';
import type { TarOutput } from './tar-output.ts';

/** As many as there are in a segment of the list: fewer mean more waits of two threads for each other. */
const HASHES_AT_ONCE = 4096;
const KEPT_ANSWERS = 16;

/** Frames of the copy before: of those in `lines` the ones from `from` to before `to`. */
interface KnownRun {
  readonly lines: BlockLines;
  readonly from: number;
  readonly to: number;
}

export interface KnownMember {
  /** Of the member in front of it, with which the first frame begins. */
  readonly padding: number;
  readonly runs: readonly KnownRun[];
}

/** What the store says of some blocks: one flag for each, or how to wait for them. */
type Answer = Uint8Array | (() => Uint8Array);

/**
 * The content of files that have not changed since the copy before: its blocks are named again and the files are not
 * read. The new copy needs no other one for it.
 */
export class KnownBlocks {
  readonly #previous: PreviousCopy;
  readonly #store: StoreClient;
  readonly #output: TarOutput;
  readonly #frames: number;
  /** By the number of the first frame. */
  readonly #answers = new Map<number, Answer>();
  #answered = -1;
  #flags: Uint8Array = new Uint8Array(0);
  readonly #member: { padding: number; readonly runs: KnownRun[] } = { padding: 0, runs: [] };
  /** The frame behind those of the last member. */
  #lines: BlockLines | null = null;
  #next = 0;

  constructor(previous: PreviousCopy, link: StoreLink, control: Control, output: TarOutput) {
    this.#previous = previous;
    this.#frames = previous.frameCount;
    this.#store = new StoreClient(link, control);
    this.#output = output;
  }

  /** Whether the store has all of it; from then on it stays there. False when the file is to be read. */
  hasAll(old: Entry): boolean {
    for (const frame of this.#previous.blocksOf(old)) {
      if (frame === null) return false;
      const lines = this.#previous.linesOf(frame.index);
      if (!this.#isThere(lines, frame.index - lines.first)) return false;
    }
    return true;
  }

  /** Asked for together with those around it: most files are small, and hardly anything has changed where one has not. */
  #isThere(lines: BlockLines, at: number): boolean {
    const from = at - (at % HASHES_AT_ONCE);
    if (this.#answered !== lines.first + from) this.#answer(lines, from);
    return this.#flags[at - from] === 1;
  }

  /** The next ones are asked for at once, and are there when it is their turn. */
  #answer(lines: BlockLines, from: number): void {
    const first = lines.first + from;
    const known = this.#answers.get(first) ?? this.#ask(lines, from);
    this.#flags = typeof known === 'function' ? known() : known;
    this.#answered = first;
    this.#remember(first, this.#flags);
    this.#askAhead(lines, from + HASHES_AT_ONCE);
  }

  #askAhead(lines: BlockLines, from: number): void {
    const isHere = from < lines.count;
    const first = isHere ? lines.first + from : lines.first + lines.count;
    if (first >= this.#frames || this.#answers.has(first)) return;
    this.#remember(first, isHere ? this.#ask(lines, from) : this.#ask(this.#previous.linesOf(first), 0));
  }

  #ask(lines: BlockLines, from: number): Answer {
    const hashes = lines.hashes(from, Math.min(lines.count, from + HASHES_AT_ONCE));
    return this.#store.begin('has', { hashes }, [hashes.buffer]);
  }

  /** Files under new names lie elsewhere in the copy before: some answers are kept. */
  #remember(first: number, answer: Answer): void {
    this.#answers.set(first, answer);
    for (const [oldest, given] of this.#answers) {
      if (this.#answers.size <= KEPT_ANSWERS) break;
      // What was asked is taken, so that nothing waits for ever.
      if (typeof given === 'function') given();
      this.#answers.delete(oldest);
    }
  }

  /**
   * The frames of such a row as they stand in the copy before: those of its headers, with the padding of the member in front of
   * them, and those of its content, all of which the store has. Null when other data lie in a frame with its headers, or it
   * has no content: such a member is written anew. Valid until the next call.
   */
  memberOf(row: UsualRow): KnownMember | null {
    const { headerOffset, headerLength, sizeBytes } = row;
    const contentAt = headerOffset + headerLength;
    const end = contentAt + sizeBytes;
    if (sizeBytes === 0 || !this.#previous.hasTar(end)) return null;
    let lines = this.#linesAt(headerOffset);
    let from = this.#next;
    const padding = headerOffset - lines.startOf(from);
    // Headers begin at whole blocks of the tar stream: nothing else is shorter than one.
    if (padding >= TAR_BLOCK || lines.startOf(from + 1) !== contentAt) return null;
    const { runs } = this.#member;
    runs.length = 0;
    let next = from + 1;
    for (let at = contentAt; at < end; ) {
      if (next === lines.count) {
        runs.push({ lines, from, to: next });
        if (lines.first + next >= this.#frames) return null;
        lines = this.#previous.linesOf(lines.first + next);
        from = 0;
        next = 0;
        if (lines.startOf(0) !== at) return null;
      }
      next += 1;
      at = lines.startOf(next);
      if (at > end) return null;
    }
    runs.push({ lines, from, to: next });
    this.#lines = lines;
    this.#next = next;
    for (const run of runs)
      for (let at = run.from; at < run.to; at += 1) if (!this.#isThere(run.lines, at)) return null;
    this.#member.padding = padding;
    return this.#member;
  }

  /** The lines with that of the frame which holds this place, and its number there as `#next`; nearly always the one behind those of the member before. */
  #linesAt(position: number): BlockLines {
    let lines = this.#lines;
    const isRight =
      lines !== null && lines.startOf(this.#next) <= position && position < lines.startOf(this.#next + 1);
    if (lines !== null && isRight) return lines;
    lines = this.#previous.linesHolding(position);
    this.#lines = lines;
    this.#next = lines.indexAt(position);
    return lines;
  }

  /** Puts the content into the tar stream. Only after `hasAll` has said that it is there. */
  write(old: Entry): void {
    for (const frame of this.#previous.blocksOf(old)) {
      if (frame === null) throw new Error('a block was there a moment ago');
      this.#output.known(frame.rawLength, frame.hash);
    }
  }
}
