import { atCalls } from '../../platform/at-calls.ts';
import type { ByteString } from '../../platform/byte-path.ts';
import type { Entry } from '../archive/entry.ts';
import type { Control } from '../job/control.ts';
import { ContentMatch, fitInRow, isCandidate } from './content-match.ts';
import {
  findExtents,
  openSource,
  readSmall,
  SkipItem,
  SMALL_FILE_BYTES,
  smallScratch,
  statSource,
} from './file-source.ts';
import type { ItemNotes } from './item-notes.ts';
import type { KnownBlocks } from './known-blocks.ts';
import type { MemberFacts, MemberOutput, Written } from './member-output.ts';
import type { PreviousCopy } from './previous-copy.ts';
import type { RowOutput } from './row-output.ts';
import type { ItemStat, Xattr } from './source-item.ts';
import { bareRow, type Item, type RowDraft, stampOf } from './source-rows.ts';

/** What became of a file's content; `at` is the look at the file that belongs to it. */
type Content =
  | { readonly kind: 'stored'; readonly written: Written; readonly at: ItemStat }
  | { readonly kind: 'same'; readonly old: Entry; readonly at: ItemStat }
  /** It could not be read to its end, and the copy before has it. */
  | { readonly kind: 'lost' };

export interface FileOutputs {
  readonly control: Control;
  readonly members: MemberOutput;
  readonly rows: RowOutput;
  /** The copy that is built on; null for a full one. */
  readonly previous: PreviousCopy | null;
  /** For a copy of blocks that builds on another one: it takes over what it needs and keeps no reference. */
  readonly blocks: KnownBlocks | null;
}

/** Writes regular files: their content once, or not at all where an earlier copy holds it. */
export class FileReader {
  readonly #to: FileOutputs;
  readonly #notes: ItemNotes;
  readonly #scratch = smallScratch();
  readonly #match: ContentMatch;
  /** First name of each file with several, by device and inode: grows only with the number of such files. */
  readonly #links = new Map<string, { readonly ordinal: number; readonly tarPath: ByteString }>();
  files = 0;
  bytes = 0;
  reusedFiles = 0;
  reusedBytes = 0;

  constructor(to: FileOutputs, notes: ItemNotes) {
    this.#to = to;
    this.#notes = notes;
    this.#match = new ContentMatch(to.control);
  }

  /** False when it could not be read to its end, and the row of the copy before is to be kept. */
  write(item: Item, expected: ItemStat): boolean {
    const { members, rows } = this.#to;
    const { call, full, name, tarPath, folderId } = item;
    const first = expected.hasLinks ? this.#links.get(expected.key) : undefined;
    if (first !== undefined) {
      const written = members.bare({ tarPath, stat: expected, xattrs: [] }, 'h', first.tarPath);
      const row = bareRow(name, folderId, 'h', expected, []);
      rows.row({ ...row, ...written, sizeBytes: expected.sizeBytes, firstLink: first.ordinal });
      this.files += 1;
      return true;
    }
    const known = this.#known(item.old, expected);
    const { blocks } = this.#to;
    if (known !== null && this.#to.previous?.isUntouched(known, expected)) {
      if (blocks === null) {
        this.#reuse(item, expected, known, null);
        return true;
      }
      if (blocks.hasAll(known)) {
        this.#takeOver(item, expected, known, blocks);
        return true;
      }
    }
    const fd = openSource(call);
    try {
      // A small file is looked at after it was read, which tells as much: nothing of it has been stored by then.
      const stat = isSmallAndFull(expected) ? expected : statSource(fd, expected);
      const xattrs = this.#notes.xattrs(fd, full);
      // Blocks need no comparison: what is the same has the same names.
      const isComparing = blocks === null && isCandidate(known, stat) && fitInRow(xattrs);
      const hasOld = blocks === null && item.old !== null;
      const content = this.#content(fd, full, { tarPath, stat, xattrs }, isComparing ? known : null, hasOld);
      if (content.kind === 'same') {
        this.#reuse(item, content.at, content.old, xattrs);
        return true;
      }
      if (content.kind === 'lost') return false;
      const { written, at } = content;
      const row = bareRow(name, folderId, 'f', at, xattrs);
      place(row, written);
      row.hasLinks = stat.hasLinks;
      this.#fileRow(row, at, tarPath);
      if (written.changed) this.#notes.noteChanged(full);
      return true;
    } finally {
      atCalls().close(fd);
    }
  }

