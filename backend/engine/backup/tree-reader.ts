import fs from 'node:fs';
import { type ByteString, baseName, fsPath, toDisplay } from '../../platform/byte-path.ts';
import { deviceParts, errorCode, isSystemCode } from '../../platform/native.ts';
import type { Entry, EntryType } from '../archive/entry.ts';
import { errnoClass, toDeviceError } from '../device-error.ts';
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
import { KeptItems, statOf } from './kept-items.ts';
import { isMadeByKernel } from './kernel-file-systems.ts';
import type { MemberFacts, MemberOutput, Written } from './member-output.ts';
import { Place } from './place.ts';
import type { OldChildren, PreviousCopy } from './previous-copy.ts';
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
  /** The copy that is built on; null for a full one. */
  readonly previous: PreviousCopy | null;
}

/** A folder whose row is written and whose children are still to come. */
interface Pending {
  readonly name: ByteString;
  readonly folderId: number;
  readonly parentId: number;
  readonly stat: ItemStat;
  readonly xattrs: readonly Xattr[];
  /** Its number in the copy before; null when it was not there. */
  readonly oldFolderId: number | null;
  /** It could not be read: it stays with all below it as the copy before has it. */
  readonly isKept: boolean;
}

interface Level {
  /** Null: this folder is kept, not read. */
  readonly place: Place | null;
  readonly tarPath: ByteString;
  readonly device: bigint;
  readonly subfolders: readonly Pending[];
  next: number;
}

/** What is to be done next: how to name it in a call, its path for people and in the tar stream, its row of before. */
interface Item {
  readonly call: ByteString;
  readonly full: ByteString;
  readonly name: ByteString;
  readonly tarPath: ByteString;
  readonly folderId: number;
  readonly old: Entry | null;
}

/** What became of a file's content; `at` is the look at the file that belongs to it. */
type Content =
  | { readonly kind: 'stored'; readonly written: Written; readonly at: ItemStat }
  | { readonly kind: 'same'; readonly old: Entry; readonly at: ItemStat }
  /** It could not be read to its end, and the copy before has it. */
  | { readonly kind: 'lost' };

/** The end of a longer path is what tells the items apart. */
const LONGEST_SHOWN_PATH = 16_384;
const KEPT_CHANGED = 1000;
const TOP = 0;

/** Walks the resource depth first and writes each item once: row by row, folder by folder. */
export class TreeReader {
  readonly #to: TreeOutputs;
  readonly #excludedKeys: ReadonlySet<string>;
  readonly #scratch = smallScratch();
  readonly #match: ContentMatch;
  readonly #kept: KeptItems | null;
  /** First name of each file with several, by device and inode: grows only with the number of such files. */
  readonly #links = new Map<string, { readonly ordinal: number; readonly tarPath: ByteString }>();
  /** The folder whose block has begun last: a block begins once. */
  #begun = 0;
  readonly changed: string[] = [];
  readonly #own = { files: 0, bytes: 0 };
  reusedFiles = 0;
  reusedBytes = 0;
  changedCount = 0;

  /** `excludedKeys`: device and inode of what is left out, under whatever name it is met. */
  constructor(to: TreeOutputs, excludedKeys: readonly string[]) {
    this.#to = to;
    this.#excludedKeys = new Set(excludedKeys);
    this.#match = new ContentMatch(to.control);
    this.#kept = to.previous === null ? null : new KeptItems(to.previous, to.rows, to.folders);
  }

  get files(): number {
    return this.#own.files + (this.#kept?.files ?? 0);
  }

  get sourceBytes(): number {
    return this.#own.bytes + (this.#kept?.bytes ?? 0);
  }

