import { workerData } from 'node:worker_threads';
import { collectOldObjects, isCollectionDue } from '../../platform/collect-garbage.ts';
import type { BlocksInput } from '../archive/blocks-input.ts';
import { type AheadInput, DecodeAhead } from '../archive/decode-ahead.ts';
import { FrameStream } from '../archive/frame-stream.ts';
import { MANIFEST_NAME } from '../archive/manifest-format.ts';
import { FRAME_GOOD } from '../archive/stream.ts';
import { TAR_BLOCK } from '../archive/tar-header.ts';
import { ChainStreams } from '../chain/chain-streams.ts';
import type { ChainLink } from '../chain/links.ts';
import type { ByteSource } from '../crypto/byte-source.ts';
import { type CopySecret, openStored } from '../crypto/copy-secret.ts';
import { LOCK_NAME } from '../crypto/lock-name.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import { Control } from '../job/control.ts';
import { finishWorker, runWorkerAsync } from '../job/worker-side.ts';
import { shownPath } from '../manifest/display.ts';
import { listState } from '../manifest/list-state.ts';
import { ManifestReader } from '../manifest/manifest-reader.ts';
import { Findings } from './findings.ts';
import { asStatus, MemberCheck, statusOf } from './member-check.ts';
import { Spans } from './spans.ts';
import { checkBlockNames, checkStoredBlocks } from './verify-blocks.ts';
import { checkPresence, HeldChecks } from './verify-chain.ts';
import { stretchOf, type VerifyPart } from './verify-part.ts';
import type { PartResult } from './verify-result.ts';
import { checkLockFiles, checkStoredBytes, noteUnchecked } from './verify-stored.ts';

export interface VerifyInput {
  readonly control: SharedArrayBuffer;
  readonly copyPath: string;
  /** Opens an encrypted copy; null for one that is not, and when the key is not there. */
  readonly secret: CopySecret | null;
  readonly isEncrypted: boolean;
  /** What is wrong with the file that holds the copy's own key. */
  readonly lockFault: string | null;
  /** The copies that this one builds on, oldest first. */
  readonly links: readonly ChainLink[];
  /** What opens the blocks of a copy that has some. */
  readonly blocks: BlocksInput | null;
  /** Decodes for this thread; null: nobody does. */
  readonly ahead: AheadInput | null;
  /** The bytes that earlier copies hold for this one are read too. */
  readonly isHeldRead: boolean;
  /** What of it this thread looks at. */
  readonly part: VerifyPart;
}

const input = workerData as VerifyInput;
const control = new Control(input.control);
const ahead = input.ahead === null ? null : new DecodeAhead(input.ahead, control);
const findings = new Findings();
/** It has the file list too, and what else is not in the archive or the blocks. */
const isFirst = input.part !== 'second';

runWorkerAsync(control, async () => {
  try {
    finishWorker(await verify());
  } finally {
    ahead?.close();
  }
});

async function verify(): Promise<PartResult> {
  if (input.isEncrypted && input.secret === null) return resultOf(await verifySealed());
  const manifestBytes = isFirst ? await checkBeside() : 0;
  if (manifestBytes === null) return resultOf(0);
  let reader: ManifestReader;
  try {
    reader = new ManifestReader(input.copyPath, input.secret);
  } catch (error) {
    noteManifest(error);
    return resultOf(manifestBytes);
  }
  const stream = new FrameStream(reader, control, input.blocks, ahead);
  const streams = new ChainStreams(stream, input.links, control);
  const { header } = reader.file;
  try {
    if (isFirst) {
      control.set('bytesTotal', header.tarBytes);
      control.set('filesTotal', header.totals.files);
      if (input.isEncrypted && input.blocks !== null) checkBlockNames(reader, findings);
    }
    await checkArchive(reader, stream, new HeldChecks(streams, findings, input.isHeldRead));
  } catch (error) {
    if (error instanceof DeviceError && error.kind === 'corrupt') noteManifest(error);
    else throw error;
  } finally {
    streams.close();
    stream.close();
    reader.close();
  }
  const { archiveBytes } = header;
  return { ...resultOf(manifestBytes), archiveBytesRead: stream.readBytes, archiveBytes };
}

function resultOf(otherBytesRead: number): PartResult {
  return { ...findings.result(), otherBytesRead, archiveBytesRead: 0, archiveBytes: 0 };
}

/** What can be seen of an encrypted copy without its key; answers the bytes read. */
async function verifySealed(): Promise<number> {
  checkLockFiles(input.copyPath, input.lockFault, findings);
  noteUnchecked(findings);
  checkPresence(input.links, findings);
  const bytesRead = checkStoredBytes(input.copyPath, control, findings);
  const { blocks } = input;
  return (
    bytesRead + (blocks === null ? 0 : await checkStoredBlocks(input.copyPath, blocks, control, findings))
  );
}

/** All but the data; answers the bytes read of the file list, and null when that is not there. */
async function checkBeside(): Promise<number | null> {
  if (input.isEncrypted) {
    checkLockFiles(input.copyPath, input.lockFault, findings);
    // With the key all else is checked by what it opens.
    checkStoredBytes(input.copyPath, control, findings, LOCK_NAME);
  }
  return checkWholeManifest();
}

/** Every byte of the manifest against the hash at its end; answers how many. Null: it is not there. */
async function checkWholeManifest(): Promise<number | null> {
  let file: ByteSource;
  try {
    file = openStored(input.copyPath, MANIFEST_NAME, 'manifest', input.secret);
  } catch (error) {
    noteManifest(toDeviceError(error, 'The file list of this copy cannot be read'));
    return null;
  }
  const { size } = file;
  try {
    const state = await listState(file, () => control.check());
    if (state === 'short') noteManifest(new DeviceError('corrupt', 'The file list is too short.'));
    if (state === 'changed') {
      noteManifest(new DeviceError('corrupt', 'The file list is not what was written.'));
    }
  } catch (error) {
    if (!(error instanceof DeviceError) || error.kind !== 'corrupt') throw error;
    noteManifest(error);
  } finally {
    file.close();
  }
  return size;
}

