import fs from 'node:fs';
import { workerData } from 'node:worker_threads';
import { type ByteString, fromDisplay, fsPath, toDisplay } from '../../platform/byte-path.ts';
import { errorCode } from '../../platform/native.ts';
import type { ArrivingArchive } from '../archive/arriving-archive.ts';
import type { BlocksInput } from '../archive/blocks-input.ts';
import { type AheadInput, DecodeAhead } from '../archive/decode-ahead.ts';
import { FrameStream } from '../archive/frame-stream.ts';
import { isSafeName } from '../archive/manifest-lines.ts';
import { ChainStreams } from '../chain/chain-streams.ts';
import type { ChainLink } from '../chain/links.ts';
import type { CopySecret } from '../crypto/copy-secret.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import { Control } from '../job/control.ts';
import { finishWorker, runWorkerAsync, sendLog } from '../job/worker-side.ts';
import { ManifestReader, type OrdinalRange, pathFromTop } from '../manifest/manifest-reader.ts';
import { Problems } from './problems.ts';
import type { RestoreResult } from './restore.ts';
import { RestoreShare, type RestoreShareInput } from './restore-share.ts';
import { createSelection, type Wants } from './selection.ts';
import { FolderPath } from './target-folders.ts';
import { TargetMetadata } from './target-metadata.ts';
import { TreeRestorer } from './tree-restorer.ts';

export interface RestoreWorkerInput {
  readonly control: SharedArrayBuffer;
  readonly copyPath: string;
  /** Opens an encrypted copy; null for one that is not. */
  readonly secret: CopySecret | null;
  /** The copies that this one builds on, oldest first. */
  readonly links: readonly ChainLink[];
  readonly destination: ByteString;
  readonly isDestinationNew: boolean;
  readonly newName: ByteString | null;
  readonly deployInto: boolean;
  readonly selection: readonly string[];
  readonly replaces: boolean;
  readonly numericOwner: boolean;
  readonly intoEmpty: boolean;
  readonly ownerIsSelf: boolean;
  readonly forbiddenKeys: readonly string[];
  /** What opens the blocks of a copy that has some. */
  readonly blocks: BlocksInput | null;
  /** Decodes for this thread; null: nobody does. */
  readonly ahead: AheadInput | null;
  /** The archive, when it is not in the copy's folder. */
  readonly arriving: ArrivingArchive | null;
  /** With another thread; null: this one does all. */
  readonly share: RestoreShareInput | null;
  /** Looks at the target before, and finishes the folders at the end. */
  readonly isFirst: boolean;
}

const input = workerData as RestoreWorkerInput;
const control = new Control(input.control);
const ahead = input.ahead === null ? null : new DecodeAhead(input.ahead, control);

runWorkerAsync(control, async () => {
  try {
    finishWorker(await restore());
  } finally {
    ahead?.close();
  }
});

async function restore(): Promise<RestoreResult> {
  const reader = new ManifestReader(input.copyPath, input.secret);
  const stream = new FrameStream(reader, control, input.blocks, ahead, input.arriving);
  const streams = new ChainStreams(stream, input.links, control);
  const folders = new FolderPath(openDestination());
  try {
    const { header } = reader.file;
    const top = reader.top();
    const { wants, ranges } = selectionOf(reader, top.name, fromDisplay(header.source));
    if (input.isFirst) countWork(reader, wants, ranges);
    const isFolder = top.childFolderId !== null;
    const root = rootName(top.name, isFolder);
    if (input.isFirst && input.intoEmpty) requireEmpty(root);
    const share = shareOf(reader);
    const problems = new Problems();
    const restorer = new TreeRestorer({
      reader,
      streams,
      folders,
      metadata: new TargetMetadata(header, input),
      problems,
      control,
      note: (message) => sendLog('info', message),
      share,
      plan: {
        rootName: root,
        isDestinationNew: input.isDestinationNew || input.intoEmpty,
        replaces: input.replaces,
        wants,
        ranges,
        forbiddenKeys: new Set(input.forbiddenKeys),
      },
    });
    if (share === null) await restorer.run();
    else await runShared(restorer, share);
    return {
      outcome: problems.total === 0 ? 'complete' : 'withProblems',
      filesRestored: restorer.files,
      bytesRestored: restorer.bytes,
      problems: problems.kept,
      problemsTotal: problems.total,
    };
  } finally {
    folders.close();
    streams.close();
    stream.close();
    reader.close();
  }
}

