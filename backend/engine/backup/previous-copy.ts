import type { ByteString } from '../../platform/byte-path.ts';
import type { CopyTotals, Entry } from '../archive/entry.ts';
import type { ChainMember } from '../archive/manifest-format.ts';
import type { BlockLine } from '../archive/manifest-lines.ts';
import type { UsualRow } from '../archive/usual-row.ts';
import type { ChainLink } from '../chain/links.ts';
import { DeviceError } from '../device-error.ts';
import type { BlockLines } from '../manifest/block-lines.ts';
import type { Frame } from '../manifest/frame-table.ts';
import { ManifestReader } from '../manifest/manifest-reader.ts';
import { RowCursor } from '../manifest/row-cursor.ts';
import { InodeIndex } from './inode-index.ts';
import type { ItemStat } from './source-item.ts';

/** Clocks of file systems tick coarsely: what happened within this time of the last look may have the same time. */
const COARSE_TICK_MS = 1000;

/** The copy on which a new one builds, and those on which that one builds. Its rows are read as they are needed. */
export class PreviousCopy {
  readonly chain: readonly ChainMember[];
  readonly #reader: ManifestReader;
  readonly #rows: RowCursor;
  /** Looks by inode jump about; they must not push out the segments that are read in order. */
  readonly #looks: ManifestReader;
  readonly #untilNs: bigint;
  /** What was touched from then on may have been touched again without another time. */
  readonly untilMs: number;
  #index: InodeIndex | null = null;
  isIndexWanted = false;

  /** `links`: oldest first; the last one is built on. */
  constructor(links: readonly ChainLink[]) {
    const last = links.at(-1);
    if (last === undefined) throw new Error('a chain has at least one copy');
    this.chain = links.map(({ copyId }) => ({ copyId }));
    this.#reader = new ManifestReader(last.copyPath, last.secret);
    this.#rows = new RowCursor(this.#reader.file);
    this.#looks = new ManifestReader(last.copyPath, last.secret);
    this.untilMs = this.#reader.file.header.createdAtMs - COARSE_TICK_MS;
    this.#untilNs = BigInt(this.untilMs) * 1_000_000n;
  }

  close(): void {
    this.#reader.close();
    this.#looks.close();
  }

  /** Of the resource then. */
  get device(): string | undefined {
    return this.#reader.file.header.device;
  }

  get totals(): CopyTotals {
    return this.#reader.file.header.totals;
  }

  childrenOf(folderId: number): OldChildren {
    if (this.#reader.file.header.totals.entries === 0) return new OldChildren(this.#rows, 0, 0);
    const { firstOrdinal, count } = this.#reader.folder(folderId);
    return new OldChildren(this.#rows, firstOrdinal, count);
  }

  /** The line of a folder's block: where its header is in the copy that is built on. */
  blockOf(folderId: number): BlockLine {
    return this.#reader.block(folderId);
  }

  /** The row that holds the content of a file or of a further name of it; null for anything else. */
  contentOf(old: Entry | null): Entry | null {
    if (old === null || old.type === 'f') return old;
    if (old.type !== 'h' || old.firstLink === null) return null;
    const first = this.#looks.entry(old.firstLink);
    return first.type === 'f' ? first : null;
  }

  /** The blocks of a file's content, one after the other; null for one that is not where it should begin. */
  *blocksOf(old: Entry): Generator<Frame | null> {
    const { tarBytes, blocks } = this.#looks.file.header;
    let at = (old.headerOffset ?? 0) + old.headerLength;
    const end = at + old.storedBytes;
    while (at < end) {
      const frame =
        blocks === undefined || end > tarBytes ? null : this.#looks.frames.at(this.#looks.frames.indexAt(at));
      if (frame === null || frame.start !== at || at + frame.rawLength > end) {
        yield null;
        return;
      }
      yield frame;
      at += frame.rawLength;
    }
  }

  hasTar(end: number): boolean {
    return end <= this.#looks.file.header.tarBytes;
  }

  get frameCount(): number {
    return this.#looks.file.header.frames;
  }

  /** Of a copy of blocks: the lines with that of this frame. */
  linesOf(index: number): BlockLines {
    return this.#looks.frames.linesOf(index);
  }

  /** Of a copy of blocks: the lines with that of the frame that holds this place of the tar stream. */
  linesHolding(position: number): BlockLines {
    return this.#looks.frames.linesHolding(position);
  }

  /** What the copy calls the owner; empty for one whom it has no name for. */
  ownerNames({ uid, gid }: { readonly uid: number; readonly gid: number }): readonly [string, string] {
    const { users, groups } = this.#reader.file.header;
    return [users[uid] ?? '', groups[gid] ?? ''];
  }

  /** Reads all rows once, so that files are found under whatever name they had. */
  async makeIndex(): Promise<void> {
    this.#index ??= await InodeIndex.of(this.#looks);
  }

  /** The file under whatever name it had; null when it was not there, or there is no index yet: then one is wanted. */
  byInode(stat: ItemStat): Entry | null {
    if (this.#index === null) {
      this.isIndexWanted = true;
      return null;
    }
    return this.#index.find(stat.inode, (ordinal) => {
      const entry = this.#looks.entry(ordinal);
      return entry.stamp?.inode === stat.inode && entry.stamp.device === stat.device ? entry : null;
    });
  }

