import fs from 'node:fs';
import { atCalls } from '../../platform/at-calls.ts';
import { type ByteString, fsPath } from '../../platform/byte-path.ts';
import { errorCode, isSystemCode } from '../../platform/native.ts';
import type { Entry } from '../archive/entry.ts';
import type { FrameStream } from '../archive/frame-stream.ts';
import { ContentHash } from '../archive/hash.ts';
import type { BlockLine } from '../archive/manifest-format.ts';
import { parseXattrs } from '../archive/tar-parse.ts';
import { nativeCalls } from '../backup/source-item.ts';
import type { ChainStreams } from '../chain/chain-streams.ts';
import { DeviceError } from '../device-error.ts';
import { type Control, Throttle } from '../job/control.ts';
import { shownPath } from '../manifest/display.ts';
import type { ManifestReader, OrdinalRange } from '../manifest/manifest-reader.ts';
import { writeContent } from './file-writer.ts';
import type { Problems } from './problems.ts';
import type { RestoreShare } from './restore-share.ts';
import { RestoredLinks } from './restored-links.ts';
import type { Wants } from './selection.ts';
import { type FolderPath, lookAt } from './target-folders.ts';
import type { Complain, TargetMetadata } from './target-metadata.ts';

/**
 * `all`: everything, by one thread. `share`: what this thread takes of the rows; folders keep the metadata with which they
 * are made, further names of a file wait. `finish`: when all are there, the folders' metadata and the further names.
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

interface OpenFolder {
  readonly id: number;
  /** Its own row; null when that is damaged. */
  readonly entry: Entry | null;
  /** False: it could not be restored, so nothing below it is. */
  readonly isOpen: boolean;
  readonly path: ByteString;
  readonly xattrs: ReadonlyMap<ByteString, Buffer>;
  /** It is a level of the folder path and must be left. */
  readonly isEntered: boolean;
  /** It gets the mode, owner and times it had; a folder that was there and only leads to others keeps its own. */
  readonly takesFacts: boolean;
  /** This thread made it, so nothing is in it but what was restored. */
  readonly isNew: boolean;
}

/** Where the headers of a member are in the tar stream. */
type HeaderPlace = Pick<BlockLine, 'headerOffset' | 'headerLength'>;

const TYPE_BITS = { p: 0o010000, c: 0o020000, b: 0o060000 } as const;
const NONE: ReadonlyMap<ByteString, Buffer> = new Map();
const NEW_FOLDER_MODE = 0o700;

