import { lstat, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isAnswering, patientAnswerMs } from '../../platform/answering.ts';
import { type ByteString, fromDisplay, fsPath, isWithin, toDisplay } from '../../platform/byte-path.ts';
import { errorCode } from '../../platform/native.ts';
import type { StreamProgram } from '../../platform/stream-process.ts';
import { workerUrl } from '../../platform/worker-url.ts';
import type { ArchiveFeed } from '../archive/archive-feed.ts';
import { archiveName, type Compression } from '../archive/codec.ts';
import type { CopyTotals, SkippedItem } from '../archive/entry.ts';
import type { StoreThread } from '../blocks/index.ts';
import { type Base, openBase } from '../chain/base.ts';
import type { ChainLink } from '../chain/links.ts';
import type { ClientKey } from '../crypto/client-key.ts';
import { lockCopy } from '../crypto/copy-lock.ts';
import { noBlocksOfAge, storedName } from '../crypto/copy-secret.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { type EngineJob, type JobLog, startJob } from '../job/engine-job.ts';
import type { MemoryLimit } from '../job/memory-plan.ts';
import { runWorkers, type WorkerSpec } from '../job/worker-group.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { WriterInput, WriterResult } from './archive-writer-worker.ts';
import type { CountInput } from './count-worker.ts';
import type { ImageReaderInput } from './image-reader-worker.ts';
import { lookerFor } from './looker.ts';
import { type PackingInput, packing, preparePartial } from './packing.ts';
import type { ReaderResult, Reuse } from './reader-totals.ts';
import type { ReaderInput } from './reader-worker.ts';
import { resourceName } from './resource-name.ts';
import type { DeviceAlias } from './source-item.ts';
import type { StreamReaderInput } from './stream-reader-worker.ts';

/** Where the data come from. */
export type BackupOrigin =
  /** Files below a folder, or a single item. */
  | { readonly kind: 'tree' }
  /** A block device, or a plain file taken for one: the copy has one member, the image, without its runs of zeros. */
  | { readonly kind: 'image' }
  /** The tar stream that a program writes; its members lie below a folder with this name (display form). */
  | {
      readonly kind: 'program';
      readonly program: StreamProgram;
      readonly name: string;
      /** What it reads is on this host, so the numbers of owners are those of this host. */
      readonly isOfThisHost: boolean;
    };

export interface BackupRequest {
  /** Absolute path in display form: a folder, or any single item; of a program only what the copy says of it. */
  readonly source: string;
  /** Files unless told. Only they can build on a base. */
  readonly origin?: BackupOrigin;
  readonly storagePath: string;
  /** Name of the copy's folder in the storage; must not exist. */
  readonly copyId: string;
  readonly compression: Compression;
  /** Absolute paths (display form) that are left out, with all below them. */
  readonly excludes?: readonly string[];
  /** Keeps owners as numbers only. */
  readonly numericOwner?: boolean;
  /** How many compressors work beside each other; bounded by the processors of the machine. 8 unless told. */
  readonly workerParallelism?: number;
  /** How many write to the archive at the same time; 1 unless told. Not for blocks, nor for a copy that age encrypts. */
  readonly sendParallelism?: number;
  /** For buffers and heaps. Fewer threads are taken where it is too little, or, if it is strict, the backup is refused. */
  readonly memory?: MemoryLimit | null;
  /** Bytes of the frames that the archive is cut into; 8,323,072 unless told, and at most. */
  readonly frameBytes?: number;
  /** Encrypts the copy so that only this key of its client opens it; without it the copy is as it is. */
  readonly key?: ClientKey | null;
  /**
   * The data go to this store as blocks of its size, and those that it has already are not stored again. Its session must
   * be open, and stay so until the copy is known. Not for copies that age encrypts.
   */
  readonly blocks?: StoreThread | null;
  /**
   * Makes a copy that holds only what is new: the rest stays in these copies, which must stay as long. A copy of blocks
   * takes over what has not changed since the last one, and needs none of them afterwards. Refused, before anything is
   * written, when one of them is not there or is damaged.
   */
  readonly base?: Base | null;
  /** The resource is read from this snapshot of it; all else, names in messages too, is as without one. */
  readonly snapshot?: Snapshot | null;
  /** The copy goes on from here and need not outlive a power cut: nothing of it is pushed to the disk. Not for blocks. */
  readonly isPassing?: boolean;
  /** Takes the archive while it is made, in place of a file of the copy; all else of the copy is in its folder. Not for blocks. */
  readonly feed?: ArchiveFeed | null;
}

