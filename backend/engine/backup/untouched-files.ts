import fs from 'node:fs';
import { atCalls, type ItemLook } from '../../platform/at-calls.ts';
import { type ByteString, toDisplay } from '../../platform/byte-path.ts';
import type { UsualRow } from '../archive/usual-row.ts';
import type { ExcludedItems } from './excluded-items.ts';
import type { FileOutputs } from './file-reader.ts';
import type { KnownBlocks } from './known-blocks.ts';
import type { Place } from './place.ts';
import type { OldChildren, PreviousCopy } from './previous-copy.ts';
import { shownDevice } from './source-item.ts';

const { S_IFMT, S_IFREG } = fs.constants;
/** Figures of progress are shared with another thread; to bring them there for each file takes as long as the look at it. */
const FILES_PER_NOTE = 64;

/**
 * The short way for what nothing has happened to since the copy before: a look, a comparison with the row where it lies, and its
 * bytes are the new row. The rules are those of `PreviousCopy.isUntouched`; whatever is not as nearly all files are is left to
 * the long way, which looks again.
 */
export class UntouchedFiles {
  readonly #to: FileOutputs;
  readonly #previous: PreviousCopy;
  readonly #device: bigint;
  readonly #excluded: ExcludedItems;
  readonly #untilSeconds: number;
  readonly #untilRestNs: number;
  /** Whose names were noted last: nearly always the same. */
  #uid = -1;
  #gid = -1;
  #isOwnerSame = false;
  #unnotedFiles = 0;
  #unnotedBytes = 0;
  files = 0;
  bytes = 0;

  private constructor(to: FileOutputs, previous: PreviousCopy, excluded: ExcludedItems) {
    this.#to = to;
    this.#previous = previous;
    this.#device = BigInt(previous.device ?? 0);
    this.#excluded = excluded;
    this.#untilSeconds = Math.floor(previous.untilMs / 1000);
    this.#untilRestNs = (previous.untilMs - this.#untilSeconds * 1000) * 1e6;
  }

  /** Null where there is no such way: no copy before, or rows that say another device than their resource has. */
  static of(to: FileOutputs, excluded: ExcludedItems): UntouchedFiles | null {
    const { previous, rows } = to;
    const isPossible = previous !== null && previous.device === rows.device.toString();
    return isPossible ? new UntouchedFiles(to, previous, excluded) : null;
  }

  /** True when the row of this child is written. `seen`: ahead; null: it is to be looked at. */
  take(place: Place, name: ByteString, olds: OldChildren, seen: ItemLook | null): boolean {
    const row = olds.usual(name);
    if (row === null) return false;
    const look = seen ?? lookIn(place, name);
    if (look === null || !this.#isSame(row, look)) return false;
    const { blocks } = this.#to;
    if (blocks === null) this.#refer(row);
    else if (!this.#takeOver(row, blocks)) return false;
    this.#note(place, name, row.sizeBytes);
    olds.pass();
    return true;
  }

  /** What was not brought to the figures of progress yet. */
  settle(): void {
    if (this.#unnotedFiles === 0) return;
    this.#to.control.add('filesDone', this.#unnotedFiles);
    this.#to.control.add('bytesDone', this.#unnotedBytes);
    this.#unnotedFiles = 0;
    this.#unnotedBytes = 0;
  }

  #isSame(row: UsualRow, look: ItemLook): boolean {
    const { mode, ctimeSeconds, ctimeRestNs, inodeNumber } = look;
    return (
      row.inode === inodeNumber &&
      row.sizeBytes === look.sizeBytes &&
      row.ctimeSeconds === ctimeSeconds &&
      row.ctimeRestNs === ctimeRestNs &&
      row.mtimeSeconds === look.mtimeSeconds &&
      row.mtimeRestNs === look.mtimeRestNs &&
      (mode & S_IFMT) === S_IFREG &&
      row.mode === (mode & 0o7777) &&
      row.uid === look.uid &&
      row.gid === look.gid &&
      look.links === 1 &&
      (ctimeSeconds < this.#untilSeconds ||
        (ctimeSeconds === this.#untilSeconds && ctimeRestNs < this.#untilRestNs)) &&
      shownDevice(look.device) === this.#device &&
      !this.#excluded.mayHave(inodeNumber)
    );
  }

  /** The copy before, or the one that it refers to, holds it. */
  #refer(row: UsualRow): void {
    this.#noteOwner(row);
    const heldBy = row.saidHolder < 0 ? null : row.saidHolder;
    this.#to.rows.copiedRow(row, row.headerOffset, this.#previous.heldBy({ heldBy }));
  }

  /** The new copy names the same blocks, those of the headers too. False when it has to be put together. */
  #takeOver(row: UsualRow, blocks: KnownBlocks): boolean {
    if (!this.#noteOwner(row)) return false;
    const headerOffset = this.#to.members.taken(row, blocks);
    if (headerOffset === null) return false;
    this.#to.rows.copiedRow(row, headerOffset, null);
    return true;
  }

  /** Whether they are called what the copy before calls them: headers have the names. */
  #noteOwner({ uid, gid }: UsualRow): boolean {
    if (uid === this.#uid && gid === this.#gid) return this.#isOwnerSame;
    this.#uid = uid;
    this.#gid = gid;
    const now = this.#to.members.noteOwner({ uid, gid }).map(toDisplay);
    const before = this.#previous.ownerNames({ uid, gid });
    this.#isOwnerSame = before.every((name, index) => name === now[index]);
    return this.#isOwnerSame;
  }

  #note(place: Place, name: ByteString, bytes: number): void {
    this.files += 1;
    this.bytes += bytes;
    this.#unnotedFiles += 1;
    this.#unnotedBytes += bytes;
    if (this.#unnotedFiles < FILES_PER_NOTE) return;
    this.#to.control.setPath(place.childFull(name));
    this.settle();
  }
}

/** Null when it cannot be looked at: the long way meets the same error, and tells it. */
function lookIn(place: Place, name: ByteString): ItemLook | null {
  try {
    return atCalls().lookIn(place.descriptor(), name);
  } catch {
    return null;
  }
}