  /** Which copy holds what this row of the previous one says. */
  heldBy(old: Pick<Entry, 'heldBy'>): number {
    return old.heldBy ?? this.chain.length - 1;
  }

  /**
   * Nothing happened to the file since: size, modification time, change time, device and inode are the same. Not for
   * what was a mixture then, or was not read then, or was touched so late that a further change could bear the same time.
   */
  isUntouched(old: Entry, stat: ItemStat): boolean {
    const { stamp } = old;
    return (
      stamp !== null &&
      stamp.inode === stat.inode &&
      stamp.ctimeNs === stat.ctimeNs &&
      stamp.device === stat.device &&
      old.mtimeNs === stat.mtimeNs &&
      old.sizeBytes === stat.sizeBytes &&
      stat.ctimeNs < this.#untilNs &&
      !old.changed &&
      !old.unread
    );
  }
}

/** The rows of one folder of the previous copy, asked for in the order of their names. */
export class OldChildren {
  readonly #rows: RowCursor;
  readonly #end: number;
  #next: number;

  constructor(rows: RowCursor, first: number, count: number) {
    this.#rows = rows;
    this.#next = first;
    this.#end = first + count;
  }

  /** Names must be asked for in their order as bytes. */
  find(name: ByteString): Entry | null {
    while (this.#next < this.#end) {
      // Seen where it lies, what has another name needs no decoding, and can still be taken as it is when its own turn comes.
      const order = this.#rows.usual(this.#next)?.compareName(name) ?? 0;
      if (order > 0) return null;
      if (order < 0) {
        this.pass();
        continue;
      }
      const entry = this.#rows.entry(this.#next);
      if (entry.name > name) return null;
      this.#next += 1;
      if (entry.name === name) return entry;
    }
    return null;
  }

  /** The same where the row lies, for a file as nearly all are: it is not passed by that. Null when it is to be looked for by `find`. */
  usual(name: ByteString): UsualRow | null {
    while (this.#next < this.#end) {
      const row = this.#rows.usual(this.#next);
      const order = row?.compareName(name) ?? 1;
      if (order === 0) return row;
      if (order > 0) return null;
      this.pass();
    }
    return null;
  }

  /** The row that `usual` answered is done with. */
  pass(): void {
    this.#rows.pass();
    this.#next += 1;
  }

  *all(): Generator<Entry> {
    for (; this.#next < this.#end; this.#next += 1) yield this.#rows.entry(this.#next);
  }
}

/** What is damaged in the previous copy must end the work: taking it for absent would lose what it keeps. */
export function unusableBase(error: DeviceError): DeviceError {
  const message = `The copy before cannot be built on: ${error.message} Make a full copy.`;
  return new DeviceError(error.kind, message, { cause: error });
}
