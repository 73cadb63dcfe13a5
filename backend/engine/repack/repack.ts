import { lstat, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../platform/native.ts';
import { workerUrl } from '../../platform/worker-url.ts';
import { archiveName, type Compression } from '../archive/codec.ts';
import type { WriterResult } from '../backup/archive-writer-worker.ts';
import { type PackingInput, packing, preparePartial } from '../backup/packing.ts';
import type { StoreThread } from '../blocks/index.ts';
import type { ClientKey } from '../crypto/client-key.ts';
import { type EarlierLock, lockCopy, unlockCopy } from '../crypto/copy-lock.ts';
import { noBlocksOfAge, storedName } from '../crypto/copy-secret.ts';
import { toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { type EngineJob, type JobLog, startJob } from '../job/engine-job.ts';
import type { MemoryLimit } from '../job/memory-plan.ts';
import { runWorkers } from '../job/worker-group.ts';
import { type CopyPlace, copyPathOf, partialPathOf } from '../transfer/partial.ts';
import type { BegunArchive, JournalHead } from './begun-archive.ts';
import type { BegunInput } from './begun-worker.ts';
import type { RepackInput } from './repack-worker.ts';

export interface RepackRequest {
  readonly from: CopyPlace;
  /** Must not exist yet. */
  readonly to: CopyPlace;
  readonly compression: Compression;
  readonly frameBytes?: number;
  /** The store that holds the blocks of the copy; null: its data lie in its own archive. */
  readonly source: StoreThread | null;
  /** The store that the data go to, in which a session is open; null: they go to an archive. */
  readonly target: StoreThread | null;
  /** The client's key, for an encrypted copy; the new one is encrypted with it too. */
  readonly key?: ClientKey | null;
  /** Missing: as much as it takes. */
  readonly memory?: MemoryLimit | null;
  /**
   * An archive that an earlier attempt has begun is gone on with as far as it is right, and this one stays when it ends
   * early. What is encrypted has another key from there on. Not for blocks, which a store has anyway.
   */
  readonly isResumable?: boolean;
}

export interface RepackResult {
  readonly path: string;
  /** Stored for the data: for blocks, those that were new. */
  readonly archiveBytes: number;
  readonly manifestBytes: number;
  /** Of both, written now and not by an earlier attempt. */
  readonly sentBytes: number;
}

/**
 * Makes the same copy in another form: from blocks to an archive, or the other way, or from store to store. The tar stream
 * and the rows of the manifest stay as they are, so a verification of the new copy compares with what was recorded when
 * the first one was made. Throws `permission`, before any work, when the key is not that of the copy, and `corrupt` when the source
 * is damaged.
 */
export function startRepack(request: RepackRequest): EngineJob<RepackResult> {
  return startJob(async (control, log) => {
    const { from, to, compression, frameBytes, source, target, memory } = request;
    const finalPath = copyPathOf(to);
    const partialPath = partialPathOf(to);
    const key = request.key ?? null;
    if (key?.cipher === 'age') throw noBlocksOfAge();
    const secret = await unlockCopy(copyPathOf(from), key);
    const isResumable = (request.isResumable ?? false) && target === null;
    const made = isResumable ? await madeBefore(finalPath) : null;
    if (made !== null) return made;
    const head = {
      from: from.copyId,
      compression,
      frameBytes: frameBytes ?? null,
      keyId: key?.id ?? null,
    };
    const begun = isResumable ? await lookAtBegun({ partialPath, head }, control, log) : null;
    const lock = key === null ? null : await lockCopy(key, to.copyId, locksOf(begun));
    if (begun === null) await preparePartial(to.storagePath, partialPath);
    try {
      const journal = isResumable ? { head, begun } : null;
      const place = { partialPath, finalPath, lock, store: target, journal };
      const pack = packing({ compression, frameBytes, memory, ...place }, control);
      if (pack.note !== null) log('info', pack.note);
      const link = source?.connect() ?? null;
      const input: Omit<RepackInput, keyof PackingInput> = {
        copyPath: copyPathOf(from),
        secret,
        source: link === null ? null : { link, isPresenceOnly: false },
        begunFrames: begun?.frames ?? 0,
      };
      const url = workerUrl(import.meta.url, 'repack-worker');
      const reader = pack.filler('reader', url, input, link === null ? [] : [link.port]);
      const results = await runWorkers(control, [reader, ...pack.workers], log);
      const { archiveBytes, manifestBytes } = results.get('writer') as WriterResult;
      const sentBytes = archiveBytes + manifestBytes - (begun?.bytes ?? 0);
      return { path: finalPath, archiveBytes, manifestBytes, sentBytes };
    } catch (error) {
      if (!isResumable) await rm(partialPath, { recursive: true, force: true });
      throw error;
    }
  });
}

/** Null when nothing can be gone on with; then nothing is left of it either. */
async function lookAtBegun(
  { partialPath, head }: { readonly partialPath: string; readonly head: JournalHead },
  control: Control,
  log: JobLog,
): Promise<BegunArchive | null> {
  // Nothing else that is encrypted gets here.
  const cipher = head.keyId === null ? null : 'aes-256-gcm';
  const name = storedName(archiveName(head.compression as Compression), cipher);
  const input: BegunInput = { control: control.memory, partialPath, archiveName: name, head };
  const looker = { name: 'looker', url: workerUrl(import.meta.url, 'begun-worker'), input };
  const results = await runWorkers(control, [looker], log);
  const begun = results.get('looker') as BegunArchive | null;
  if (begun === null) await rm(partialPath, { recursive: true, force: true });
  return begun;
}

/** Each key counts up to the frame from which on the next one does, the last one up to the end of what is there. */
function locksOf(begun: BegunArchive | null): readonly EarlierLock[] {
  const { keys, frames } = begun ?? { keys: [], frames: 0 };
  return keys.map(({ wrapped }, index) => ({ wrapped, end: keys[index + 1]?.first ?? frames }));
}

/** An earlier attempt came to its end, and only what follows was cut off. */
async function madeBefore(finalPath: string): Promise<RepackResult | null> {
  try {
    let archiveBytes = 0;
    let manifestBytes = 0;
    for (const name of await readdir(finalPath)) {
      const { size } = await lstat(path.join(finalPath, name));
      if (name.startsWith('archive.')) archiveBytes += size;
      else manifestBytes += size;
    }
    return { path: finalPath, archiveBytes, manifestBytes, sentBytes: 0 };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw toDeviceError(error, 'What was made before cannot be read');
  }
}
