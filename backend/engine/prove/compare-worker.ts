import fs from 'node:fs';
import { workerData } from 'node:worker_threads';
import { type ByteString, fsPath } from '../../platform/byte-path.ts';
import { errorCode } from '../../platform/native.ts';
import type { BlocksInput } from '../archive/blocks-input.ts';
import type { Entry } from '../archive/entry.ts';
import { FrameStream } from '../archive/frame-stream.ts';
import { ContentHash } from '../archive/hash.ts';
import { parseXattrs } from '../archive/tar-parse.ts';
import { ChainStreams } from '../chain/chain-streams.ts';
import type { ChainLink } from '../chain/links.ts';
import type { CopySecret } from '../crypto/copy-secret.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import { Control } from '../job/control.ts';
import { finishWorker, runWorkerAsync } from '../job/worker-side.ts';
import { shownPath } from '../manifest/display.ts';
import { ManifestReader } from '../manifest/manifest-reader.ts';
import { FolderPath, lookAt } from '../restore/target-folders.ts';
import { idsByName } from '../restore/target-metadata.ts';
import { contentBuffer, contentDifference } from './compare-file.ts';
import { metadataDifferences, type OwnerIds } from './compare-metadata.ts';

export interface CompareWorkerInput {
  readonly control: SharedArrayBuffer;
  readonly copyPath: string;
  readonly secret: CopySecret | null;
  readonly links: readonly ChainLink[];
  readonly blocks: BlocksInput | null;
  /** Folder that the sample was restored to. */
  readonly scratch: ByteString;
  readonly ordinals: readonly number[];
}

export interface ComparedFile {
  /** Display form, absolute. */
  readonly path: string;
  readonly sizeBytes: number;
  /** The file is not in the scratch space. */
  readonly isMissing: boolean;
  readonly differences: readonly string[];
  /** What the scratch space or the rights of this server do not allow to have. */
  readonly excused: readonly string[];
}

type Compared = Pick<ComparedFile, 'isMissing' | 'differences' | 'excused'>;

const missing: Compared = { isMissing: true, differences: [], excused: [] };
const input = workerData as CompareWorkerInput;
const control = new Control(input.control);
const NONE: ReadonlyMap<ByteString, Buffer> = new Map();

runWorkerAsync(control, async () => finishWorker(await compare()));

async function compare(): Promise<readonly ComparedFile[]> {
  const reader = new ManifestReader(input.copyPath, input.secret);
  const stream = new FrameStream(reader, control, input.blocks);
  const streams = new ChainStreams(stream, input.links, control);
  const { header } = reader.file;
  const folders = openScratch();
  const owners: OwnerIds = {
    users: idsByName(header.users, '/etc/passwd'),
    groups: idsByName(header.groups, '/etc/group'),
  };
  const tools = { hash: new ContentHash(), control, buffer: contentBuffer() };
  try {
    const compared: ComparedFile[] = [];
    for (const ordinal of input.ordinals) {
      control.check();
      const entry = reader.entry(ordinal);
      const fromTop = reader.pathOf(entry);
      control.setPath(fromTop);
      const common = { path: shownPath(header.source, fromTop), sizeBytes: entry.sizeBytes };
      compared.push({ ...common, ...(await compareOne(entry, fromTop)) });
    }
    return compared;
  } finally {
    folders.close();
    streams.close();
    stream.close();
    reader.close();
  }

  async function compareOne(entry: Entry, fromTop: ByteString): Promise<Compared> {
    const names = fromTop.split('/');
    const name = names.pop() ?? '';
    try {
      const isFound = enterAll(folders, names) && lookAt(folders.child(name))?.isFile() === true;
      return isFound ? await differences(folders.child(name), entry) : missing;
    } catch (error) {
      throw error instanceof DeviceError ? error : scratchError(error);
    } finally {
      while (folders.depth > 1) folders.leave();
    }
  }

  async function differences(file: ByteString, entry: Entry): Promise<Compared> {
    try {
      const xattrs = await xattrsOf(entry);
      const found = metadataDifferences(file, entry, xattrs, owners);
      const content = await contentDifference(file, entry, () => streamOf(entry), tools);
      const told = found.filter(({ isExcused }) => !isExcused).map(({ reason }) => reason);
      return {
        isMissing: false,
        differences: content === null ? told : [content, ...told],
        excused: found.filter(({ isExcused }) => isExcused).map(({ reason }) => reason),
      };
    } catch (error) {
      if (error instanceof DeviceError && (error.kind === 'corrupt' || error.kind === 'notFound'))
        return { isMissing: false, differences: [error.message], excused: [] };
      throw error;
    }
  }

  function streamOf({ heldBy }: Entry): FrameStream {
    const found = streams.streamOf(heldBy);
    if (found !== null) return found;
    const { reason } = streams.fault(heldBy ?? -1);
    throw new DeviceError('notFound', `its data are in an earlier copy that cannot be read: ${reason}`);
  }

  async function xattrsOf(entry: Entry): Promise<ReadonlyMap<ByteString, Buffer>> {
    const { xattrNames, xattrValues, headerOffset, headerLength } = entry;
    if (xattrNames.length === 0) return NONE;
    if (xattrValues !== null) {
      return new Map(xattrNames.map((name, index) => [name, xattrValues[index] ?? Buffer.alloc(0)]));
    }
    const headers = headerOffset === null ? null : await streamOf(entry).whole(headerOffset, headerLength);
    if (headers === null) {
      throw new DeviceError('corrupt', 'its extended attributes in the copy are damaged');
    }
    return parseXattrs(headers);
  }
}

function openScratch(): FolderPath {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
  try {
    return new FolderPath(fs.openSync(fsPath(input.scratch), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  } catch (error) {
    throw scratchError(error);
  }
}

/** The scratch space itself does not answer: that says nothing of the copy. */
function scratchError(error: unknown): Error {
  const refused = toDeviceError(error, 'The scratch space cannot be read');
  if (!(refused instanceof DeviceError)) return refused;
  return new DeviceError('transient', refused.message, { cause: error });
}

/** Name by name, since a path can be longer than a call takes. False: the folder is not there. */
function enterAll(folders: FolderPath, names: readonly ByteString[]): boolean {
  for (const name of names) {
    const call = folders.child(name);
    if (lookAt(call)?.isDirectory() !== true) return false;
    try {
      folders.enter(name);
    } catch (error) {
      if (errorCode(error) !== 'EACCES') throw error;
      // Folders come back with the rights they had, which may shut their own owner out.
      fs.chmodSync(fsPath(call), 0o700);
      folders.enter(name);
    }
  }
  return true;
}
