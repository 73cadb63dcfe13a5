import fs from 'node:fs';
import { type ByteString, fsPath } from '../../platform/byte-path.ts';
import { errorCode, isSystemCode } from '../../platform/native.ts';
import type { Entry } from '../archive/entry.ts';
import type { FrameStream } from '../archive/frame-stream.ts';
import { ContentHash } from '../archive/hash.ts';
import type { BlockLine } from '../archive/manifest-format.ts';
import { parseXattrs } from '../archive/tar-parse.ts';
import { nativeCalls } from '../backup/source-item.ts';
import { DeviceError } from '../device-error.ts';
import { type Control, Throttle } from '../job/control.ts';
import { shownPath } from '../manifest/display.ts';
import type { ManifestReader } from '../manifest/manifest-reader.ts';
import { writeContent } from './file-writer.ts';
import type { Problems } from './problems.ts';
import { type FolderPath, lookAt } from './target-folders.ts';
import type { Complain, TargetMetadata } from './target-metadata.ts';

export interface RestorePlan {
  /** Name of the resource in the destination; null = its contents go straight into the destination. */
  readonly rootName: ByteString | null;
  /** The folder was made for this restore, so it gets the resource's own metadata. */
  readonly isDestinationNew: boolean;
  readonly replaces: boolean;
  readonly isWanted: (pathFromTop: ByteString) => boolean;
  /** Device and inode of folders that must not be written to. */
  readonly forbiddenKeys: ReadonlySet<string>;
}

interface OpenFolder {
  readonly id: number;
  /** Null: nothing below it is restored. */
  readonly entry: Entry | null;
  readonly path: ByteString;
  readonly xattrs: ReadonlyMap<ByteString, Buffer>;
  /** It is a level of the folder path and must be left. */
  readonly isEntered: boolean;
}

interface FirstLink {
  readonly folder: readonly ByteString[];
  readonly name: ByteString;
  readonly key: string;
}

const TYPE_BITS = { p: 0o010000, c: 0o020000, b: 0o060000 } as const;
const NONE: ReadonlyMap<ByteString, Buffer> = new Map();
const NEW_FOLDER_MODE = 0o700;

/** Brings the items of a copy back one by one. What fails at one item is told and leaves the rest. */
export class TreeRestorer {
  readonly #reader: ManifestReader;
  readonly #stream: FrameStream;
  readonly #folders: FolderPath;
  readonly #metadata: TargetMetadata;
  readonly #plan: RestorePlan;
  readonly #problems: Problems;
  readonly #control: Control;
  readonly #hash = new ContentHash();
  readonly #throttle: Throttle;
  readonly #stack: OpenFolder[] = [];
  /** Rows of folders whose block is still to come. */
  readonly #pending = new Map<number, Entry>();
  readonly #firstLinks = new Map<number, FirstLink>();
  files = 0;
  bytes = 0;

  constructor(parts: {
    readonly reader: ManifestReader;
    readonly stream: FrameStream;
    readonly folders: FolderPath;
    readonly metadata: TargetMetadata;
    readonly plan: RestorePlan;
    readonly problems: Problems;
    readonly control: Control;
  }) {
    this.#reader = parts.reader;
    this.#stream = parts.stream;
    this.#folders = parts.folders;
    this.#metadata = parts.metadata;
    this.#plan = parts.plan;
    this.#problems = parts.problems;
    this.#control = parts.control;
    this.#throttle = new Throttle(parts.control);
  }

