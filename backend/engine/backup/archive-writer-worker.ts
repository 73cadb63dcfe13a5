import fs from 'node:fs';
import path from 'node:path';
import { workerData } from 'node:worker_threads';
import { syncDirectorySync } from '../../platform/files.ts';
import { type ArchiveFeed, FeedInput } from '../archive/archive-feed.ts';
import { type Compression, manifestCodec as codecOfManifest } from '../archive/codec.ts';
import { ContentHash, hashBytes } from '../archive/hash.ts';
import {
  BLOCKS_VERSION,
  encodeSegmentInfo,
  encodeTrailerHead,
  FORMAT_NAME,
  FORMAT_VERSION,
  HEADER_BYTES_VERSION,
  MANIFEST_NAME,
  type ManifestHeader,
  SEALED_BLOCKS_VERSION,
  type SegmentInfo,
  type SegmentKind,
} from '../archive/manifest-format.ts';
import { SlotEncoder } from '../archive/slot-encoder.ts';
import { KIND_ARCHIVE, KIND_BLOCKS, KIND_END, KIND_FOLDERS, KIND_ROWS } from '../archive/stream.ts';
import { BlockEncoder } from '../blocks/block-encoder.ts';
import { BlockNamesOutput, type NamesHead } from '../blocks/block-names.ts';
import { StoreClient } from '../blocks/store-client.ts';
import type { StoreLink } from '../blocks/store-requests.ts';
import { type CopySecret, pieceSealOf } from '../crypto/copy-secret.ts';
import { SEAL_INDEX, SEAL_SEGMENT } from '../crypto/gcm.ts';
import { Control } from '../job/control.ts';
import { Ring, type Slot } from '../job/ring.ts';
import { finishWorker, runWorker } from '../job/worker-side.ts';
import { FrameTableOutput } from '../manifest/frame-table-output.ts';
import { ArchiveJournal, type BegunArchive, type JournalHead, readJournal } from '../repack/begun-archive.ts';
import { archiveFrames, blockFrames, type FrameNotes } from './frame-output.ts';
import type { ReaderTotals } from './reader-totals.ts';
import { refusedWrite } from './refused-write.ts';
import { StoredOutput, writeLockFiles } from './stored-output.ts';

/**
 * Writes what comes out of the ring (and encodes it first where little is expected): frames to the archive or to a block store, segments to the manifest in the
 * `.partial` folder. Only when all of it is on the disk the folder gets its real name.
 */
export interface WriterInput {
  readonly control: SharedArrayBuffer;
  readonly ring: SharedArrayBuffer;
  readonly slotCount: number;
  readonly compression: Compression;
  readonly partialPath: string;
  readonly finalPath: string;
  readonly archiveName: string;
  readonly frameBytes: number;
  /** It also encodes what no codec has taken: the first codec comes only for much. */
  readonly isEncoding: boolean;
  /** Senders write the archive; this one only says where. */
  readonly isSent: boolean;
  /** What encrypts the copy, and the text of its `key.json`; null: nothing does. */
  readonly lock: {
    readonly secret: CopySecret;
    readonly lockText: string;
    readonly wrapped: string | null;
  } | null;
  /** The store that the frames go to as blocks; null: they go to the copy's archive. */
  readonly blocks: StoreLink | null;
  /** Of an archive that can be gone on with when it is cut off, and what was made of it before; null: it begins anew. */
  readonly journal: { readonly head: JournalHead; readonly begun: BegunArchive | null } | null;
  /** Nothing is pushed to the disk. */
  readonly isPassing: boolean;
  /** Takes the archive in place of a file of the copy. */
  readonly feed: ArchiveFeed | null;
}

export interface WriterResult {
  /** Stored for the frames: for blocks, those that were new. */
  readonly archiveBytes: number;
  readonly manifestBytes: number;
  readonly totals: ReaderTotals;
}

const input = workerData as WriterInput;
const control = new Control(input.control);
const ring = new Ring(input.ring, input.slotCount, control);
const hash = new ContentHash();
const wholeManifest = new ContentHash();
const manifestCodec = codecOfManifest();

const secret = input.lock?.secret ?? null;
const seal = pieceSealOf(secret);
const begun = input.journal?.begun ?? null;
const archive =
  input.blocks === null
    ? new StoredOutput(input.partialPath, input.archiveName, 'archive', secret, {
        kept: begun,
        feed: input.feed === null ? null : new FeedInput(input.feed, control),
      })
    : null;
const store = input.blocks === null ? null : new StoreClient(input.blocks, control);
const output =
  store !== null
    ? blockFrames(store, control)
    : archiveFrames(
        needed(archive),
        control,
        input.isSent,
        (error) => runWorker(control, () => refuse(error)),
        { keptBytes: begun?.bytes ?? 0, isPassing: input.isPassing },
      );