function shareOf(reader: ManifestReader): RestoreShare | null {
  if (input.share === null) return null;
  // What is on its way comes in the order of the archive: who is far ahead would wait for it.
  const segments = input.arriving === null ? reader.file.segments('rows').length : 0;
  return new RestoreShare(input.share, control, segments);
}

async function runShared(restorer: TreeRestorer, share: RestoreShare): Promise<void> {
  if (input.isFirst) share.allowBegin();
  else share.waitForBegin();
  await restorer.run('share');
  share.end();
  if (!input.isFirst) return;
  share.waitForEndOf(2);
  await restorer.run('finish');
}

/** Null for a folder whose contents go straight into the destination. */
function rootName(ownName: ByteString, isFolder: boolean): ByteString | null {
  if (input.deployInto && isFolder) return null;
  const name = input.newName ?? ownName;
  if (!isSafeName(name))
    throw new DeviceError('permission', `${toDisplay(name)} cannot be the name of a file.`);
  return name;
}

function requireEmpty(root: ByteString | null): void {
  const target = root === null ? input.destination : `${input.destination}/${root}`;
  const shown = toDisplay(target);
  let names: readonly string[];
  try {
    names = fs.readdirSync(fsPath(target));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw toDeviceError(error, `The target ${shown} cannot be used`);
  }
  if (names.length === 0) return;
  throw new DeviceError(
    'permission',
    `The target ${shown} is not empty, and nothing was restored. Choose a new or an empty folder.`,
  );
}

function openDestination(): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
  try {
    return fs.openSync(fsPath(input.destination), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    throw toDeviceError(error, `The destination ${toDisplay(input.destination)} cannot be used`);
  }
}

function selectionOf(
  reader: ManifestReader,
  name: ByteString,
  source: ByteString,
): { readonly wants: Wants; readonly ranges: readonly OrdinalRange[] | null } {
  const paths = input.selection.map((display) => pathFromTop(display, source, name));
  const found = paths.map((path) => reader.find(path));
  const missing = input.selection.filter((_, index) => found[index] === null);
  if (missing.length > 0) {
    const more = missing.length > 1 ? ` (and ${missing.length - 1} more)` : '';
    throw new DeviceError('notFound', `${missing[0]}${more} is not in this copy. Nothing was restored.`);
  }
  const wants = createSelection(paths);
  if (paths.length === 0) return { wants, ranges: null };
  return { wants, ranges: found.flatMap((entry) => (entry === null ? [] : [reader.rangeOf(entry)])) };
}

/** The totals of the copy when all is wanted; else the rows are asked. */
function countWork(reader: ManifestReader, wants: Wants, ranges: readonly OrdinalRange[] | null): void {
  const { totals } = reader.file.header;
  if (input.selection.length === 0) {
    control.set('bytesTotal', totals.sourceBytes);
    control.set('filesTotal', totals.files);
    return;
  }
  let bytes = 0;
  let files = 0;
  const firstLinks = new Set<number>();
  for (const step of reader.walk(ranges)) {
    if (step.kind !== 'entry' || step.entry.childFolderId !== null || wants(step.path) === null) continue;
    const { entry } = step;
    files += 1;
    // Of the names of one file the first that is wanted brings the data.
    const ordinal = entry.firstLink ?? entry.ordinal;
    if (!firstLinks.has(ordinal)) bytes += entry.sizeBytes;
    if (entry.hasLinks || entry.firstLink !== null) firstLinks.add(ordinal);
  }
  control.set('bytesTotal', bytes);
  control.set('filesTotal', files);
}
