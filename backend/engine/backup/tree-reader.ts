import fs from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { ItemLook } from '../../platform/at-calls.ts';
import { type ByteString, fsPath } from '../../platform/byte-path.ts';
import { collectYoungObjects } from '../../platform/collect-garbage.ts';
import type { Entry } from '../archive/entry.ts';
import { toDeviceError } from '../device-error.ts';
import { isOwnSnapshot } from '../snapshot/snapshot-name.ts';
import { type Children, type ChildrenAhead, isOutdated, listedChildren, noChildren } from './children.ts';
import { whyNotEntered } from './entered.ts';
import { ExcludedItems } from './excluded-items.ts';
import { type FileOutputs, FileReader } from './file-reader.ts';
import { SkipItem } from './file-source.ts';
import { ItemNotes, isKeepable, shown } from './item-notes.ts';
import { KeptItems, statOf } from './kept-items.ts';
import { Place } from './place.ts';
import type { OldChildren, PreviousCopy } from './previous-copy.ts';
import type { Reuse } from './reader-totals.ts';
import { beginTop, type FolderTable, type SkippedOutput, TOP } from './row-output.ts';
import { type ItemStat, itemStat, lstatItem, type Xattr } from './source-item.ts';
import { bareRow, deviceNumbers, type Item, stampOf } from './source-rows.ts';
import { UntouchedFiles } from './untouched-files.ts';

export interface TreeOutputs extends FileOutputs {
  readonly folders: FolderTable;
  readonly skipped: SkippedOutput;
}

export interface ReadTotals {
  readonly files: number;
  readonly sourceBytes: number;
  readonly changed: number;
  readonly reuse: Reuse;
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

/** Segments of the copy before are decoded into memory that is only freed when the event loop turns. */
const ITEMS_PER_TURN = 4096;

/** Walks the resource depth first and writes each item once: row by row, folder by folder. */
export class TreeReader {
  readonly #to: TreeOutputs;
  readonly #excluded: ExcludedItems;
  readonly #notes: ItemNotes;
  readonly #files: FileReader;
  /** Null for a copy that builds on no other one: what cannot be read is not in it. */
  readonly #kept: KeptItems | null;
  /** Null: each item goes the long way. */
  readonly #untouched: UntouchedFiles | null;
  readonly #isSnapshot: boolean;
  readonly #ahead: ChildrenAhead | null;
  /** The folder whose block has begun last: a block begins once. */
  #begun = 0;
  #specials = 0;
  #items = 0;

  /** `excludedKeys`: device and inode of what is left out, under whatever name it is met. `ahead`: null where nobody looks ahead. */
  constructor(
    to: TreeOutputs,
    excludedKeys: readonly string[],
    isSnapshot: boolean,
    ahead: ChildrenAhead | null,
  ) {
    this.#isSnapshot = isSnapshot;
    this.#ahead = ahead;
    this.#to = to;
    this.#excluded = new ExcludedItems(excludedKeys);
    this.#notes = new ItemNotes(to.skipped);
    this.#files = new FileReader(to, this.#notes);
    this.#untouched = UntouchedFiles.of(to, this.#excluded);
    const isWhole = to.previous === null || to.blocks !== null;
    this.#kept = isWhole ? null : new KeptItems(to.previous, to.rows, to.folders);
  }

  /** What was read, and what was not read but kept. */
  get totals(): ReadTotals {
    const { files, bytes, reusedFiles, reusedBytes } = this.#files;
    const kept = this.#kept ?? { items: 0, files: 0, bytes: 0 };
    const untouched = this.#untouched ?? { files: 0, bytes: 0 };
    return {
      files: files + untouched.files + this.#specials + kept.files,
      sourceBytes: bytes + untouched.bytes + kept.bytes,
      changed: this.#notes.changedCount,
      reuse: {
        files: reusedFiles + untouched.files,
        bytes: reusedBytes + untouched.bytes,
        unread: kept.items,
      },
    };
  }

  /** The first files that changed while they were read. */
  get changed(): readonly string[] {
    return this.#notes.changed;
  }

