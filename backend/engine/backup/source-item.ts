import fs from 'node:fs';
import { atCalls, type ItemLook } from '../../platform/at-calls.ts';
import type { ByteString } from '../../platform/byte-path.ts';
import { errorCode, type NativeCalls, nativeState } from '../../platform/native.ts';
import type { EntryType } from '../archive/entry.ts';

export interface Xattr {
  readonly name: ByteString;
  readonly value: Buffer;
}

/** What a tar header needs to know of an item on the disk. */
export interface ItemStat {
  readonly type: EntryType | 'socket' | 'unknown';
  /** Device and inode. */
  readonly key: string;
  readonly device: bigint;
  readonly inode: bigint;
  readonly hasLinks: boolean;
  readonly sizeBytes: number;
  /** Bytes that the file system has allocated; less than the size means holes. */
  readonly allocatedBytes: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly rdev: bigint;
}

/** Device numbers of a snapshot's files and of those that it shows. */
export interface DeviceAlias {
  readonly device: bigint;
  readonly sourceDevice: bigint;
}

let alias: DeviceAlias | null = null;

/**
 * From now on, and for the whole thread, items of a snapshot bear the device of what they show. Their inodes are the
 * same, so they are known again, in an earlier copy and in what is to be left out.
 */
export function takeDevicesAs(devices: DeviceAlias | null): void {
  alias = devices;
}

export function shownDevice(device: bigint): bigint {
  return device === alias?.device ? alias.sourceDevice : device;
}

export function itemStat(look: ItemLook): ItemStat {
  return new FoundStat(look);
}

/** Made for every look at an item. */
class FoundStat implements ItemStat {
  readonly type: ItemStat['type'];
  readonly device: bigint;
  readonly inode: bigint;
  readonly hasLinks: boolean;
  readonly sizeBytes: number;
  readonly allocatedBytes: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly rdev: bigint;

  constructor(look: ItemLook) {
    const { mode } = look;
    const isFile = (mode & S_IFMT) === S_IFREG;
    this.type = isFile ? 'f' : typeOf(mode);
    this.device = shownDevice(look.device);
    this.inode = look.inode;
    this.hasLinks = isFile && look.links > 1;
    this.sizeBytes = isFile ? look.sizeBytes : 0;
    this.allocatedBytes = look.allocatedBytes;
    this.mode = mode & 0o7777;
    this.uid = look.uid;
    this.gid = look.gid;
    this.mtimeNs = look.mtimeNs;
    this.ctimeNs = look.ctimeNs;
    this.rdev = this.type === 'c' || this.type === 'b' ? look.rdev : 0n;
  }

  get key(): string {
    return `${this.device}:${this.inode}`;
  }
}

export function lstatItem(path: ByteString): ItemStat {
  return itemStat(atCalls().look(path));
}

export function isSameItem(one: ItemStat, other: ItemStat): boolean {
  return one.inode === other.inode && one.device === other.device;
}

/** True when nothing happened to the file between the two looks. */
export function isUnchanged(before: ItemStat, after: ItemStat): boolean {
  return (
    isSameItem(before, after) &&
    before.sizeBytes === after.sizeBytes &&
    before.mtimeNs === after.mtimeNs &&
    before.ctimeNs === after.ctimeNs
  );
}

const { S_IFMT, S_IFREG, S_IFDIR, S_IFLNK, S_IFIFO, S_IFCHR, S_IFBLK, S_IFSOCK } = fs.constants;

const TYPES: Readonly<Record<number, ItemStat['type']>> = {
  [S_IFREG]: 'f',
  [S_IFDIR]: 'd',
  [S_IFLNK]: 'l',
  [S_IFIFO]: 'p',
  [S_IFCHR]: 'c',
  [S_IFBLK]: 'b',
  [S_IFSOCK]: 'socket',
};

function typeOf(mode: number): ItemStat['type'] {
  return TYPES[mode & S_IFMT] ?? 'unknown';
}

/** The extended attributes (ACLs are among them). `lost` names those that could not be read, with the reason. */
export function readXattrs(target: number | ByteString): {
  readonly xattrs: readonly Xattr[];
  readonly lost: readonly { readonly name: string; readonly code: string }[];
} {
  const calls = nativeCalls();
  if (calls === null) return nothing;
  const names = listNames(calls, target);
  if (names.length === 0) return nothing;
  const xattrs: Xattr[] = [];
  const lost: { name: string; code: string }[] = [];
  for (const name of names) {
    try {
      xattrs.push({ name, value: calls.getXattr(target, name) });
    } catch (error) {
      lost.push({ name, code: errorCode(error) });
    }
  }
  return { xattrs, lost };
}

const nothing = { xattrs: [], lost: [] } as const;

function listNames(calls: NativeCalls, target: number | ByteString): readonly ByteString[] {
  try {
    return calls.listXattrs(target);
  } catch {
    // File systems without extended attributes refuse the question (EOPNOTSUPP); there is nothing to keep then.
    return [];
  }
}

export function nativeCalls(): NativeCalls | null {
  const state = nativeState();
  return state.available ? state.calls : null;
}