function noteManifest(error: unknown): void {
  const isMissing = error instanceof DeviceError && error.kind !== 'corrupt';
  const message = error instanceof Error ? error.message : String(error);
  const nextStep = isMissing
    ? 'The archive can still be opened with zstd and tar. Make a new backup.'
    : 'Restore with care: names and hashes may be wrong. Make a new backup.';
  findings.add({ severity: 'error', item: MANIFEST_NAME, message, nextStep }, isMissing);
}

/** What the rows would say is lost, the rest is looked at all the same. */
function noteLostRows(firstOrdinal: number, count: number): void {
  const item = `${MANIFEST_NAME}, entries ${firstOrdinal + 1} to ${firstOrdinal + count}`;
  const message = `${count} entries of the file list cannot be read, so these files cannot be picked or restored.`;
  const nextStep = 'The archive can still be opened with zstd and tar. Make a new backup.';
  findings.add({ severity: 'error', item, message, nextStep }, false);
}

function noteRefused(item: string): void {
  const message =
    'its name could lead out of its folder. It was not made by this product, or it was changed.';
  const nextStep = 'Do not trust this copy. A restore leaves this item out. Make a new backup.';
  findings.add({ severity: 'error', item, message, nextStep }, false);
}

async function checkArchive(reader: ManifestReader, stream: FrameStream, held: HeldChecks): Promise<void> {
  const { header } = reader.file;
  if (header.blocks === undefined) checkSize(stream.fileBytes, header.archiveBytes);
  const member = new MemberCheck(stream);
  // Members that stand in another order than the rows: what lies between them is looked at in the end.
  const spans = header.order === 'arrival' ? new Spans() : null;
  const stretch = stretchOf(reader, input.part);
  let position = stretch.from;
  let counted = stretch.from;
  let steps = 0;
  for (const step of reader.walk(null, stretch)) {
    steps += 1;
    if (isCollectionDue(steps)) await collectOldObjects();
    if (step.kind === 'lost') {
      noteLostRows(step.firstOrdinal, step.count);
      continue;
    }
    if (step.kind === 'refused') {
      noteRefused(shownPath(header.source, step.path));
      continue;
    }
    if (step.kind === 'block') {
      const { headerOffset, headerLength } = step.block;
      // The other thread has seen where the folder begins.
      if (headerOffset < stretch.from) continue;
      if (spans === null) await checkGap(stream, position, headerOffset);
      spans?.add(headerOffset, headerOffset + headerLength);
      const status =
        stream.statusNow(headerOffset, headerLength) ?? (await statusOf(stream, headerOffset, headerLength));
      if (status !== FRAME_GOOD) findings.item(shownPath(header.source, step.path), status);
      position = Math.max(position, headerOffset + headerLength);
      continue;
    }
    const { entry } = step;
    if (entry.heldBy !== null) {
      const status = await asStatus(() => held.statusOf(entry, entry.heldBy ?? 0));
      if (status !== FRAME_GOOD) findings.item(shownPath(header.source, step.path), status);
      control.add('filesDone', 1);
      continue;
    }
    if (entry.headerOffset === null) continue;
    if (spans === null && entry.headerOffset - position >= TAR_BLOCK)
      await checkGap(stream, position, entry.headerOffset);
    const status =
      member.statusNow(entry, entry.headerOffset) ?? (await member.status(entry, entry.headerOffset));
    if (status !== FRAME_GOOD) findings.item(shownPath(header.source, step.path), status);
    const end = entry.headerOffset + entry.headerLength + entry.storedBytes;
    spans?.add(entry.headerOffset, end);
    control.add('bytesDone', end - (spans === null ? counted : entry.headerOffset));
    counted = end;
    position = spans === null ? end : Math.max(position, end);
    control.add('filesDone', 1);
  }
  for (const [from, to] of spans?.gaps() ?? []) await checkGap(stream, from, to);
  if (stretch.end < header.tarBytes) await checkGap(stream, position, stretch.end);
  else await checkEnd(stream, position, stretch.end);
  held.end(input.links.length);
  if (input.part === 'whole') control.set('bytesDone', header.tarBytes);
  else control.add('bytesDone', stretch.end - counted);
}

/** What follows the last member (padding, the end of the tar stream) is part of the copy too. */
async function checkEnd(stream: FrameStream, from: number, to: number): Promise<void> {
  const rest = await statusOf(stream, from, Math.max(0, to - from));
  if (rest !== FRAME_GOOD) findings.item('end of the archive', rest);
}

function checkSize(found: number | null, recorded: number): void {
  if (found === recorded) return;
  const isMissing = found === null || found < recorded;
  const message =
    found === null ? 'the archive is not there.' : `it has ${found} bytes where ${recorded} were written.`;
  const nextStep = isMissing
    ? 'Files whose data are missing are listed. Make a new backup.'
    : 'Make a new backup.';
  findings.add({ severity: 'error', item: 'archive', message, nextStep }, isMissing);
}

/** Members whose rows are lost: their names are not known, but their bytes are looked at. */
async function checkGap(stream: FrameStream, from: number, to: number): Promise<void> {
  if (to - from < TAR_BLOCK) return;
  const status = await statusOf(stream, from, to - from);
  if (status !== FRAME_GOOD) findings.item(`bytes ${from} to ${to} of the tar stream`, status);
}