  /** Items that could not be read and stay as the copy before has them. */
  get unread(): number {
    return this.#kept?.items ?? 0;
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
    const old = this.#to.previous?.childrenOf(TOP).find(name) ?? null;
    const first = this.#item({ call: source, full: source, name, tarPath: name, folderId: TOP, old });
    folders.setChildren(TOP, 0, rows.nextOrdinal);
    if (first === null) return;
    const stack: Level[] = [
      first.isKept ? this.#enterKept(name, first) : this.#enter(topPlace(source), name, first),
    ];
    while (stack.length > 0) {
      const level = stack.at(-1);
      if (level === undefined) break;
      const child = level.subfolders[level.next];
      if (child === undefined) {
        level.place?.close();
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
    if (level.place === null || child.isKept) return this.#enterKept(tarPath, child);
    const isForeign = child.stat.device !== level.device && isMadeByKernel(level.place.childCall(child.name));
    if (isForeign) {
      this.#leaveOut(level.place.childFull(child.name), 'made by the kernel, it has no data of its own');
    } else {
      try {
        return this.#enter(level.place.enter(child.name), tarPath, child);
      } catch (error) {
        if (this.#begun === child.folderId) throw error;
        const isKept = child.oldFolderId !== null && isKeepable(error);
        this.#skip(level.place.childFull(child.name), error, isKept);
        if (isKept) return this.#enterKept(tarPath, child);
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
    const olds = this.#oldChildren(folder);
    const names = this.#names(place, olds !== null);
    const subfolders: Pending[] = names === null && olds !== null ? this.#keep(olds, folder.folderId) : [];
    for (const name of names ?? []) {
      const found = this.#item({
        call: place.childCall(name),
        full: place.childFull(name),
        name,
        tarPath: `${tarPath}/${name}`,
        folderId: folder.folderId,
        old: olds?.find(name) ?? null,
      });
      if (found !== null) subfolders.push(found);
    }
    folders.setChildren(folder.folderId, firstOrdinal, rows.nextOrdinal - firstOrdinal);
    return { place, tarPath, device: folder.stat.device, subfolders, next: 0 };
  }

  /** A folder that cannot be read, with all that the copy before has in it. */
  #enterKept(tarPath: ByteString, folder: Pending): Level {
    const { rows, folders } = this.#to;
    this.#beginBlock(tarPath, folder);
    const firstOrdinal = rows.nextOrdinal;
    const olds = this.#oldChildren(folder);
    const subfolders = olds === null ? [] : this.#keep(olds, folder.folderId);
    folders.setChildren(folder.folderId, firstOrdinal, rows.nextOrdinal - firstOrdinal);
    return { place: null, tarPath, device: folder.stat.device, subfolders, next: 0 };
  }

  #oldChildren({ oldFolderId }: Pending): OldChildren | null {
    return oldFolderId === null ? null : (this.#to.previous?.childrenOf(oldFolderId) ?? null);
  }

  /** Answers the folders among them. */
  #keep(olds: OldChildren, folderId: number): Pending[] {
    const subfolders: Pending[] = [];
    for (const old of olds.all()) {
      this.#to.control.check();
      const found = this.#keepItem(old, folderId);
      if (found !== null) subfolders.push(found);
    }
    return subfolders;
  }

  #keepItem(old: Entry, folderId: number): Pending | null {
    this.#to.members.noteOwner(old);
    if (old.childFolderId === null) {
      this.#kept?.item(old, folderId);
      return null;
    }
    const id = this.#kept?.folder(old, folderId) ?? 0;
    const facts = { name: old.name, folderId: id, parentId: folderId, stat: statOf(old), xattrs: [] };
    return { ...facts, oldFolderId: old.childFolderId, isKept: true };
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

  /** Null when they cannot be read and what the copy before has there is to be kept. */
  #names(place: Place, hasOld: boolean): readonly ByteString[] | null {
    try {
      return place.names();
    } catch (error) {
      const isKept = hasOld && isKeepable(error);
      this.#skip(place.full, error, isKept);
      return isKept ? null : [];
    }
  }

