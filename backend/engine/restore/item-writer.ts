import fs from 'node:fs';
import { atCalls } from '../../platform/at-calls.ts';
import { type ByteString, fsPath } from '../../platform/byte-path.ts';
import { errorCode } from '../../platform/native.ts';
import type { Entry } from '../archive/entry.ts';
import type { FrameStream } from '../archive/frame-stream.ts';
import { ContentHash } from '../archive/hash.ts';
import type { BlockLine } from '../archive/manifest-lines.ts';
import { parseXattrs } from '../archive/tar-parse.ts';
import { nativeCalls } from '../backup/source-item.ts';
import type { ChainStreams } from '../chain/chain-streams.ts';
import { DeviceError } from '../device-error.ts';
import { type Control, Throttle } from '../job/control.ts';
import type { ManifestReader } from '../manifest/manifest-reader.ts';
import { heldContent, type WriteTools, writeContent, writeHeld } from './file-writer.ts';
import type { PathProblems } from './problems.ts';
import { RestoredLinks } from './restored-links.ts';
import type { FolderPath } from './target-folders.ts';
import type { TargetMetadata } from './target-metadata.ts';

/** Where the headers of a member are in the tar stream. */
export type HeaderPlace = Pick<BlockLine, 'headerOffset' | 'headerLength'>;

/** Of what has none. */
export const NO_XATTRS: ReadonlyMap<ByteString, Buffer> = new Map();

const TYPE_BITS = { p: 0o010000, c: 0o020000, b: 0o060000 } as const;

/** Makes the items that are no folders, with their data and metadata, in the folder that is being filled. */
export class ItemWriter {
  readonly #reader: ManifestReader;
  readonly #streams: ChainStreams;
  readonly #folders: FolderPath;
  readonly #metadata: TargetMetadata;
  readonly #problems: PathProblems;
  readonly #control: Control;
  readonly #tools: WriteTools;
  readonly #note: (message: string) => void;
  readonly links: RestoredLinks;
  /** Bytes of all items that are counted as done, those of a failed one too. */
  counted = 0;
  /** Bytes of the files that were made. */
  bytes = 0;

