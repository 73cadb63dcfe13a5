import type { Entry } from '../archive/entry.ts';
import { TAR_BLOCK } from '../archive/tar-header.ts';
import type { UsualRow } from '../archive/usual-row.ts';
import { StoreClient } from '../blocks/store-client.ts';
import type { StoreLink } from '../blocks/store-requests.ts';
import type { Control } from '../job/control.ts';
import type { Frame } from '../manifest/frame-table.ts';
import type { PreviousCopy } from './previous-copy.ts';
import type { TarOutput } from './tar-output.ts';

/** A whole share of the frames in a segment of the list. */
const HASHES_AT_ONCE = 1024;
const KEPT_ANSWERS = 32;

export interface KnownMember {
  /** Of the member in front of it, with which the first frame begins. */
  readonly padding: number;
  readonly frames: readonly Frame[];
}

/**
 * The content of files that have not changed since the copy before: its blocks are named again and the files are not
 * read. The new copy needs no other one for it.
 */
export class KnownBlocks {
  readonly #previous: PreviousCopy;
  readonly #store: StoreClient;
  readonly #output: TarOutput;
  readonly #answers = new Map<number, Uint8Array>();
  readonly #member: { padding: number; readonly frames: Frame[] } = { padding: 0, frames: [] };
  /** The frame behind those of the last member. */
  #next = 0;

  constructor(previous: PreviousCopy, link: StoreLink, control: Control, output: TarOutput) {
    this.#previous = previous;
    this.#store = new StoreClient(link, control);
    this.#output = output;
  }

  /** Whether the store has all of it; from then on it stays there. False when the file is to be read. */
  hasAll(old: Entry): boolean {
    for (const frame of this.#previous.blocksOf(old)) {
      if (frame === null || !this.#isThere(frame.index)) return false;
    }
    return true;
  }

  /** Asked for together with those around it: most files are small, and hardly anything has changed where one has not. */
  #isThere(index: number): boolean {
    const group = Math.floor(index / HASHES_AT_ONCE);
    const known = this.#answers.get(group);
    const flags = known ?? this.#ask(group * HASHES_AT_ONCE);
    if (known === undefined) this.#remember(group, flags);
    return flags[index % HASHES_AT_ONCE] === 1;
  }

  #ask(first: number): Uint8Array {
    const hashes = this.#previous.blockHashes(first, HASHES_AT_ONCE);
    const bytes = Buffer.concat(hashes.map((hash) => Buffer.from(hash, 'base64')));
    return this.#store.call('has', { hashes: Uint8Array.from(bytes) });
  }

  /** Files under new names lie elsewhere in the copy before: some answers are kept. */
  #remember(group: number, flags: Uint8Array): void {
    this.#answers.set(group, flags);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= KEPT_ANSWERS) break;
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
    const { frames } = this.#member;
    frames.length = 0;
    const first = this.#frameAt(headerOffset);
    const padding = headerOffset - first.start;
    // Headers begin at whole blocks of the tar stream: nothing else is shorter than one.
    if (padding >= TAR_BLOCK || first.start + first.rawLength !== contentAt) return null;
    frames.push(first);
    for (let at = contentAt, { index } = first; at < end; ) {
      index += 1;
      const frame = this.#previous.frame(index);
      if (frame.start !== at || at + frame.rawLength > end) return null;
      frames.push(frame);
      at += frame.rawLength;
      this.#next = index + 1;
    }
    for (const { index } of frames) if (!this.#isThere(index)) return null;
    this.#member.padding = padding;
    return this.#member;
  }

  /** Nearly always the one behind those of the member before. */
  #frameAt(position: number): Frame {
    const guess = this.#previous.hasFrame(this.#next) ? this.#previous.frame(this.#next) : null;
    const isRight = guess !== null && guess.start <= position && position < guess.start + guess.rawLength;
    return isRight ? guess : this.#previous.frameHolding(position);
  }

  /** Puts the content into the tar stream. Only after `hasAll` has said that it is there. */
  write(old: Entry): void {
    for (const frame of this.#previous.blocksOf(old)) {
      if (frame === null) throw new Error('a block was there a moment ago');
      this.#output.known(frame.rawLength, frame.hash);
    }
  }
}
