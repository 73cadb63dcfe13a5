import type { ItemLook } from '../../platform/at-calls.ts';
import type { ByteString } from '../../platform/byte-path.ts';
import { deviceParts } from '../../platform/native.ts';
import type { Entry, EntryType, Stamp } from '../archive/entry.ts';
import type { ItemStat, Xattr } from './source-item.ts';

/** An item of the resource: how to name it in a call, its path for people and in the tar stream, its row of before. */
export interface Item {
  readonly call: ByteString;
  readonly full: ByteString;
  readonly name: ByteString;
  readonly tarPath: ByteString;
  readonly folderId: number;
  readonly old: Entry | null;
  /** What was seen of it ahead; null: it is to be looked at. */
  readonly look: ItemLook | null;
}

export function deviceNumbers(stat: ItemStat): { readonly major: number; readonly minor: number } {
  return stat.type === 'c' || stat.type === 'b' ? deviceParts(stat.rdev) : { major: 0, minor: 0 };
}

/** What tells that nothing happened to the item when it is the same in the next copy. */
export function stampOf({ device, inode, ctimeNs }: ItemStat): Stamp {
  return { device, inode, ctimeNs };
}

/** A row that is still being filled: copies of it would be a third of what a reader leaves to the collector. */
export type RowDraft = { -readonly [K in keyof Omit<Entry, 'ordinal'>]: Entry[K] };

/** All that is known of an item without its data. */
export function bareRow(
  name: ByteString,
  folderId: number,
  type: EntryType,
  stat: Pick<ItemStat, 'mode' | 'uid' | 'gid' | 'mtimeNs'>,
  xattrs: readonly Xattr[],
): RowDraft {
  return {
    folderId,
    name,
    type,
    sizeBytes: 0,
    mode: stat.mode,
    uid: stat.uid,
    gid: stat.gid,
    mtimeNs: stat.mtimeNs,
    hash: '',
    headerOffset: null,
    headerLength: 0,
    storedBytes: 0,
    linkTarget: '',
    xattrNames: xattrs.map((xattr) => xattr.name),
    childFolderId: null,
    firstLink: null,
    hasLinks: false,
    sparse: false,
    changed: false,
    major: 0,
    minor: 0,
    stamp: null,
    heldBy: null,
    unread: false,
    xattrValues: null,
  };
}