export interface BackupResult {
  /** Folder of the copy. */
  readonly path: string;
  readonly archiveFile: string;
  readonly archiveBytes: number;
  readonly manifestBytes: number;
  readonly totals: CopyTotals;
  /** The first 1,000; `totals.skipped` counts all, and the manifest lists them. */
  readonly skipped: readonly SkippedItem[];
  /** The first 1,000 files that changed while they were read. */
  readonly changed: readonly string[];
  /** What the copies of the base hold of it; zeros without a base. */
  readonly reuse: Reuse;
}

/** Who has read all by then needs no share of it, and counting takes a core for a while. */
const COUNT_AFTER_MS = 4000;

export const PARTIAL_SUFFIX = '.partial';

/**
 * Makes a copy of a resource: a full one, or one that builds on a base. It appears under its name only when every byte of it is on the disk (but for a passing one); whatever
 * fails before leaves nothing behind.
 */
export function startBackup(request: BackupRequest): EngineJob<BackupResult> {
  return startJob((control, log) => backUp(request, control, log));
}

async function backUp(request: BackupRequest, control: Control, log: JobLog): Promise<BackupResult> {
  if (request.blocks && request.key?.cipher === 'age') throw noBlocksOfAge();
  const isProgram = request.origin?.kind === 'program';
  const asked = isProgram ? fromDisplay(request.source) : tidy(fromDisplay(request.source));
  const source = isProgram ? asked : (request.snapshot?.readFrom ?? (await resolveSource(asked)));
  const finalPath = path.join(request.storagePath, request.copyId);
  const partialPath = `${finalPath}${PARTIAL_SUFFIX}`;
  const excludedKeys = isProgram
    ? []
    : await keysOf([request.storagePath, ...(request.excludes ?? [])], source);
  const links = await linksOf(request);
  await preparePartial(request.storagePath, partialPath);
  try {
    const lock = request.key ? await lockCopy(request.key, request.copyId) : null;
    const results = await runWorkers(
      control,
      workers(request, control, { asked, source, partialPath, finalPath, excludedKeys, links, lock, log }),
      log,
    );
    const written = results.get('writer') as WriterResult;
    const read = results.get('reader') as ReaderResult;
    return {
      path: finalPath,
      archiveFile: storedName(archiveName(request.compression), request.key?.cipher ?? null),
      archiveBytes: written.archiveBytes,
      manifestBytes: written.manifestBytes,
      totals: written.totals.totals,
      skipped: read.skipped,
      changed: read.changed,
      reuse: written.totals.reuse,
    };
  } catch (error) {
    await rm(partialPath, { recursive: true, force: true });
    throw error;
  }
}

async function linksOf({ base, key }: BackupRequest): Promise<readonly ChainLink[]> {
  return base ? (base.links ?? openBase(base, key ?? null)) : [];
}

interface Paths {
  readonly asked: ByteString;
  readonly source: ByteString;
  readonly partialPath: string;
  readonly finalPath: string;
  readonly excludedKeys: readonly string[];
  readonly links: readonly ChainLink[];
  readonly lock: WriterInput['lock'];
  readonly log: JobLog;
}