  /**
   * `source` is absolute, without a trailing slash; it is read even when it is itself a file or a special file. `full`
   * is what it is called in messages.
   */
  async read(source: ByteString, full: ByteString, name: ByteString): Promise<void> {
    const { rows, folders } = this.#to;
    beginTop(rows, folders);
    const old = this.#to.previous?.childrenOf(TOP).find(name) ?? null;
    const first = this.#item({ call: source, full, name, tarPath: name, folderId: TOP, old, look: null });
    folders.setChildren(TOP, 0, rows.nextOrdinal);
    if (first === null) return;
    const stack: Level[] = [];
    try {
      stack.push(
        first.isKept ? this.#enterKept(name, first) : await this.#enter(topPlace(source, full), name, first),
      );
      await this.#walk(stack);
    } finally {
      for (const { place } of stack) place?.close();
    }
  }

  async #walk(stack: Level[]): Promise<void> {
    for (;;) {
      const level = stack.at(-1);
      if (level === undefined) return;
      const child = level.subfolders[level.next];
      if (child === undefined) {
        level.place?.close();
        stack.pop();
        continue;
      }
      level.next += 1;
      const entered = await this.#descend(level, child);
      if (entered !== null) stack.push(entered);
    }
  }

  async #descend(level: Level, child: Pending): Promise<Level | null> {
    const tarPath = `${level.tarPath}/${child.name}`;
    if (level.place === null || child.isKept) return this.#enterKept(tarPath, child);
    const { name, stat } = child;
    const met = { name, device: stat.device, inode: stat.inode };
    const why = whyNotEntered(level.place, met, level.device, this.#isSnapshot);
    if (why === 'kernel') {
      this.#notes.leaveOut(
        level.place.childFull(child.name),
        'made by the kernel, it has no data of its own',
      );
    } else if (why === 'subvolume') {
      const reason =
        'a subvolume of its own, which the snapshot does not have; back it up as a resource of its own';
      this.#notes.skip(level.place.childFull(child.name), new SkipItem('EXDEV', reason));
    } else {
      try {
        return await this.#enter(level.place.enter(child.name), tarPath, child);
      } catch (error) {
        if (this.#begun === child.folderId) throw error;
        const isKept = this.#kept !== null && child.oldFolderId !== null && isKeepable(error);
        this.#notes.skip(level.place.childFull(child.name), error, isKept);
        if (isKept) return this.#enterKept(tarPath, child);
      }
    }
    this.#beginBlock(tarPath, child);
    this.#to.folders.setChildren(child.folderId, this.#to.rows.nextOrdinal, 0);
    return null;
  }