  async run(): Promise<void> {
    for (const step of this.#reader.walk()) {
      this.#control.check();
      if (step.kind === 'block') await this.#block(step.block, step.path);
      else await this.#entry(step.entry, step.path);
    }
    while (this.#stack.length > 0) this.#leaveFolder();
  }

  async #block(block: BlockLine, path: ByteString): Promise<void> {
    if (block.folderId === 0) return;
    while (this.#stack.length > 0 && this.#stack.at(-1)?.id !== block.parentId) this.#leaveFolder();
    const parent = this.#stack.at(-1);
    const entry = this.#pending.get(block.folderId) ?? null;
    this.#pending.delete(block.folderId);
    const isBelowWanted = parent === undefined ? block.parentId === 0 : parent.entry !== null;
    const closed = { id: block.folderId, entry: null, path, xattrs: NONE, isEntered: false };
    if (entry === null || !isBelowWanted || !this.#plan.isWanted(path)) {
      this.#stack.push(closed);
      return;
    }
    const opened = await this.#guard(path, () => this.#openFolder(block, entry, path));
    this.#stack.push(opened ?? closed);
  }

  async #openFolder(block: BlockLine, entry: Entry, path: ByteString): Promise<OpenFolder> {
    const isRoot = block.parentId === 0;
    const { rootName } = this.#plan;
    const name = isRoot ? rootName : entry.name;
    if (name !== null) {
      this.#makeFolder(name);
      this.#folders.enter(name);
    }
    if (this.#plan.forbiddenKeys.has(this.#folders.currentKey())) {
      if (name !== null) this.#folders.leave();
      throw new DeviceError('permission', 'it would be written into the folders of this server itself');
    }
    const xattrs = await this.#xattrs(entry, block.headerOffset, block.headerLength);
    return { id: block.folderId, entry, path, xattrs, isEntered: name !== null };
  }

  #makeFolder(name: ByteString): void {
    const call = this.#folders.child(name);
    const there = lookAt(call);
    if (there?.isDirectory()) return;
    if (there !== null) {
      if (!this.#plan.replaces) throw new DeviceError('permanent', 'something else is in its place');
      fs.unlinkSync(fsPath(call));
    }
    fs.mkdirSync(fsPath(call), { mode: NEW_FOLDER_MODE });
  }