  constructor(parts: {
    readonly reader: ManifestReader;
    readonly streams: ChainStreams;
    readonly folders: FolderPath;
    readonly metadata: TargetMetadata;
    readonly problems: PathProblems;
    readonly control: Control;
    /** How many threads share a limit. */
    readonly sharers: number;
    /** For what is no problem, but good to know. */
    readonly note: (message: string) => void;
  }) {
    this.#reader = parts.reader;
    this.#streams = parts.streams;
    this.#folders = parts.folders;
    this.#metadata = parts.metadata;
    this.#problems = parts.problems;
    this.#control = parts.control;
    this.#tools = {
      hash: new ContentHash(),
      control: parts.control,
      throttle: new Throttle(parts.control, parts.sharers),
      count: (bytes) => {
        this.counted += bytes;
        this.#control.add('bytesDone', bytes);
      },
    };
    this.#note = parts.note;
    this.links = new RestoredLinks(parts.folders);
  }

  /** `isThere`: something of this name is, and is to be replaced. */
  async write(entry: Entry, name: ByteString, path: ByteString, isThere: boolean): Promise<void> {
    if (entry.type === 'f') await this.#file(entry, name, path);
    else if (entry.type === 'h') await this.#hardLink(entry, name, path, isThere);
    else {
      const call = this.#folders.child(name);
      if (isThere) fs.unlinkSync(fsPath(call));
      await this.#special(entry, call, path);
    }
  }

  /**
   * A file whose data are at hand, and that has nothing else to be read: without waiting, which would take as long as several
   * calls of the system. False where it is not such a one, and nothing is done.
   */
  writeAtOnce(content: Entry, name: ByteString, path: ByteString): boolean {
    if (content.type !== 'f' || content.xattrNames.length > 0) return false;
    const stream = this.#streams.streamOf(content.heldBy);
    const whole = stream === null ? null : heldContent(content, stream);
    if (stream === null || whole === null) return false;
    const file = this.#begin(content);
    try {
      if (!writeHeld(file.fd, content, whole, stream, this.#tools)) throw damagedData();
      this.#end(file, content, name, path, NO_XATTRS);
    } finally {
      close(file);
    }
    return true;
  }

  async #file(content: Entry, name: ByteString, path: ByteString): Promise<void> {
    const file = this.#begin(content);
    try {
      // They lie before the data: whoever reads them after goes back by as much as the file is long.
      const xattrs = await this.readXattrs(content, null);
      if (!(await writeContent(file.fd, content, this.#streamOf(content), this.#tools))) throw damagedData();
      this.#end(file, content, name, path, this.told(xattrs, path));
    } finally {
      close(file);
    }
  }

  /** Data go to a name of their own first: what is under the real name is always whole. */
  #begin(content: Entry): UnfinishedFile {
    const temporary = this.#folders.child(`.strongroom-${content.ordinal}.part`);
    return { temporary, fd: makeFile(temporary, this.#metadata.modeToMake(content)), isRenamed: false };
  }

  #end(
    file: UnfinishedFile,
    content: Entry,
    name: ByteString,
    path: ByteString,
    xattrs: ReadonlyMap<ByteString, Buffer>,
  ): void {
    this.#metadata.toOpen(file.fd, content, xattrs, this.#problems.complain(path));
    atCalls().rename(file.temporary, this.#folders.child(name));
    file.isRenamed = true;
    this.bytes += content.sizeBytes;
  }

  async #hardLink(entry: Entry, name: ByteString, path: ByteString, isThere: boolean): Promise<void> {
    if (entry.firstLink !== null && this.links.link(entry.firstLink, name, isThere)) return;
    // The first name is not part of this restore, or could not be brought back: this one becomes the first.
    const content = this.#reader.entry(entry.firstLink ?? -1);
    if (content.type !== 'f') throw new DeviceError('corrupt', 'the file it is a link to is not in the copy');
    await this.#file(content, name, path);
    this.links.remember(content.ordinal, name);
    this.#note(
      `${this.#problems.shown(path)} is a further name of a file that is not in this restore; it became a file of its own.`,
    );
  }

  async #special(entry: Entry, call: ByteString, path: ByteString): Promise<void> {
    const xattrs = this.told(await this.readXattrs(entry, null), path);
    if (entry.type === 'l') {
      fs.symlinkSync(fsPath(entry.linkTarget), fsPath(call));
    } else if (entry.type === 'p' || entry.type === 'c' || entry.type === 'b') {
      const calls = nativeCalls();
      if (calls === null) throw new DeviceError('permanent', 'such items cannot be made on this system');
      calls.makeNode(call, TYPE_BITS[entry.type] | 0o600, entry.major, entry.minor);
    }
    this.#metadata.toPath(call, entry, xattrs, this.#problems.complain(path));
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

  /** Damaged ones are told; the item comes back without them. */
  told(xattrs: ReadonlyMap<ByteString, Buffer> | null, path: ByteString): ReadonlyMap<ByteString, Buffer> {
    if (xattrs !== null) return xattrs;
    this.#problems.add(path, 'corrupt', 'its extended attributes in the copy are damaged');
    return NO_XATTRS;
  }

  /** `block`: where a folder's header is, unless another copy holds it. Null when they are damaged. */
  async readXattrs(entry: Entry, block: HeaderPlace | null): Promise<ReadonlyMap<ByteString, Buffer> | null> {
    if (entry.xattrNames.length === 0) return NO_XATTRS;
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
    return null;
  }
}

interface UnfinishedFile {
  readonly temporary: ByteString;
  readonly fd: number;
  isRenamed: boolean;
}

function close({ fd, temporary, isRenamed }: UnfinishedFile): void {
  atCalls().close(fd);
  if (!isRenamed) fs.unlinkSync(fsPath(temporary));
}

function damagedData(): DeviceError {
  return new DeviceError('corrupt', 'its data in the copy are damaged');
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;

/** In the place of what an earlier restore may have left. */
function makeFile(call: ByteString, mode: number): number {
  const make = () => atCalls().open(call, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
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