const manifest = new StoredOutput(input.partialPath, MANIFEST_NAME, 'manifest', secret);
/** Beside a sealed file list, for who has no key. */
const names =
  input.blocks === null || secret === null
    ? null
    : new BlockNamesOutput(input.partialPath, namesHead(input.blocks));
const ofBlocks = store && input.isEncoding ? new BlockEncoder(store, input.compression, secret) : null;
const encoder = input.isEncoding ? new SlotEncoder(ring, input.compression, secret, ofBlocks) : null;
const segments: string[] = [];
const table = new FrameTableOutput((first, count, text, base) => {
  const bytes = manifestCodec.encode(text);
  writeSegment('frames', first, count, text.length, hash.of(bytes), bytes, base);
});
const notes: FrameNotes = {
  line: (line) => {
    journal?.add(line);
    table.addLine(line, output.position);
  },
  block: (rawLength, name) => {
    names?.add(name.toString('base64'));
    table.addBlock(rawLength, name, output.position);
  },
  run: (lines, count, rawLength) => {
    names?.addRun(lines);
    table.addRun(lines, count, output.position - rawLength, output.position);
  },
};
let manifestBytes = 0;
let sequence = 0;
let journal: ArchiveJournal | null = null;

wholeManifest.start();
runWorker(control, () => {
  journal = openJournal();
  step();
});

/** The frames of an earlier attempt stand in the table like those that follow. */
function openJournal(): ArchiveJournal | null {
  if (input.journal === null) return null;
  const { head } = input.journal;
  try {
    let end = 0;
    const noted = begun === null ? null : readJournal(input.partialPath, head);
    for (const { line, length } of noted?.frames ?? []) {
      end += length;
      table.addLine(line, end);
    }
    return new ArchiveJournal(input.partialPath, head, begun !== null, input.lock?.wrapped ?? null);
  } catch (error) {
    refuse(error);
  }
}

function step(): void {
  const slot = encoder === null ? ring.take(sequence) : takeEncoded(encoder);
  const kind = slot.kind;
  if (kind === KIND_ARCHIVE || kind === KIND_BLOCKS) {
    writeFrames(slot);
    if (output.isSent) ring.place(sequence);
    else ring.release(sequence);
  } else if (kind === KIND_END) {
    const totals = JSON.parse(slot.bytes.toString('utf8', 0, slot.length)) as ReaderTotals;
    ring.release(sequence);
    finish(totals);
    return;
  } else {
    writeSegment(segmentKind(kind), slot.first, slot.second, slot.rawLength, slot.hash, stored(slot));
    ring.release(sequence);
  }
  sequence += 1;
  setImmediate(() => runWorker(control, step));
}

/** Of the slot in turn; while that is not done, others are encoded. */
function takeEncoded(slots: SlotEncoder): Slot {
  for (;;) {
    const found = ring.takeOrClaim(sequence);
    if ('done' in found) {
      slots.collect();
      return found.done;
    }
    const { claimed } = found;
    slots.encode(claimed.slot);
    ring.finish(claimed.sequence);
  }
}

function stored(slot: Slot): Buffer {
  return slot.bytes.subarray(0, slot.length);
}

function segmentKind(kind: number): SegmentKind {
  if (kind === KIND_ROWS) return 'rows';
  return kind === KIND_FOLDERS ? 'folders' : 'skipped';
}

function writeFrames(slot: Slot): void {
  try {
    output.add(slot, notes);
  } catch (error) {
    refuse(error);
  }
}

function needed<T>(value: T | null): T {
  if (value === null) throw new Error('a copy without blocks has an archive');
  return value;
}

function writeSegment(
  kind: SegmentKind,
  first: number,
  count: number,
  rawLength: number,
  segmentHash: string,
  plain: Buffer,
  base = 0,
): void {
  const bytes = sealed(SEAL_SEGMENT, segments.length, plain);
  const info: SegmentInfo = {
    kind,
    first,
    count,
    offset: manifestBytes,
    length: bytes.length,
    rawLength,
    hash: bytes === plain ? segmentHash : hash.of(bytes),
    base,
  };
  segments.push(encodeSegmentInfo(info));
  writeManifest(bytes);
}

/** Names and hashes are secrets too: each segment is sealed for itself, as the frames were by the codecs. */
function sealed(kind: number, index: number, plain: Buffer): Buffer {
  if (seal === null) return plain;
  const bytes = Buffer.alloc(plain.length + seal.extraBytes);
  return bytes.subarray(0, seal.seal(kind, index, plain, bytes));
}

function writeManifest(bytes: Buffer): void {
  write(manifest, bytes);
  wholeManifest.update(bytes);
  manifestBytes += bytes.length;
}

