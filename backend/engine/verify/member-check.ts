import type { Entry } from '../archive/entry.ts';
import type { FrameStream } from '../archive/frame-stream.ts';
import { ContentHash } from '../archive/hash.ts';
import { FRAME_DAMAGED, FRAME_GOOD } from '../archive/stream.ts';
import { DeviceError } from '../device-error.ts';

/** Looks at members of the tar stream one after the other: at once what lies in one frame, as most do; to wait takes longer than that. */
export class MemberCheck {
  readonly #stream: FrameStream;
  readonly #hash = new ContentHash();
  /** Of the headers of the member that is looked at; null: not seen yet. */
  #ofHeader: number | null = null;

  constructor(stream: FrameStream) {
    this.#stream = stream;
  }

  /** Null of a member whose bytes are to be waited for: ask `status` then. */
  statusNow(entry: Entry, headerOffset: number): number | null {
    this.#ofHeader = null;
    const { headerLength, storedBytes } = entry;
    const member = this.#stream.held(headerOffset, headerLength + storedBytes);
    if (member !== null)
      return storedBytes === 0 ? FRAME_GOOD : this.#contentStatus(member.subarray(headerLength), entry);
    this.#ofHeader = this.#stream.statusNow(headerOffset, headerLength);
    if (this.#ofHeader === null || storedBytes === 0) return this.#ofHeader;
    const start = headerOffset + headerLength;
    if (this.#stream.isPresenceOnly) {
      const there = this.#stream.statusNow(start, storedBytes);
      return there === null ? null : Math.max(this.#ofHeader, there);
    }
    const content = this.#stream.held(start, storedBytes, true);
    if (content === null) return null;
    const proven = this.#stream.provenHash(start, storedBytes);
    const ofContent = proven === null ? this.#contentStatus(content, entry) : statusBy(proven, entry);
    const ofBlock = ofContent === FRAME_GOOD ? ofContent : this.#stream.recheck();
    return Math.max(this.#ofHeader, ofContent, ofBlock);
  }

  /** Of the member that `statusNow` could not tell. */
  async status(entry: Entry, headerOffset: number): Promise<number> {
    const { headerLength, storedBytes } = entry;
    let worst = this.#ofHeader ?? (await statusOf(this.#stream, headerOffset, headerLength));
    if (storedBytes === 0) return worst;
    const hash = this.#hash;
    hash.start();
    return asStatus(async () => {
      for await (const piece of this.#stream.pieces(headerOffset + headerLength, storedBytes)) {
        worst = Math.max(worst, piece.status);
        if (piece.bytes !== null) hash.update(piece.bytes);
      }
      if (this.#stream.isPresenceOnly) return worst;
      return worst === FRAME_GOOD ? statusBy(hash.digest(), entry) : worst;
    });
  }

  #contentStatus(content: Buffer, entry: Entry): number {
    return statusBy(this.#hash.of(content), entry);
  }
}

function statusBy(found: string, entry: Entry): number {
  return found === entry.hash ? FRAME_GOOD : FRAME_DAMAGED;
}

/** The worst status of the frames below a stretch of the tar stream. */
export async function statusOf(stream: FrameStream, offset: number, length: number): Promise<number> {
  return asStatus(async () => {
    let worst = FRAME_GOOD;
    for await (const piece of stream.pieces(offset, length)) worst = Math.max(worst, piece.status);
    return worst;
  });
}

/** A place that cannot be in the archive is damage of the item that names it. */
export async function asStatus(look: () => Promise<number>): Promise<number> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof DeviceError && error.kind === 'corrupt') return FRAME_DAMAGED;
    throw error;
  }
}
