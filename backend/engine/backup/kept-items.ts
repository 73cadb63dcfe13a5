import type { Entry } from '../archive/entry.ts';
import type { PreviousCopy } from './previous-copy.ts';
import type { FolderTable, RowOutput } from './row-output.ts';
import type { ItemStat } from './source-item.ts';

/**
 * Rows of items that cannot be read now but are in the copy before: what is unreadable is not deleted. They stay as
 * they were there, marked.
 */
export class KeptItems {
  readonly #previous: PreviousCopy;
  readonly #rows: RowOutput;
  readonly #folders: FolderTable;
  /** By ordinal in the copy before: names of one file stay names of one file. */
  readonly #links = new Map<number, number>();
  items = 0;
  files = 0;
  bytes = 0;

  constructor(previous: PreviousCopy, rows: RowOutput, folders: FolderTable) {
    this.#previous = previous;
    this.#rows = rows;
    this.#folders = folders;
  }

  /** A file, link or other item that is no folder. */
  item(old: Entry, folderId: number): void {
    const content = this.#previous.contentOf(old);
    const first = content === null ? undefined : this.#links.get(content.ordinal);
    const source = content ?? old;
    this.items += 1;
    this.files += 1;
    if (content !== null && first !== undefined) {
      const { headerOffset, headerLength } = old;
      this.#row({ ...old, type: 'h', headerOffset, headerLength, firstLink: first }, old, folderId);
      return;
    }
    // The first of the names that are kept holds the content.
    if (content?.hasLinks) this.#links.set(content.ordinal, this.#rows.nextOrdinal);
    this.bytes += source.type === 'f' ? source.sizeBytes : 0;
    this.#row({ ...source, name: old.name, firstLink: null }, source, folderId);
  }

  /** Answers the new folder's number. */
  folder(old: Entry, folderId: number): number {
    const childFolderId = this.#folders.add(folderId, this.#rows.nextOrdinal);
    this.items += 1;
    const block = old.heldBy === null ? this.#previous.blockOf(old.childFolderId ?? -1) : old;
    const { headerOffset, headerLength } = block;
    this.#row({ ...old, childFolderId, headerOffset, headerLength }, old, folderId);
    return childFolderId;
  }

  #row(row: Entry, held: Entry, folderId: number): void {
    this.#rows.row({ ...row, folderId, heldBy: this.#previous.heldBy(held), unread: true });
  }
}

/** What a header needs to know of a folder, as the copy before has it. */
export function statOf(old: Entry): ItemStat {
  return {
    type: old.type,
    key: '',
    device: old.stamp?.device ?? 0n,
    inode: 0n,
    hasLinks: old.hasLinks,
    sizeBytes: old.sizeBytes,
    allocatedBytes: old.sizeBytes,
    mode: old.mode,
    uid: old.uid,
    gid: old.gid,
    mtimeNs: old.mtimeNs,
    ctimeNs: old.mtimeNs,
    rdev: 0n,
  };
}
