import type { ByteString } from '../../platform/byte-path.ts';

/** f file, d folder, l symbolic link, h further link to a file that came before, p FIFO, c and b device nodes. */
export type EntryType = 'f' | 'd' | 'l' | 'h' | 'p' | 'c' | 'b';

export const ENTRY_TYPES: ReadonlySet<string> = new Set<EntryType>(['f', 'd', 'l', 'h', 'p', 'c', 'b']);

export interface Entry {
  /** Place in the listing order of the whole copy, from 0. */
  readonly ordinal: number;
  /** The folder that holds it; folder 0 is the unnamed top, whose only child is the resource. */
  readonly folderId: number;
  readonly name: ByteString;
  readonly type: EntryType;
  /** Logical bytes; 0 for all but files and hard links. */
  readonly sizeBytes: number;
  /** Permission bits (07777). */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeNs: bigint;
  /** BLAKE3 of the member's data in the archive (base64, no padding); empty when it has none. */
  readonly hash: string;
  /** Where the member's headers begin in the tar stream; null for folders (their block of children says it). */
  readonly headerOffset: number | null;
  readonly headerLength: number;
  /** Bytes of data after the headers: the size, or for a sparse file its map and its data. */
  readonly storedBytes: number;
  readonly linkTarget: ByteString;
  readonly xattrNames: readonly ByteString[];
  /** The number of the folder this entry is; null when it is none. */
  readonly childFolderId: number | null;
  /** Ordinal of the file a hard link belongs to. */
  readonly firstLink: number | null;
  /** More than one name existed for this file. */
  readonly hasLinks: boolean;
  readonly sparse: boolean;
  /** It changed while it was read; what is kept may be a mixture. */
  readonly changed: boolean;
  readonly major: number;
  readonly minor: number;
  /** What tells, besides size and modification time, that nothing happened to it; null for further names of a file, and for all but files in copies of earlier versions. */
  readonly stamp: Stamp | null;
  /**
   * Which copy of the chain holds its data and its headers (index into the header's `chain`); null: this one. All
   * places (`headerOffset` …) are places there.
   */
  readonly heldBy: number | null;
  /** It could not be read this time: this is what the copy before has of it. */
  readonly unread: boolean;
  /** Values of `xattrNames`; null when they stand in the member's headers. */
  readonly xattrValues: readonly Buffer[] | null;
}

export interface Stamp {
  readonly device: bigint;
  readonly inode: bigint;
  readonly ctimeNs: bigint;
}

/** An item that is not in the copy, or not completely. */
export interface SkippedItem {
  /** Display form, absolute. */
  readonly path: string;
  readonly code: string;
  /** permission, vanished, io, limit, unsupported, other; `rule` when it was left out on purpose. */
  readonly class: string;
  readonly reason: string;
}

export interface CopyTotals {
  /** Entries of all kinds, the resource itself among them. */
  readonly entries: number;
  readonly files: number;
  readonly folders: number;
  /** Logical bytes of all files, each hard-linked file once. */
  readonly sourceBytes: number;
  readonly skipped: number;
  readonly changed: number;
}