  /** All below it is done, so its own times and rights can be set and stay. */
  #leaveFolder(): void {
    const folder = this.#stack.pop();
    if (folder === undefined || folder.entry === null) return;
    const { entry, xattrs, isEntered, path } = folder;
    try {
      if (isEntered || this.#plan.isDestinationNew) {
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
      this.#pending.set(entry.childFolderId, entry);
      return;
    }
    const parent = this.#stack.at(-1);
    const isBelowWanted =
      parent === undefined ? entry.folderId === 0 : parent.entry !== null && parent.id === entry.folderId;
    if (!isBelowWanted || !this.#plan.isWanted(path)) return;
    this.#control.setPath(path);
    const name = entry.folderId === 0 ? (this.#plan.rootName ?? entry.name) : entry.name;
    await this.#guard(path, () => this.#item(entry, name, path));
    this.#control.add('filesDone', 1);
  }

  async #item(entry: Entry, name: ByteString, path: ByteString): Promise<void> {
    const call = this.#folders.child(name);
    const there = lookAt(call);
    if (there !== null && !this.#plan.replaces) return;
    if (there?.isDirectory()) throw new DeviceError('permanent', 'a folder is in its place');
    if (entry.type === 'f') {
      await this.#file(entry, name, path, entry);
      this.#rememberLink(entry.ordinal, name, entry.hasLinks);
    } else if (entry.type === 'h') {
      await this.#hardLink(entry, name, path, there !== null);
    } else {
      if (there !== null) fs.unlinkSync(fsPath(call));
      await this.#special(entry, call, path);
    }
    this.files += 1;
  }

  /** Data go to a name of their own first: what is under the real name is always whole. */
  async #file(content: Entry, name: ByteString, path: ByteString, facts: Entry): Promise<void> {
    const temporary = this.#folders.child(`.strongroom-${content.ordinal}.part`);
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
    if (lookAt(temporary) !== null) fs.unlinkSync(fsPath(temporary));
    const fd = fs.openSync(fsPath(temporary), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    let isRenamed = false;
    try {
      const tools = { hash: this.#hash, control: this.#control, throttle: this.#throttle };
      if (!(await writeContent(fd, content, this.#stream, tools))) {
        throw new DeviceError('corrupt', 'its data in the copy are damaged');
      }
      const xattrs = await this.#xattrs(content, content.headerOffset ?? 0, content.headerLength);
      this.#metadata.toOpen(fd, facts, xattrs, this.#complain(path));
      fs.renameSync(fsPath(temporary), fsPath(this.#folders.child(name)));
      isRenamed = true;
      this.bytes += content.sizeBytes;
    } finally {
      fs.closeSync(fd);
      if (!isRenamed) fs.unlinkSync(fsPath(temporary));
    }
  }

  async #hardLink(entry: Entry, name: ByteString, path: ByteString, isThere: boolean): Promise<void> {
    const first = entry.firstLink === null ? undefined : this.#firstLinks.get(entry.firstLink);
    if (first !== undefined && this.#link(first, name, isThere)) return;
    // The first name is not part of this restore, or could not be brought back: this one becomes the first.
    const content = this.#reader.entry(entry.firstLink ?? -1);
    if (content.type !== 'f') throw new DeviceError('corrupt', 'the file it is a link to is not in the copy');
    await this.#file(content, name, path, { ...entry, type: 'f' });
    this.#rememberLink(content.ordinal, name, true);
  }

  #link(first: FirstLink, name: ByteString, isThere: boolean): boolean {
    const temporary = `.strongroom-link-${process.pid}.part`;
    return this.#folders.within(first.folder, (fd) => {
      const source = `/proc/self/fd/${fd}/${first.name}`;
      const stat = lookAt(source);
      if (stat === null || `${stat.dev}:${stat.ino}` !== first.key) return false;
      const target = this.#folders.child(name);
      if (!isThere) {
        fs.linkSync(fsPath(source), fsPath(target));
        return true;
      }
      const now = lookAt(target);
      if (now !== null && `${now.dev}:${now.ino}` === first.key) return true;
      fs.linkSync(fsPath(source), fsPath(this.#folders.child(temporary)));
      fs.renameSync(fsPath(this.#folders.child(temporary)), fsPath(target));
      return true;
    });
  }

  #rememberLink(ordinal: number, name: ByteString, hasLinks: boolean): void {
    if (!hasLinks) return;
    const stat = lookAt(this.#folders.child(name));
    if (stat === null) return;
    this.#firstLinks.set(ordinal, { folder: this.#folders.names(), name, key: `${stat.dev}:${stat.ino}` });
  }

  async #special(entry: Entry, call: ByteString, path: ByteString): Promise<void> {
    const xattrs = await this.#xattrs(entry, entry.headerOffset ?? 0, entry.headerLength);
    if (entry.type === 'l') {
      fs.symlinkSync(fsPath(entry.linkTarget), fsPath(call));
    } else if (entry.type === 'p' || entry.type === 'c' || entry.type === 'b') {
      const calls = nativeCalls();
      if (calls === null) throw new DeviceError('permanent', 'such items cannot be made on this system');
      calls.makeNode(call, TYPE_BITS[entry.type] | 0o600, entry.major, entry.minor);
    }
    this.#metadata.toPath(call, entry, xattrs, this.#complain(path));
  }

  async #xattrs(entry: Entry, offset: number, length: number): Promise<ReadonlyMap<ByteString, Buffer>> {
    if (entry.xattrNames.length === 0) return NONE;
    const headers = await this.#stream.whole(offset, length);
    if (headers === null) throw new DeviceError('corrupt', 'its extended attributes in the copy are damaged');
    return parseXattrs(headers);
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
    const shown = shownPath(this.#reader.file.header.source, path);
    if (error instanceof DeviceError) {
      if (error.kind === 'cancelled') throw error;
      this.#problems.add(shown, error.kind, error.message);
      return;
    }
    const code = errorCode(error);
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new DeviceError('noSpace', 'The destination is full. Free space and start the restore again.', {
        cause: error,
      });
    }
    if (!isSystemCode(code)) throw error;
    this.#problems.add(shown, code, `it could not be restored (${code})`);
  }

  #complain(path: ByteString): Complain {
    return (code, reason) =>
      this.#problems.add(shownPath(this.#reader.file.header.source, path), code, reason);
  }
}