/** Brings the items of a copy back one by one. What fails at one item is told and leaves the rest. */
export class TreeRestorer {
  readonly #reader: ManifestReader;
  readonly #streams: ChainStreams;
  readonly #folders: FolderPath;
  readonly #metadata: TargetMetadata;
  readonly #plan: RestorePlan;
  readonly #problems: Problems;
  readonly #control: Control;
  readonly #hash = new ContentHash();
  readonly #throttle: Throttle;
  readonly #tell: (message: string) => void;
  readonly #share: RestoreShare | null;
  #step: RestoreStep = 'all';
  /** Bytes of the item at hand that are counted as done. */
  #counted = 0;
  readonly #stack: OpenFolder[] = [];
  /** Rows of folders whose block is still to come. */
  readonly #pending = new Map<number, Entry>();
  readonly #links: RestoredLinks;
  files = 0;
  bytes = 0;

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
    this.#streams = parts.streams;
    this.#folders = parts.folders;
    this.#metadata = parts.metadata;
    this.#plan = parts.plan;
    this.#problems = parts.problems;
    this.#control = parts.control;
    this.#share = parts.share;
    this.#links = new RestoredLinks(parts.folders);
    this.#throttle = new Throttle(parts.control, parts.share === null ? 1 : 2);
    this.#tell = parts.note;
  }

  async run(step: RestoreStep = 'all'): Promise<void> {
    this.#step = step;
    const takes = step === 'share' ? (segment: number) => this.#share?.takes(segment) ?? true : undefined;
    for (const found of this.#reader.walk(this.#plan.ranges, takes)) {
      this.#control.check();
      if (found.kind === 'block') await this.#block(found.block, found.path);
      else if (found.kind === 'entry') await this.#entry(found.entry, found.path);
      else if (step === 'finish') continue;
      else if (found.kind === 'refused') this.#refused(found.path);
      else this.#lost(found.count);
    }
    while (this.#stack.length > 0) this.#leaveFolder();
    this.#pending.clear();
  }

  #lost(count: number): void {
    const reason = `${count} entries of the file list are damaged, so these items could not be restored; the archive can still be opened with tar`;
    this.#problems.add(this.#reader.file.header.source, 'corrupt', reason);
  }

  #refused(path: ByteString): void {
    if (this.#plan.wants(path) === null) return;
    this.#problems.add(
      this.#shown(path),
      'permission',
      'it was refused: its name could lead out of its folder',
    );
  }

  async #block(block: BlockLine, path: ByteString): Promise<void> {
    if (block.folderId === 0 || this.#plan.wants(path) === null) return;
    // After a gap in the file list a block goes on.
    if (this.#stack.some((folder) => folder.id === block.folderId)) {
      this.#leaveUntil(block.folderId);
      return;
    }
    const opened = await this.#guard(path, () => this.#openParents(block.parentId));
    if (opened === null) {
      this.#stack.push(closedFolder(block.folderId, path));
      return;
    }
    await this.#enter(block.folderId, path, block);
  }

  /** One that cannot be opened is told, by one thread, and stays closed with all below it. */
  async #enter(id: number, path: ByteString, block: BlockLine | null): Promise<void> {
    try {
      this.#stack.push(await this.#openFolder(id, path, block));
    } catch (error) {
      if (this.#tellsOf(id)) this.#note(path, error);
      else this.#throwIfEnd(error);
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
    const xattrs = takesFacts && entry !== null ? await this.#xattrs(entry, place, path) : NONE;
    if (entry === null && this.#tellsOf(id)) {
      const reason =
        'its entry in the file list is damaged; it was made without its owner, permissions and time';
      this.#problems.add(this.#shown(path), 'corrupt', reason);
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
    };
  }

  #takesFacts(id: number, entry: Entry | null, isWanted: boolean): boolean {
    if (entry === null) return false;
    if (this.#share === null) return isWanted;
    if (this.#step === 'finish') return this.#share.getsFacts(id);
    if (isWanted) this.#share.giveFacts(id);
    return false;
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

  /** True when it was made. A link in its place is never followed, nor taken away: it may lead to where data live. */
  #makeFolder(name: ByteString): boolean {
    if (this.#share === null) return this.#makeFolderNow(name);
    try {
      return this.#makeFolderNow(name);
    } catch (error) {
      // The other thread was faster.
      if (lookAt(this.#folders.child(name))?.isDirectory()) return false;
      throw error;
    }
  }

  #makeFolderNow(name: ByteString): boolean {
    const call = this.#folders.child(name);
    const there = lookAt(call);
    if (there?.isDirectory()) return false;
    if (there?.isSymbolicLink()) {
      throw new DeviceError('permission', 'a symbolic link is in its place, and links are not followed');
    }
    if (there !== null) {
      if (!this.#plan.replaces) throw new DeviceError('permanent', 'something else is in its place');
      fs.unlinkSync(fsPath(call));
    }
    fs.mkdirSync(fsPath(call), { mode: NEW_FOLDER_MODE });
    return true;
  }

  /** All below it is done, so its own times and rights can be set and stay. */
  #leaveFolder(): void {
    const folder = this.#stack.pop();
    if (folder === undefined || !folder.isOpen) return;
    const { entry, xattrs, isEntered, takesFacts, path } = folder;
    try {
      if (takesFacts && entry !== null) {
        this.#metadata.toOpen(this.#folders.currentFd(), entry, xattrs, this.#complain(path));
      }
    } catch (error) {
      this.#note(path, error);
    } finally {
      if (isEntered) this.#folders.leave();
    }
  }

  async #entry(entry: Entry, path: ByteString): Promise<void> {
    if (entry.childFolderId !== null) {
      if (this.#plan.wants(path) !== null) this.#pending.set(entry.childFolderId, entry);
      return;
    }
    if (this.#plan.wants(path) === null) return;
    const parent = this.#stack.at(-1);
    // A folder that could not be restored has been told, and its items with it.
    const isOpen = entry.folderId === 0 || (parent?.id === entry.folderId && parent.isOpen);
    if (!isOpen) return;
    const name = entry.folderId === 0 ? (this.#plan.rootName ?? entry.name) : entry.name;
    if (this.#step === 'finish' && entry.type !== 'h') {
      const isDone = entry.hasLinks && (this.#share?.isFileDone(entry.ordinal) ?? false);
      if (isDone) this.#links.remember(entry.ordinal, name);
      return;
    }
    // Its first name may be another thread's.
    if (this.#step === 'share' && entry.type === 'h') return;
    this.#control.setPath(path);
    this.#counted = 0;
    await this.#guard(path, () => this.#item(entry, name, path));
    // Holes, damage and what is kept count as done too, so that the sum meets the total.
    const isData = entry.type === 'f' || this.#counted > 0;
    if (isData) this.#control.add('bytesDone', entry.sizeBytes - this.#counted);
    this.#control.add('filesDone', 1);
  }

  readonly #count = (bytes: number): void => {
    this.#counted += bytes;
    this.#control.add('bytesDone', bytes);
  };

  async #item(entry: Entry, name: ByteString, path: ByteString): Promise<void> {
    const call = this.#folders.child(name);
    const there = this.#stack.at(-1)?.isNew ? null : lookAt(call);
    if (there !== null && !this.#plan.replaces) return;
    if (there?.isDirectory()) throw new DeviceError('permanent', 'a folder is in its place');
    if (entry.type === 'f') {
      await this.#file(entry, name, path);
      if (this.#step === 'share' && entry.hasLinks) this.#share?.setFileDone(entry.ordinal);
      else if (entry.hasLinks) this.#links.remember(entry.ordinal, name);
    } else if (entry.type === 'h') {
      await this.#hardLink(entry, name, path, there !== null);
    } else {
      if (there !== null) fs.unlinkSync(fsPath(call));
      await this.#special(entry, call, path);
    }
    this.files += 1;
  }

  /** Data go to a name of their own first: what is under the real name is always whole. */
  async #file(content: Entry, name: ByteString, path: ByteString): Promise<void> {
    const temporary = this.#folders.child(`.strongroom-${content.ordinal}.part`);
    const fd = makeFile(temporary);
    let isRenamed = false;
    try {
      const tools = {
        hash: this.#hash,
        control: this.#control,
        throttle: this.#throttle,
        count: this.#count,
      };
      if (!(await writeContent(fd, content, this.#streamOf(content), tools))) {
        throw new DeviceError('corrupt', 'its data in the copy are damaged');
      }
      const xattrs = await this.#xattrs(content, null, path);
      this.#metadata.toOpen(fd, content, xattrs, this.#complain(path));
      atCalls().rename(temporary, this.#folders.child(name));
      isRenamed = true;
      this.bytes += content.sizeBytes;
    } finally {
      atCalls().close(fd);
      if (!isRenamed) fs.unlinkSync(fsPath(temporary));
    }
  }

  async #hardLink(entry: Entry, name: ByteString, path: ByteString, isThere: boolean): Promise<void> {
    if (entry.firstLink !== null && this.#links.link(entry.firstLink, name, isThere)) return;
    // The first name is not part of this restore, or could not be brought back: this one becomes the first.
    const content = this.#reader.entry(entry.firstLink ?? -1);
    if (content.type !== 'f') throw new DeviceError('corrupt', 'the file it is a link to is not in the copy');
    await this.#file(content, name, path);
    this.#links.remember(content.ordinal, name);
    this.#tell(
      `${this.#shown(path)} is a further name of a file that is not in this restore; it became a file of its own.`,
    );
  }

  async #special(entry: Entry, call: ByteString, path: ByteString): Promise<void> {
    const xattrs = await this.#xattrs(entry, null, path);
    if (entry.type === 'l') {
      fs.symlinkSync(fsPath(entry.linkTarget), fsPath(call));
    } else if (entry.type === 'p' || entry.type === 'c' || entry.type === 'b') {
      const calls = nativeCalls();
      if (calls === null) throw new DeviceError('permanent', 'such items cannot be made on this system');
      calls.makeNode(call, TYPE_BITS[entry.type] | 0o600, entry.major, entry.minor);
    }
    this.#metadata.toPath(call, entry, xattrs, this.#complain(path));
  }

  #streamOf({ heldBy }: Entry): FrameStream {
    const stream = this.#streams.streamOf(heldBy);
    if (stream !== null) return stream;
    const id = this.#streams.idOf(heldBy ?? -1);
    const { reason } = this.#streams.fault(heldBy ?? -1);
    throw new DeviceError(
      'notFound',
      `its data are in the earlier copy ${id}, which cannot be read: ${reason}`,
    );
  }

  /** `block`: where a folder's header is, unless another copy holds it. Damaged ones are told; the item comes back without them. */
  async #xattrs(
    entry: Entry,
    block: HeaderPlace | null,
    path: ByteString,
  ): Promise<ReadonlyMap<ByteString, Buffer>> {
    if (entry.xattrNames.length === 0) return NONE;
    const { xattrValues } = entry;
    if (xattrValues !== null) {
      return new Map(entry.xattrNames.map((name, index) => [name, xattrValues[index] ?? Buffer.alloc(0)]));
    }
    const place = block ?? placeOf(entry);
    try {
      const headers =
        place === null ? null : await this.#streamOf(entry).whole(place.headerOffset, place.headerLength);
      if (headers !== null) return parseXattrs(headers);
    } catch (error) {
      if (!(error instanceof DeviceError) || !['corrupt', 'notFound'].includes(error.kind)) throw error;
    }
    this.#problems.add(this.#shown(path), 'corrupt', 'its extended attributes in the copy are damaged');
    return NONE;
  }

  /** What the system or the copy says about one item is told; stop, a full disk and bugs end the run. */
  async #guard<T>(path: ByteString, act: () => Promise<T>): Promise<T | null> {
    try {
      return await act();
    } catch (error) {
      this.#note(path, error);
      return null;
    }
  }

  #note(path: ByteString, error: unknown): void {
    this.#throwIfEnd(error);
    const shown = this.#shown(path);
    if (error instanceof DeviceError) {
      this.#problems.add(shown, error.kind, error.message);
      return;
    }
    const code = errorCode(error);
    this.#problems.add(shown, code, `it could not be restored (${code})`);
  }

  /** Stop, a full disk and bugs end the run. */
  #throwIfEnd(error: unknown): void {
    if (error instanceof DeviceError) {
      if (error.kind === 'cancelled') throw error;
      return;
    }
    const code = errorCode(error);
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new DeviceError('noSpace', 'The destination is full. Free space and start the restore again.', {
        cause: error,
      });
    }
    if (!isSystemCode(code)) throw error;
  }

  #complain(path: ByteString): Complain {
    return (code, reason) => this.#problems.add(this.#shown(path), code, reason);
  }

  #shown(path: ByteString): string {
    return shownPath(this.#reader.file.header.source, path);
  }
}

function closedFolder(id: number, path: ByteString): OpenFolder {
  return {
    id,
    entry: null,
    isOpen: false,
    path,
    xattrs: NONE,
    isEntered: false,
    takesFacts: false,
    isNew: false,
  };
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;

/** In the place of what an earlier restore may have left. */
function makeFile(call: ByteString): number {
  const make = () => atCalls().open(call, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    return make();
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    fs.unlinkSync(fsPath(call));
    return make();
  }
}

function placeOf({ headerOffset, headerLength }: Entry): HeaderPlace | null {
  return headerOffset === null ? null : { headerOffset, headerLength };
}