  /** Closes the place when it cannot be read. */
  async #enter(place: Place, tarPath: ByteString, folder: Pending): Promise<Level> {
    try {
      return await this.#entered(place, tarPath, folder);
    } catch (error) {
      place.close();
      throw error;
    }
  }

  async #entered(place: Place, tarPath: ByteString, folder: Pending): Promise<Level> {
    const { rows, folders } = this.#to;
    this.#beginBlock(tarPath, folder);
    const firstOrdinal = rows.nextOrdinal;
    const olds = this.#oldChildren(folder);
    const children = this.#children(place, this.#kept !== null && olds !== null);
    const subfolders: Pending[] = children === null && olds !== null ? this.#keep(olds, folder.folderId) : [];
    for (let name = children?.next() ?? null; name !== null; name = children?.next() ?? null) {
      const look = children?.look ?? null;
      if (this.#isDue()) await this.#letOthers();
      if (olds !== null && this.#takeUntouched(place, name, olds, look)) continue;
      const old = olds?.find(name) ?? null;
      if (this.#to.previous !== null) await this.#prepare(this.#to.previous, old);
      const found = this.#item({
        call: place.childCall(name),
        full: place.childFull(name),
        name,
        tarPath: `${tarPath}/${name}`,
        folderId: folder.folderId,
        old,
        look,
      });
      if (found !== null) subfolders.push(found);
    }
    this.#untouched?.settle();
    folders.setChildren(folder.folderId, firstOrdinal, rows.nextOrdinal - firstOrdinal);
    return { place, tarPath, device: folder.stat.device, subfolders, next: 0 };
  }

  #takeUntouched(place: Place, name: ByteString, olds: OldChildren, look: ItemLook | null): boolean {
    if (this.#untouched === null) return false;
    this.#to.control.check();
    return this.#untouched.take(place, name, olds, look);
  }

  #isDue(): boolean {
    this.#items += 1;
    return this.#to.previous !== null && this.#items % ITEMS_PER_TURN === 0;
  }

  /** Other work of the thread gets its turn. */
  async #letOthers(): Promise<void> {
    await turn();
    collectYoungObjects();
  }

  /** What has no row under its path may have one under another. */
  async #prepare(previous: PreviousCopy, old: Entry | null): Promise<void> {
    if (old === null || previous.isIndexWanted) await previous.makeIndex();
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
  #children(place: Place, hasOld: boolean): Children | null {
    const ahead = this.#ahead?.of(place) ?? null;
    if (ahead !== null) return ahead;
    try {
      return listedChildren(place);
    } catch (error) {
      const isKept = hasOld && isKeepable(error);
      this.#notes.skip(place.full, error, isKept);
      return isKept ? null : noChildren;
    }
  }

  /** Writes one item and its row. Returns the folder when it is one. Whatever fails at one item leaves the rest. */
  #item(item: Item): Pending | null {
    const { call, full, old, folderId } = item;
    this.#to.control.check();
    try {
      const stat = item.look === null ? lstatItem(call) : itemStat(item.look);
      if (this.#excluded.has(stat)) {
        this.#notes.leaveOut(full, 'left out by rule');
        return null;
      }
      if (stat.type === 'd' && isOwnSnapshot(item.name, stat.inode)) {
        this.#notes.leaveOut(full, 'a snapshot that this server has made for a backup');
        return null;
      }
      if (stat.type === 'd') return this.#folder(item, stat);
      this.#to.control.setPath(full);
      this.#notFolder(item, stat);
      this.#to.control.add('filesDone', 1);
    } catch (error) {
      // It was looked at a while ago, and is another one since, or gone: only what is so now is to be told.
      if (item.look !== null && isOutdated(error)) return this.#item({ ...item, look: null });
      const isKept = this.#kept !== null && old !== null && isKeepable(error);
      this.#notes.skip(full, error, isKept);
      if (isKept) return this.#keepItem(old, folderId);
    }
    return null;
  }

  #folder({ call, full, name, folderId, old }: Item, stat: ItemStat): Pending {
    const { rows, folders } = this.#to;
    const xattrs = this.#isBare(old, stat) ? [] : this.#notes.xattrs(call, full);
    const childFolderId = folders.add(folderId, rows.nextOrdinal);
    const row = bareRow(name, folderId, 'd', stat, xattrs);
    row.childFolderId = childFolderId;
    row.stamp = stampOf(stat);
    rows.row(row);
    const oldFolderId = old?.childFolderId ?? null;
    return { name, folderId: childFolderId, parentId: folderId, stat, xattrs, oldFolderId, isKept: false };
  }

  #notFolder(item: Item, stat: ItemStat): void {
    const { members, rows } = this.#to;
    const { call, full, name, tarPath, folderId } = item;
    if (stat.type === 'socket') throw new SkipItem('ENXIO', 'a socket has no content that could be kept');
    if (stat.type === 'unknown' || stat.type === 'd') throw new SkipItem('EINVAL', 'its kind is not known');
    if (stat.type === 'f') {
      const isWritten = this.#files.write(item, stat);
      if (!isWritten && item.old !== null) this.#keepItem(item.old, folderId);
      return;
    }
    const known = this.#isBare(item.old, stat) ? item.old : null;
    const xattrs = known !== null ? [] : this.#notes.xattrs(call, full);
    const linkTarget = stat.type === 'l' ? (known?.linkTarget ?? targetOf(call)) : '';
    const written = members.bare({ tarPath, stat, xattrs }, stat.type, linkTarget);
    const row = bareRow(name, folderId, stat.type, stat, xattrs);
    rows.row({ ...row, ...written, linkTarget, ...deviceNumbers(stat), stamp: stampOf(stat) });
    this.#specials += 1;
  }

  /** Nothing happened to the item since the copy before, which has no extended attributes of it: there is none to ask for. */
  #isBare(old: Entry | null, stat: ItemStat): boolean {
    const { previous } = this.#to;
    if (previous === null || old === null || old.type !== stat.type) return false;
    return old.xattrNames.length === 0 && previous.isUntouched(old, stat);
  }
}

function targetOf(call: ByteString): ByteString {
  return fs.readlinkSync(fsPath(call), { encoding: 'latin1' });
}

/** A resource that cannot be opened at all is a failure, not an empty copy. */
function topPlace(source: ByteString, full: ByteString): Place {
  try {
    return Place.top(source, full);
  } catch (error) {
    throw toDeviceError(error, `The resource ${shown(full)} cannot be read`);
  }
}