function workers(request: BackupRequest, control: Control, paths: Paths): readonly WorkerSpec[] {
  const { partialPath, finalPath, lock, source, asked, excludedKeys, links, log } = paths;
  const { compression, workerParallelism, sendParallelism, memory, frameBytes } = request;
  const store = request.blocks ?? null;
  const pack = packing(
    {
      compression,
      workerParallelism,
      sendParallelism,
      memory,
      frameBytes,
      partialPath,
      finalPath,
      lock,
      store,
      isPassing: request.isPassing,
      isLittle: links.length > 0,
      feed: request.feed,
    },
    control,
  );
  if (pack.note !== null) log('info', pack.note);
  // Where the line is slow, what was read is not yet what was backed up.
  control.leaveOut(pack.heldBytes);
  const origin = request.origin ?? { kind: 'tree' };
  const createdAtMs = request.snapshot?.madeAtMs ?? Date.now();
  if (origin.kind === 'image') {
    const image: Omit<ImageReaderInput, keyof PackingInput> = {
      source,
      asked,
      name: resourceName(asked),
      createdAtMs,
    };
    return [pack.filler('reader', workerUrl(import.meta.url, 'image-reader-worker'), image), ...pack.workers];
  }
  if (origin.kind === 'program') {
    const stream: Omit<StreamReaderInput, keyof PackingInput> = {
      program: origin.program,
      asked: request.source,
      name: fromDisplay(origin.name),
      isOfThisHost: origin.isOfThisHost,
      createdAtMs,
    };
    return [
      pack.filler('reader', workerUrl(import.meta.url, 'stream-reader-worker'), stream),
      ...pack.workers,
    ];
  }
  const looker = lookerFor({ memory, isComparing: links.length > 0 }, control, pack.heapMegabytes, {
    source,
    excludedKeys,
    snapshot: aliasOf(request),
  });
  const reader: Omit<ReaderInput, keyof PackingInput> = {
    source,
    full: request.snapshot?.source ?? source,
    snapshot: aliasOf(request),
    asked,
    excludedKeys,
    numericOwner: request.numericOwner ?? false,
    createdAtMs,
    links,
    looks: looker?.looks ?? null,
  };
  const counter: CountInput = { ...pack.shared, source, excludedKeys, snapshot: aliasOf(request) };
  return [
    pack.filler('reader', workerUrl(import.meta.url, 'reader-worker'), reader),
    ...(looker === null ? [] : [looker.spec]),
    ...(links.length > 0
      ? []
      : [
          {
            name: 'counter',
            afterMs: COUNT_AFTER_MS,
            heapMegabytes: pack.heapMegabytes,
            url: workerUrl(import.meta.url, 'count-worker'),
            input: counter,
          },
        ]),
    ...pack.workers,
  ];
}

function aliasOf({ snapshot }: BackupRequest): DeviceAlias | null {
  return snapshot ? { device: snapshot.device, sourceDevice: snapshot.sourceDevice } : null;
}

/**
 * By device and inode, since one folder can have many names. What is not there cannot be met either. One that does not
 * answer (a mount whose server is away) holds up only the resource that it lies in.
 */
async function keysOf(folders: readonly string[], source: ByteString): Promise<readonly string[]> {
  const keys = await Promise.all(
    folders.map(async (folder) => {
      const isMet = isWithin(fromDisplay(folder), source);
      if (!(await isAnswering(folder, isMet ? patientAnswerMs : undefined))) {
        if (!isMet) return [];
        throw new DeviceError(
          'transient',
          `The folder ${folder} lies in the resource, is left out of copies, and does not answer; see to its mount or its disk.`,
        );
      }
      try {
        const { dev, ino } = await stat(fsPath(fromDisplay(folder)), { bigint: true });
        return [`${dev}:${ino}`];
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return [];
        throw toDeviceError(error, `The folder ${folder} cannot be looked at`);
      }
    }),
  );
  return keys.flat();
}

/** A link given as the resource means what it points to; links below it are kept as links. */
async function resolveSource(asked: ByteString): Promise<ByteString> {
  const shown = toDisplay(asked);
  if (!asked.startsWith('/'))
    throw new DeviceError('permanent', `The resource ${shown} is not an absolute path.`);
  try {
    const facts = await lstat(fsPath(asked));
    if (!facts.isSymbolicLink()) return asked;
    return await realpath(fsPath(asked), { encoding: 'latin1' });
  } catch (error) {
    throw toDeviceError(error, `The resource ${shown} cannot be read`);
  }
}

/** Without the slashes at the end, which would make it another name for the same thing. */
function tidy(bytes: ByteString): ByteString {
  const trimmed = bytes.replace(/\/+$/, '');
  return trimmed === '' ? '/' : trimmed;
}