function finish(totals: ReaderTotals): void {
  if (output.isSent) ring.awaitSent();
  table.end(output.position);
  const header: ManifestHeader = {
    format: FORMAT_NAME,
    version: formatVersion(totals),
    compression: input.compression,
    frameBytes: input.frameBytes,
    tarBytes: totals.tarBytes,
    archiveBytes: output.position,
    frames: table.frames,
    source: totals.source,
    createdAtMs: totals.createdAtMs,
    totals: totals.totals,
    users: totals.users,
    groups: totals.groups,
    device: totals.device,
    chain: totals.chain,
    ...(totals.headerBytes === undefined ? {} : { headerBytes: totals.headerBytes }),
    ...(totals.order === undefined ? {} : { order: totals.order }),
    ...(input.blocks === null ? {} : { blocks: blockFacts(input.blocks) }),
  };
  const raw = Buffer.from(`${JSON.stringify(header)}\n${segments.join('')}`, 'utf8');
  const index = sealed(SEAL_INDEX, 0, manifestCodec.encode(raw));
  const indexOffset = manifestBytes;
  writeManifest(index);
  writeManifest(
    encodeTrailerHead({
      indexOffset,
      indexLength: index.length,
      indexRawLength: raw.length,
      indexHash: hashBytes(hash.of(index)),
    }),
  );
  const whole = hashBytes(wholeManifest.digest());
  write(manifest, whole);
  manifestBytes += whole.length;
  commit(totals, endFiles());
}

function formatVersion({ headerBytes }: ReaderTotals): number {
  if (headerBytes !== undefined) return HEADER_BYTES_VERSION;
  if (input.blocks === null) return FORMAT_VERSION;
  return secret === null ? BLOCKS_VERSION : SEALED_BLOCKS_VERSION;
}

function namesHead({ facts }: StoreLink): NamesHead {
  return { store: facts.storeId, hashBytes: facts.hashBytes };
}

function blockFacts({ facts }: StoreLink): NonNullable<ManifestHeader['blocks']> {
  return { store: facts.storeId, algorithm: facts.algorithm, hashBytes: facts.hashBytes };
}

/** Answers the bytes of the small files beside the two. */
function endFiles(): number {
  try {
    output.end();
    manifest.end();
    if (input.lock === null) return 0;
    names?.end();
    const files = [names ?? needed(archive), manifest].map(({ sums }) => sums);
    const { bytes } = writeLockFiles(input.partialPath, input.lock.lockText, files);
    return bytes + (names?.storedBytes ?? 0);
  } catch (error) {
    refuse(error);
  }
}

/** The syncs run beside the event loop, so that stop is seen while the disk is slow. */
function commit(totals: ReaderTotals, lockBytes: number): void {
  if (input.isPassing) {
    settle(totals, lockBytes);
    return;
  }
  const stopWatch = setInterval(() => runWorker(control, () => control.check()), 100);
  const failed = (error: unknown) => {
    clearInterval(stopWatch);
    runWorker(control, () => refuse(error));
  };
  output.sync((outputError) => {
    if (outputError !== null) return failed(outputError);
    manifest.sync((manifestError) => {
      if (manifestError !== null) return failed(manifestError);
      clearInterval(stopWatch);
      runWorker(control, () => settle(totals, lockBytes));
    });
  });
}

function settle(totals: ReaderTotals, lockBytes: number): void {
  control.check();
  output.close();
  manifest.close();
  rename();
  const result: WriterResult = {
    archiveBytes: output.storedBytes,
    manifestBytes: manifest.storedBytes + lockBytes,
    totals,
  };
  finishWorker(result);
}

function rename(): void {
  try {
    // Only when all of it is on the disk: a kill during the sync goes on with what is there.
    journal?.end(input.partialPath);
    if (!input.isPassing) syncDirectorySync(input.partialPath);
    fs.renameSync(input.partialPath, input.finalPath);
  } catch (error) {
    refuse(error);
  }
  if (input.isPassing) return;
  try {
    syncDirectorySync(path.dirname(input.finalPath));
  } catch (error) {
    // It may not be there after a power cut, so it is no copy: it goes with all that was not finished.
    takeNameBack();
    refuse(error);
  }
}

/** A disk that takes no further name may still let one go. */
function takeNameBack(): void {
  try {
    fs.renameSync(input.finalPath, input.partialPath);
  } catch {
    fs.rmSync(input.finalPath, { recursive: true, force: true });
  }
}

function write(file: StoredOutput, bytes: Buffer): void {
  try {
    file.write(bytes);
  } catch (error) {
    refuse(error);
  }
}

function refuse(error: unknown): never {
  throw refusedWrite(error, path.dirname(input.finalPath), control, output.storedBytes + manifestBytes);
}