  /** Writes one item and its row. Returns the folder when it is one. Whatever fails at one item leaves the rest. */
  #item(item: Item): Pending | null {
    const { call, full, old, folderId } = item;
    this.#to.control.check();
    try {
      const stat = lstatItem(call);
      if (this.#excludedKeys.has(stat.key)) {
        this.#leaveOut(full, 'left out by rule');
        return null;
      }
      if (stat.type === 'd') return this.#folder(item, stat);
      this.#to.control.setPath(full);
      this.#notFolder(item, stat);
      this.#to.control.add('filesDone', 1);
    } catch (error) {
      const isKept = old !== null && isKeepable(error);
      this.#skip(full, error, isKept);
      if (isKept) return this.#keepItem(old, folderId);
    }
    return null;
  }

  #folder({ call, full, name, folderId, old }: Item, stat: ItemStat): Pending {
    const { rows, folders } = this.#to;
    const xattrs = this.#xattrs(call, full);
    const childFolderId = folders.add(folderId, rows.nextOrdinal);
    rows.row({ ...bareRow(name, folderId, 'd', stat, xattrs), headerLength: 0, childFolderId });
    const oldFolderId = old?.childFolderId ?? null;
    return { name, folderId: childFolderId, parentId: folderId, stat, xattrs, oldFolderId, isKept: false };
  }

  #notFolder(item: Item, stat: ItemStat): void {
    const { members, rows } = this.#to;
    const { call, full, name, tarPath, folderId } = item;
    if (stat.type === 'socket') throw new SkipItem('ENXIO', 'a socket has no content that could be kept');
    if (stat.type === 'unknown' || stat.type === 'd') throw new SkipItem('EINVAL', 'its kind is not known');
    if (stat.type === 'f') {
      this.#file(item, stat);
      return;
    }
    const xattrs = this.#xattrs(call, full);
    const linkTarget = stat.type === 'l' ? fs.readlinkSync(fsPath(call), { encoding: 'latin1' }) : '';
    const written = members.bare({ tarPath, stat, xattrs }, stat.type, linkTarget);
    const row = bareRow(name, folderId, stat.type, stat, xattrs);
    rows.row({ ...row, ...written, linkTarget, ...deviceNumbers(stat) });
    this.#own.files += 1;
  }

  #file(item: Item, expected: ItemStat): void {
    const { members, rows } = this.#to;
    const { call, full, name, tarPath, folderId } = item;
    const first = expected.hasLinks ? this.#links.get(expected.key) : undefined;
    if (first !== undefined) {
      const written = members.bare({ tarPath, stat: expected, xattrs: [] }, 'h', first.tarPath);
      const row = bareRow(name, folderId, 'h', expected, []);
      rows.row({ ...row, ...written, sizeBytes: expected.sizeBytes, firstLink: first.ordinal });
      this.#own.files += 1;
      return;
    }
    const known = this.#known(item.old, expected);
    if (known !== null && this.#to.previous?.isUntouched(known, expected)) {
      this.#reuse(item, expected, known, null);
      return;
    }
    const { fd, stat } = openSource(call, expected);
    try {
      const xattrs = this.#xattrs(fd, full);
      const candidate = isCandidate(known, stat) && fitInRow(xattrs) ? known : null;
      const content = this.#content(fd, full, { tarPath, stat, xattrs }, candidate, item.old !== null);
      if (content.kind === 'same') {
        this.#reuse(item, content.at, content.old, xattrs);
        return;
      }
      if (content.kind === 'lost') {
        if (item.old !== null) this.#keepItem(item.old, folderId);
        return;
      }
      const { written, at } = content;
      const row = { ...bareRow(name, folderId, 'f', at, xattrs), ...written, hasLinks: stat.hasLinks };
      this.#fileRow(row, at, tarPath);
      if (written.changed) this.#noteChanged(full);
    } finally {
      fs.closeSync(fd);
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
    const { headerOffset, headerLength, storedBytes, hash, sparse } = old;
    const held = { headerOffset, headerLength, storedBytes, hash, sparse, heldBy: previous.heldBy(old) };
    const own =
      xattrs === null
        ? { xattrNames: old.xattrNames, xattrValues: old.xattrValues }
        : { xattrValues: xattrs.length === 0 ? null : xattrs.map(({ value }) => value) };
    members.noteOwner(stat);
    const row = bareRow(name, folderId, 'f', stat, xattrs ?? []);
    const { sizeBytes, hasLinks } = stat;
    this.#fileRow({ ...row, ...held, ...own, sizeBytes, hasLinks }, stat, tarPath);
    this.reusedFiles += 1;
    this.reusedBytes += sizeBytes;
    control.add('bytesDone', sizeBytes);
  }

  #fileRow(row: Omit<Entry, 'ordinal'>, at: ItemStat, tarPath: ByteString): void {
    const { rows } = this.#to;
    if (row.hasLinks) this.#links.set(at.key, { ordinal: rows.nextOrdinal, tarPath });
    rows.row({ ...row, stamp: { device: at.device, inode: at.inode, ctimeNs: at.ctimeNs } });
    this.#own.files += 1;
    this.#own.bytes += row.sizeBytes;
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
      const read = readSmall(fd, member.stat, this.#scratch);
      if (read !== null) {
        if (candidate !== null && this.#match.isSmallSame(read, candidate)) {
          return { kind: 'same', old: candidate, at: read.stat };
        }
        control.add('bytesDone', read.bytes.length);
        const written = members.small({ ...member, stat: read.stat }, read.bytes, read.changed);
        return { kind: 'stored', written, at: read.stat };
      }
    }
    const stat = extents === null ? statSource(fd) : member.stat;
    const look = () => statSource(fd);
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
      this.#skip(full, new SkipItem(failure, `it could be read only in part; ${rest}`));
      if (hasOld) return { kind: 'lost' };
    }
    const isTouched = failure !== null || !sameContent(stat, statSource(fd));
    return { kind: 'stored', written: { ...written, changed: isTouched }, at: stat };
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
  #skip(full: ByteString, error: unknown, isKept = false): void {
    const code = errorCode(error);
    if (!(error instanceof SkipItem) && !isSystemCode(code)) throw error;
    const what = error instanceof SkipItem ? error.message : `it could not be read (${code})`;
    const reason = isKept ? `${what}; what the copy before has of it is kept` : what;
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

/** What is not there any more is deleted; what only cannot be read is not. */
function isKeepable(error: unknown): boolean {
  const code = errorCode(error);
  if (error instanceof SkipItem) return code === 'ESTALE';
  return isSystemCode(code) && code !== 'ENOENT' && code !== 'ENOTDIR';
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
    stamp: null,
    heldBy: null,
    unread: false,
    xattrValues: null,
  };
}

export function resourceName(source: ByteString): ByteString {
  const name = baseName(source);
  // The whole file system has no name of its own, and a member needs one.
  return name === '' ? 'root' : name;
}
