import type { ByteString } from '../../platform/byte-path.ts';
import { collectOldObjects, isCollectionDue } from '../../platform/collect-garbage.ts';
import type { Entry } from '../archive/entry.ts';
import type { BlockLine } from '../archive/manifest-lines.ts';
import type { ChainStreams } from '../chain/chain-streams.ts';
import { DeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import type { ManifestReader, OrdinalRange } from '../manifest/manifest-reader.ts';
import { type HeaderPlace, ItemWriter, NO_XATTRS } from './item-writer.ts';
import { makeFolder } from './make-folder.ts';
import { closedFolder, type OpenFolder } from './open-folder.ts';
import { PathProblems, type Problems } from './problems.ts';
import type { RestoreShare } from './restore-share.ts';
import type { Wants } from './selection.ts';
import { type FolderPath, lookAt } from './target-folders.ts';
import type { TargetMetadata } from './target-metadata.ts';

/**
 * `all`: everything, by one thread. `share`: what this thread takes of the rows; folders that both threads fill keep the
 * metadata with which they are made, further names of a file wait. `finish`: when all are there, what was left of both.
 */
export type RestoreStep = 'all' | 'share' | 'finish';

export interface RestorePlan {
  /** Name of the resource in the destination; null = its contents go straight into the destination. */
  readonly rootName: ByteString | null;
  /** The folder was made for this restore, so it gets the resource's own metadata. */
  readonly isDestinationNew: boolean;
  readonly replaces: boolean;
  readonly wants: Wants;
  /** Ordinals of what is wanted; null = all. */
  readonly ranges: readonly OrdinalRange[] | null;
  /** Device and inode of folders that must not be written to. */
  readonly forbiddenKeys: ReadonlySet<string>;
}

/** Brings the items of a copy back one by one. What fails at one item is told and leaves the rest. */
export class TreeRestorer {
  readonly #reader: ManifestReader;
  readonly #folders: FolderPath;
  readonly #metadata: TargetMetadata;
  readonly #plan: RestorePlan;
  readonly #problems: PathProblems;
  readonly #control: Control;
  readonly #share: RestoreShare | null;
  #step: RestoreStep = 'all';
  readonly #stack: OpenFolder[] = [];
  /** Rows of folders whose block is still to come. */
  readonly #pending = new Map<number, Entry>();
  readonly #items: ItemWriter;
  files = 0;

  constructor(parts: {
    readonly reader: ManifestReader;
    readonly streams: ChainStreams;
    readonly folders: FolderPath;
    readonly metadata: TargetMetadata;
    readonly plan: RestorePlan;
    readonly problems: Problems;
    readonly control: Control;
    /** For what is no problem, but good to know. */
    readonly note: (message: string) => void;
    /** With whom the work is shared; null: with nobody. */
    readonly share: RestoreShare | null;
  }) {
    this.#reader = parts.reader;
    this.#folders = parts.folders;
    this.#metadata = parts.metadata;
    this.#plan = parts.plan;
    this.#problems = new PathProblems(parts.problems, parts.reader.file.header.source);
    this.#control = parts.control;
    this.#share = parts.share;
    this.#items = new ItemWriter({
      ...parts,
      problems: this.#problems,
      sharers: parts.share === null ? 1 : 2,
    });
  }

  get bytes(): number {
    return this.#items.bytes;
  }

  async run(step: RestoreStep = 'all'): Promise<void> {
    this.#step = step;
    let steps = 0;
    for (const found of this.#reader.walk(this.#plan.ranges, this.#walkOf(step))) {
      this.#control.check();
      steps += 1;
      if (isCollectionDue(steps)) await collectOldObjects();
      if (found.kind === 'block') await this.#block(found.block, found.path);
      else if (found.kind === 'entry') {
        const waited = this.#entry(found.entry, found.path);
        // To wait for what is done takes a file as long as several calls of the system.
        if (waited !== null) await waited;
      } else if (step === 'finish') continue;
      else if (found.kind === 'refused') this.#refused(found.path);
      else this.#lost(found.count);
    }
    while (this.#stack.length > 0) this.#leaveFolder();
    this.#pending.clear();
  }

  #walkOf(step: RestoreStep) {
    const share = this.#share;
    if (step !== 'share' || share === null) {
      // Only folders and files with several names are left to be done.
      return { isUsualLeftOut: step === 'finish' };
    }
    const takes = (segment: number): boolean => {
      const isTaken = share.takes(segment);
      // What is open here may go on among the other thread's rows.
      if (!isTaken) this.#leaveForEnd();
      return isTaken;
    };
    return { takes };
  }

  /** What is open has more to it than this thread does now. */
  #leaveForEnd(): void {
    for (let at = this.#stack.length - 1; at >= 0; at -= 1) {
      const folder = this.#stack[at];
      // All above one that is left are left.
      if (folder === undefined || folder.isLeft) return;
      folder.isLeft = true;
      this.#share?.leaveForEnd(folder.id);
    }
  }

  /** Rows of folders stand one after the other with those of all that is below them: this one is done where it was begun. */
  #isDone(folderId: number): boolean {
    return this.#step === 'finish' && !(this.#share?.isLeftForEnd(folderId) ?? false);
  }

  #lost(count: number): void {
    const reason = `${count} entries of the file list are damaged, so these items could not be restored; the archive can still be opened with tar`;
    this.#problems.add(this.#reader.file.header.source, 'corrupt', reason);
  }

  #refused(path: ByteString): void {
    if (this.#plan.wants(path) === null) return;
    this.#problems.add(path, 'permission', 'it was refused: its name could lead out of its folder');
  }

  async #block(block: BlockLine, path: ByteString): Promise<void> {
    if (block.folderId === 0 || this.#plan.wants(path) === null) return;
    // After a gap in the file list a block goes on.
    if (this.#stack.some((folder) => folder.id === block.folderId)) {
      this.#leaveUntil(block.folderId);
      return;
    }
    const isDone = this.#isDone(block.folderId);
    if (isDone && this.#isDone(block.parentId)) return;
    const opened = await this.#problems.guard(path, () => this.#openParents(block.parentId));
    // Where the list is damaged, nothing but what is in it leads to a folder that was left.
    if (isDone) return;
    if (opened === null) {
      this.#stack.push(closedFolder(block.folderId, path));
      return;
    }
    await this.#enter(block.folderId, path, block);
  }

  /** One that cannot be opened is told, by one thread, and stays closed with all below it. */
  async #enter(id: number, path: ByteString, block: BlockLine | null): Promise<void> {
    try {
      const folder = await this.#openFolder(id, path, block);
      this.#stack.push(folder);
      // Whoever began it may still be at it.
      if (this.#step === 'share' && folder.isOpen && !isBegunBy(block)) this.#leaveForEnd();
    } catch (error) {
      if (this.#tellsOf(id)) this.#problems.note(path, error);
      else this.#problems.throwIfEnd(error);
      this.#stack.push(closedFolder(id, path));
    }
  }

  /** With several threads the first that comes to a folder tells of it. */
  #tellsOf(folderId: number): boolean {
    return this.#share === null || this.#share.isFirstToTell(folderId);
  }

  /** Parents whose blocks were not passed (a gap, or nothing of them is wanted) are opened by the table of folders. */
  async #openParents(parentId: number): Promise<true> {
    const missing: number[] = [];
    let id = parentId;
    for (
      ;
      id !== 0 && !this.#stack.some((folder) => folder.id === id);
      id = this.#reader.folder(id).parentId
    ) {
      missing.push(id);
    }
    this.#leaveUntil(id);
    for (const folderId of missing.reverse()) {
      await this.#enter(folderId, this.#reader.pathOf(this.#rowOf(folderId, true)), null);
    }
    return true;
  }

  #leaveUntil(id: number): void {
    while (this.#stack.length > 0 && this.#stack.at(-1)?.id !== id) this.#leaveFolder();
  }

  #rowOf(folderId: number, isNeededAgain = false): Entry {
    const known = this.#pending.get(folderId);
    if (!isNeededAgain) this.#pending.delete(folderId);
    return known ?? this.#reader.entry(this.#reader.folder(folderId).ownOrdinal);
  }

  async #openFolder(id: number, path: ByteString, block: BlockLine | null): Promise<OpenFolder> {
    const parent = this.#stack.at(-1);
    // Its parent could not be restored, and that has been told.
    if (parent !== undefined && !parent.isOpen) return closedFolder(id, path);
    const entry = this.#readRow(id, block === null);
    const { rootName, replaces, isDestinationNew } = this.#plan;
    const name = parent === undefined ? rootName : (entry?.name ?? block?.name ?? '');
    const isNew = name === null ? isDestinationNew : this.#step !== 'finish' && this.#makeFolder(name);
    if (name !== null) this.#folders.enter(name);
    if (this.#plan.forbiddenKeys.has(this.#folders.currentKey())) {
      if (name !== null) this.#folders.leave();
      throw new DeviceError('permission', 'it would be written into the folders of this server itself');
    }
    const isPicked = name !== null && replaces && this.#plan.wants(path) === 'item';
    const takesFacts = this.#takesFacts(id, entry, isNew || isPicked);
    // From here on it must not fail: the folder has been entered.
    const place = entry === null || entry.heldBy !== null ? null : (block ?? this.#placeOf(id));
    const isUsedNow = takesFacts && (this.#step !== 'share' || isBegunBy(block));
    const xattrs = isUsedNow && entry !== null ? await this.#items.readXattrs(entry, place) : NO_XATTRS;
    if (entry === null && this.#tellsOf(id)) {
      const reason =
        'its entry in the file list is damaged; it was made without its owner, permissions and time';
      this.#problems.add(path, 'corrupt', reason);
    }
    return {
      id,
      entry,
      isOpen: true,
      path,
      xattrs,
      isEntered: name !== null,
      takesFacts,
      isNew: isNew && name !== null,
      isLeft: false,
    };
  }

  #takesFacts(id: number, entry: Entry | null, isWanted: boolean): boolean {
    if (entry === null) return false;
    return this.#step === 'finish' ? (this.#share?.getsFacts(id) ?? false) : isWanted;
  }

  /** The row of a folder; null when it is damaged but the folder's name is known from elsewhere. */
  #readRow(folderId: number, isNeeded: boolean): Entry | null {
    try {
      return this.#rowOf(folderId);
    } catch (error) {
      if (isNeeded || !(error instanceof DeviceError) || error.kind !== 'corrupt') throw error;
      return null;
    }
  }

  #placeOf(folderId: number): HeaderPlace | null {
    try {
      return this.#reader.block(folderId);
    } catch (error) {
      if (error instanceof DeviceError && error.kind === 'corrupt') return null;
      throw error;
    }
  }

  #makeFolder(name: ByteString): boolean {
    const isInNew = this.#stack.at(-1)?.isNew ?? false;
    return makeFolder(this.#folders.child(name), isInNew, this.#plan.replaces);
  }

  /** All below it is done, so its own times and rights can be set and stay. */
  #leaveFolder(): void {
    const folder = this.#stack.pop();
    if (folder === undefined || !folder.isOpen) return;
    const { id, entry, isEntered, takesFacts, isLeft, path } = folder;
    try {
      if (takesFacts && isLeft) this.#share?.giveFacts(id);
      else if (takesFacts && entry !== null) {
        const xattrs = this.#items.told(folder.xattrs, path);
        this.#metadata.toOpen(this.#folders.currentFd(), entry, xattrs, this.#problems.complain(path));
      }
    } catch (error) {
      this.#problems.note(path, error);
    } finally {
      if (isEntered) this.#folders.leave();
    }
  }

  /** Null when it is done. */
  #entry(entry: Entry, path: ByteString): Promise<void> | null {
    if (entry.childFolderId !== null) {
      const isToCome = this.#plan.wants(path) !== null && !this.#isDone(entry.childFolderId);
      if (isToCome) this.#pending.set(entry.childFolderId, entry);
      return null;
    }
    if (this.#plan.wants(path) === null) return null;
    const parent = this.#stack.at(-1);
    // A folder that could not be restored has been told, and its items with it.
    const isOpen = entry.folderId === 0 || (parent?.id === entry.folderId && parent.isOpen);
    if (!isOpen) return null;
    const name = entry.folderId === 0 ? (this.#plan.rootName ?? entry.name) : entry.name;
    if (this.#step === 'finish' && entry.type !== 'h') {
      const isDone = entry.hasLinks && (this.#share?.isFileDone(entry.ordinal) ?? false);
      if (isDone) this.#items.links.remember(entry.ordinal, name);
      return null;
    }
    // Its first name may be another thread's.
    if (this.#step === 'share' && entry.type === 'h') {
      this.#leaveForEnd();
      return null;
    }
    this.#control.setPath(path);
    const before = this.#items.counted;
    try {
      const isThere = this.#isThere(name);
      if (isThere === null || this.#items.writeAtOnce(entry, name, path)) {
        if (isThere !== null) this.#noteMade(entry, name);
        this.#count(entry, before);
        return null;
      }
      return this.#later(entry, name, path, isThere);
    } catch (error) {
      this.#problems.note(path, error);
      this.#count(entry, before);
      return null;
    }
  }

  async #later(entry: Entry, name: ByteString, path: ByteString, isThere: boolean): Promise<void> {
    const before = this.#items.counted;
    await this.#problems.guard(path, async () => {
      await this.#items.write(entry, name, path, isThere);
      this.#noteMade(entry, name);
    });
    this.#count(entry, before);
  }

  /** Null: something is, and is to stay. */
  #isThere(name: ByteString): boolean | null {
    const there = this.#stack.at(-1)?.isNew ? null : lookAt(this.#folders.child(name));
    if (there !== null && !this.#plan.replaces) return null;
    if (there?.isDirectory()) throw new DeviceError('permanent', 'a folder is in its place');
    return there !== null;
  }

  #noteMade(entry: Entry, name: ByteString): void {
    if (entry.type === 'f' && entry.hasLinks) {
      if (this.#step === 'share') {
        this.#share?.setFileDone(entry.ordinal);
        // Its further names are made from here.
        this.#leaveForEnd();
      } else this.#items.links.remember(entry.ordinal, name);
    }
    this.files += 1;
  }

  /** Holes, damage and what is kept count as done too, so that the sum meets the total. */
  #count(entry: Entry, countedBefore: number): void {
    const counted = this.#items.counted - countedBefore;
    const isData = entry.type === 'f' || counted > 0;
    const left = entry.sizeBytes - counted;
    if (isData && left !== 0) this.#control.add('bytesDone', left);
    this.#control.add('filesDone', 1);
  }
}

/** The block is where the folder's rows begin, and not only where they go on. */
function isBegunBy(block: BlockLine | null): boolean {
  return block !== null && !block.continued;
}