  /** The row of the copy before that may hold this file's content: that of its path, else that of its inode. */
  #known(old: Entry | null, stat: ItemStat): Entry | null {
    const { previous } = this.#to;
    if (previous === null) return null;
    const before = previous.contentOf(old);
    if (before !== null && (before.stamp?.inode === stat.inode || before.sizeBytes === stat.sizeBytes)) {
      return before;
    }
    return stat.sizeBytes === 0 ? before : (previous.byInode(stat) ?? before);
  }

  /** Its content is not stored again. `xattrs`: null when they are those of before. */
  #reuse(
    { name, tarPath, folderId }: Item,
    stat: ItemStat,
    old: Entry,
    xattrs: readonly Xattr[] | null,
  ): void {
    const { previous, members, control } = this.#to;
    if (previous === null) return;
    members.noteOwner(stat);
    const { sizeBytes, hasLinks } = stat;
    const row = bareRow(name, folderId, 'f', stat, xattrs ?? []);
    place(row, old);
    row.sizeBytes = sizeBytes;
    row.changed = false;
    row.heldBy = previous.heldBy(old);
    row.hasLinks = hasLinks;
    if (xattrs === null) {
      row.xattrNames = old.xattrNames;
      row.xattrValues = old.xattrValues;
    } else if (xattrs.length > 0) row.xattrValues = xattrs.map(({ value }) => value);
    this.#fileRow(row, stat, tarPath);
    this.reusedFiles += 1;
    this.reusedBytes += sizeBytes;
    control.add('bytesDone', sizeBytes);
  }

  /** Its blocks are named again; all else is its own. */
  #takeOver(item: Item, stat: ItemStat, old: Entry, blocks: KnownBlocks): void {
    const { members, control } = this.#to;
    const { call, full, name, tarPath, folderId } = item;
    const xattrs = this.#notes.xattrs(call, full);
    const written = members.known({ tarPath, stat, xattrs }, old, blocks);
    const row = bareRow(name, folderId, 'f', stat, xattrs);
    place(row, written);
    row.hasLinks = stat.hasLinks;
    this.#fileRow(row, stat, tarPath);
    this.reusedFiles += 1;
    this.reusedBytes += stat.sizeBytes;
    control.add('bytesDone', stat.sizeBytes);
  }

  #fileRow(row: RowDraft, at: ItemStat, tarPath: ByteString): void {
    const { rows } = this.#to;
    if (row.hasLinks) this.#links.set(at.key, { ordinal: rows.nextOrdinal, tarPath });
    row.stamp = stampOf(at);
    rows.row(row);
    this.files += 1;
    this.bytes += row.sizeBytes;
  }

  /** Stores the content unless `candidate` has the same. */
  #content(
    fd: number,
    full: ByteString,
    member: MemberFacts,
    candidate: Entry | null,
    hasOld: boolean,
  ): Content {
    const { members, control } = this.#to;
    const extents = findExtents(fd, member.stat);
    if (extents === null && member.stat.sizeBytes <= SMALL_FILE_BYTES) {
      const room = members.roomForSmall(member.stat.sizeBytes + 1);
      const first = room === null ? null : readSmall(fd, member.stat, room);
      const read = first ?? readSmall(fd, member.stat, this.#scratch);
      if (read !== null) {
        if (candidate !== null && this.#match.isSmallSame(read, candidate)) {
          return { kind: 'same', old: candidate, at: read.stat };
        }
        control.add('bytesDone', read.bytes.length);
        const { tarPath, xattrs } = member;
        const written = members.small({ tarPath, stat: read.stat, xattrs }, read.bytes, read.changed);
        return { kind: 'stored', written, at: read.stat };
      }
    }
    const look = () => statSource(fd, member.stat);
    const stat = extents === null ? look() : member.stat;
    if (candidate !== null && this.#match.isLargeSame(fd, stat, extents, candidate, look)) {
      return { kind: 'same', old: candidate, at: stat };
    }
    const { written, failure } = members.large({ ...member, stat }, fd, extents);
    if (extents !== null) {
      const read = extents.reduce((sum, extent) => sum + extent.length, 0);
      control.add('bytesDone', stat.sizeBytes - read);
    }
    if (failure !== null && failure !== '') {
      const rest = hasOld ? 'what the copy before has of it is kept' : 'the rest is kept as zeros';
      this.#notes.skip(full, new SkipItem(failure, `it could be read only in part; ${rest}`));
      if (hasOld) return { kind: 'lost' };
    }
    const isTouched = failure !== null || !sameContent(stat, look());
    return { kind: 'stored', written: { ...written, changed: isTouched }, at: stat };
  }
}

function place(row: RowDraft, written: Written): void {
  row.headerOffset = written.headerOffset;
  row.headerLength = written.headerLength;
  row.storedBytes = written.storedBytes;
  row.hash = written.hash;
  row.sizeBytes = written.sizeBytes;
  row.sparse = written.sparse;
  row.changed = written.changed;
}

/** Without holes, and read at once. */
function isSmallAndFull({ sizeBytes, allocatedBytes }: ItemStat): boolean {
  return sizeBytes <= SMALL_FILE_BYTES && allocatedBytes >= sizeBytes;
}

function sameContent(before: ItemStat, after: ItemStat): boolean {
  return before.sizeBytes === after.sizeBytes && before.mtimeNs === after.mtimeNs;
}
