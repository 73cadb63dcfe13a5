import fs from 'node:fs';
import { type ByteString, baseName, fsPath, toDisplay } from '../../platform/byte-path.ts';
import { deviceParts, errorCode, isSystemCode } from '../../platform/native.ts';
import type { Entry, EntryType } from '../archive/entry.ts';
import { errnoClass, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import {
  findExtents,
  openSource,
  readSmall,
  SkipItem,
  SMALL_FILE_BYTES,
  smallScratch,
  statSource,
} from './file-source.ts';
import { isMadeByKernel } from './kernel-file-systems.ts';
import type { MemberOutput, Written } from './member-output.ts';
import { Place } from './place.ts';
import type { FolderTable, RowOutput, SkippedOutput } from './row-output.ts';
import { type ItemStat, lstatItem, readXattrs, type Xattr } from './source-item.ts';
import type { TarOutput } from './tar-output.ts';

export interface TreeOutputs {
  readonly control: Control;
  readonly output: TarOutput;
  readonly members: MemberOutput;
  readonly rows: RowOutput;
  readonly folders: FolderTable;
  readonly skipped: SkippedOutput;
}

/** A folder whose row is written and whose children are still to come. */
interface Pending {
  readonly name: ByteString;
  readonly folderId: number;
  readonly parentId: number;
  readonly stat: ItemStat;
  readonly xattrs: readonly Xattr[];
}

interface Level {
  readonly place: Place;
  readonly tarPath: ByteString;
  readonly device: bigint;
  readonly subfolders: readonly Pending[];
  next: number;
}

/** The end of a longer path is what tells the items apart. */
const LONGEST_SHOWN_PATH = 16_384;
const KEPT_CHANGED = 1000;
const TOP = 0;

/** Walks the resource depth first and writes each item once: row by row, folder by folder. */
export class TreeReader {
  readonly #to: TreeOutputs;
  readonly #excludedKeys: ReadonlySet<string>;
  readonly #scratch = smallScratch();
  /** First name of each file with several, by device and inode: grows only with the number of such files. */
  readonly #links = new Map<string, { readonly ordinal: number; readonly tarPath: ByteString }>();
  /** The folder whose block has begun last: a block begins once. */
  #begun = 0;
  readonly changed: string[] = [];
  files = 0;
  sourceBytes = 0;
  changedCount = 0;

  /** `excludedKeys`: device and inode of what is left out, under whatever name it is met. */
  constructor(to: TreeOutputs, excludedKeys: readonly string[]) {
    this.#to = to;
    this.#excludedKeys = new Set(excludedKeys);
  }

  /** `source` is absolute, without a trailing slash; it is read even when it is itself a file or a special file. */
  read(source: ByteString, name: ByteString): void {
    const { rows, folders } = this.#to;
    folders.add(TOP, 0);
    rows.beginBlock({
      folderId: TOP,
      parentId: TOP,
      name: '',
      headerOffset: 0,
      headerLength: 0,
      continued: false,
    });
    const first = this.#item(source, source, name, name, TOP);
    folders.setChildren(TOP, 0, rows.nextOrdinal);
    if (first === null) return;
    const stack: Level[] = [this.#enter(topPlace(source), name, first)];
    while (stack.length > 0) {
      const level = stack.at(-1);
      if (level === undefined) break;
      const child = level.subfolders[level.next];
      if (child === undefined) {
        level.place.close();
        stack.pop();
        continue;
      }
      level.next += 1;
      const entered = this.#descend(level, child);
      if (entered !== null) stack.push(entered);
    }
  }

  #descend(level: Level, child: Pending): Level | null {
    const tarPath = `${level.tarPath}/${child.name}`;
    const isForeign = child.stat.device !== level.device && isMadeByKernel(level.place.childCall(child.name));
    if (isForeign) {
      this.#leaveOut(level.place.childFull(child.name), 'made by the kernel, it has no data of its own');
    } else {
      try {
        return this.#enter(level.place.enter(child.name), tarPath, child);
      } catch (error) {
        if (this.#begun === child.folderId) throw error;
        this.#skip(level.place.childFull(child.name), error);
      }
    }
    this.#beginBlock(tarPath, child);
    this.#to.folders.setChildren(child.folderId, this.#to.rows.nextOrdinal, 0);
    return null;
  }

  #enter(place: Place, tarPath: ByteString, folder: Pending): Level {
    const { rows, folders } = this.#to;
    this.#beginBlock(tarPath, folder);
    const firstOrdinal = rows.nextOrdinal;
    const subfolders: Pending[] = [];
    for (const name of this.#names(place)) {
      const call = place.childCall(name);
      const found = this.#item(call, place.childFull(name), name, `${tarPath}/${name}`, folder.folderId);
      if (found !== null) subfolders.push(found);
    }
    folders.setChildren(folder.folderId, firstOrdinal, rows.nextOrdinal - firstOrdinal);
    return { place, tarPath, device: folder.stat.device, subfolders, next: 0 };
  }

  #beginBlock(tarPath: ByteString, folder: Pending): void {
    this.#begun = folder.folderId;
    const { members, rows } = this.#to;
    const written = members.bare({ tarPath, stat: folder.stat, xattrs: folder.xattrs }, 'd');
    rows.beginBlock({
      folderId: folder.folderId,
      parentId: folder.parentId,
      name: folder.name,
      headerOffset: written.headerOffset ?? 0,
      headerLength: written.headerLength,
      continued: false,
    });
  }

  #names(place: Place): readonly ByteString[] {
    try {
      return place.names();
    } catch (error) {
      this.#skip(place.full, error);
      return [];
    }
  }

  /** Writes one item and its row. Returns the folder when it is one. Whatever fails at one item leaves the rest. */
  #item(
    call: ByteString,
    full: ByteString,
    name: ByteString,
    tarPath: ByteString,
    folderId: number,
  ): Pending | null {
    this.#to.control.check();
    try {
      const stat = lstatItem(call);
      if (this.#excludedKeys.has(stat.key)) {
        this.#leaveOut(full, 'left out by rule');
        return null;
      }
      if (stat.type === 'd') return this.#folder(call, full, name, folderId, stat);
      this.#to.control.setPath(full);
      this.#notFolder(call, full, name, tarPath, folderId, stat);
      this.#to.control.add('filesDone', 1);
      this.files += 1;
    } catch (error) {
      this.#skip(full, error);
    }
    return null;
  }

  #folder(call: ByteString, full: ByteString, name: ByteString, folderId: number, stat: ItemStat): Pending {
    const { rows, folders } = this.#to;
    const xattrs = this.#xattrs(call, full);
    const childFolderId = folders.add(folderId, rows.nextOrdinal);
    rows.row({ ...bareRow(name, folderId, 'd', stat, xattrs), headerLength: 0, childFolderId });
    return { name, folderId: childFolderId, parentId: folderId, stat, xattrs };
  }

  #notFolder(
    call: ByteString,
    full: ByteString,
    name: ByteString,
    tarPath: ByteString,
    folderId: number,
    stat: ItemStat,
  ): void {
    const { members, rows } = this.#to;
    if (stat.type === 'socket') throw new SkipItem('ENXIO', 'a socket has no content that could be kept');
    if (stat.type === 'unknown' || stat.type === 'd') throw new SkipItem('EINVAL', 'its kind is not known');
    if (stat.type === 'f') {
      this.#file(call, full, name, tarPath, folderId, stat);
      return;
    }
    const xattrs = this.#xattrs(call, full);
    const linkTarget = stat.type === 'l' ? fs.readlinkSync(fsPath(call), { encoding: 'latin1' }) : '';
    const written = members.bare({ tarPath, stat, xattrs }, stat.type, linkTarget);
    const row = bareRow(name, folderId, stat.type, stat, xattrs);
    rows.row({ ...row, ...written, linkTarget, ...deviceNumbers(stat) });
  }

  #file(
    call: ByteString,
    full: ByteString,
    name: ByteString,
    tarPath: ByteString,
    folderId: number,
    expected: ItemStat,
  ): void {
    const { members, rows } = this.#to;
    const first = expected.hasLinks ? this.#links.get(expected.key) : undefined;
    if (first !== undefined) {
      const written = members.bare({ tarPath, stat: expected, xattrs: [] }, 'h', first.tarPath);
      const row = bareRow(name, folderId, 'h', expected, []);
      rows.row({ ...row, ...written, sizeBytes: expected.sizeBytes, firstLink: first.ordinal });
      return;
    }
    const { fd, stat } = openSource(call, expected);
    try {
      const xattrs = this.#xattrs(fd, full);
      const { written, at } = this.#content(fd, full, { tarPath, stat, xattrs });
      const ordinal = rows.nextOrdinal;
      rows.row({ ...bareRow(name, folderId, 'f', at, xattrs), ...written, hasLinks: stat.hasLinks });
      if (stat.hasLinks) this.#links.set(stat.key, { ordinal, tarPath });
      this.sourceBytes += written.sizeBytes;
      if (written.changed) this.#noteChanged(full);
    } finally {
      fs.closeSync(fd);
    }
  }

  /** Returns what was written, and the look at the file that belongs to it. */
  #content(
    fd: number,
    full: ByteString,
    member: { readonly tarPath: ByteString; readonly stat: ItemStat; readonly xattrs: readonly Xattr[] },
  ): { readonly written: Written; readonly at: ItemStat } {
    const { members, control } = this.#to;
    const extents = findExtents(fd, member.stat);
    if (extents === null && member.stat.sizeBytes <= SMALL_FILE_BYTES) {
      const read = readSmall(fd, member.stat, this.#scratch);
      if (read !== null) {
        control.add('bytesDone', read.bytes.length);
        return {
          written: members.small({ ...member, stat: read.stat }, read.bytes, read.changed),
          at: read.stat,
        };
      }
    }
    const stat = extents === null ? statSource(fd) : member.stat;
    const { written, failure } = members.large({ ...member, stat }, fd, extents);
    if (extents !== null) {
      const read = extents.reduce((sum, extent) => sum + extent.length, 0);
      control.add('bytesDone', stat.sizeBytes - read);
    }
    if (failure !== null && failure !== '') {
      this.#skip(full, new SkipItem(failure, 'it could be read only in part; the rest is kept as zeros'));
    }
    const isTouched = failure !== null || !sameContent(stat, statSource(fd));
    return { written: { ...written, changed: isTouched }, at: stat };
  }

  #xattrs(target: number | ByteString, full: ByteString): readonly Xattr[] {
    const { xattrs, lost } = readXattrs(target);
    for (const { name, code } of lost) {
      this.#skip(full, new SkipItem(code, `its extended attribute ${toDisplay(name)} could not be read`));
    }
    return xattrs;
  }

  #leaveOut(full: ByteString, reason: string): void {
    this.#to.skipped.add({ path: shown(full), code: '', class: 'rule', reason });
  }

  #noteChanged(full: ByteString): void {
    this.changedCount += 1;
    if (this.changed.length < KEPT_CHANGED) this.changed.push(shown(full));
  }

  /** Only what the system said about this item is forgiven; a bug or a full storage ends the run. */
  #skip(full: ByteString, error: unknown): void {
    const code = errorCode(error);
    if (!(error instanceof SkipItem) && !isSystemCode(code)) throw error;
    const reason = error instanceof SkipItem ? error.message : `it could not be read (${code})`;
    this.#to.skipped.add({ path: shown(full), code, class: errnoClass(code), reason });
  }
}

/** A resource that cannot be opened at all is a failure, not an empty copy. */
function topPlace(source: ByteString): Place {
  try {
    return Place.top(source);
  } catch (error) {
    throw toDeviceError(error, `The resource ${shown(source)} cannot be read`);
  }
}

function sameContent(before: ItemStat, after: ItemStat): boolean {
  return before.sizeBytes === after.sizeBytes && before.mtimeNs === after.mtimeNs;
}

function shown(full: ByteString): string {
  const text = toDisplay(full);
  return text.length > LONGEST_SHOWN_PATH ? `…${text.slice(-LONGEST_SHOWN_PATH)}` : text;
}

function deviceNumbers(stat: ItemStat): { readonly major: number; readonly minor: number } {
  return stat.type === 'c' || stat.type === 'b' ? deviceParts(stat.rdev) : { major: 0, minor: 0 };
}

function bareRow(
  name: ByteString,
  folderId: number,
  type: EntryType,
  stat: ItemStat,
  xattrs: readonly Xattr[],
): Omit<Entry, 'ordinal'> {
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
  };
}

export function resourceName(source: ByteString): ByteString {
  const name = baseName(source);
  // The whole file system has no name of its own, and a member needs one.
  return name === '' ? 'root' : name;
}
