import { rm } from 'node:fs/promises';
import { workerUrl } from '../../platform/worker-url.ts';
import type { Compression } from '../archive/codec.ts';
import type { WriterResult } from '../backup/archive-writer-worker.ts';
import { type PackingInput, packing, preparePartial } from '../backup/packing.ts';
import type { StoreThread } from '../blocks/index.ts';
import type { ClientKey } from '../crypto/client-key.ts';
import { lockCopy, unlockCopy } from '../crypto/copy-lock.ts';
import { noBlocksOfAge } from '../crypto/copy-secret.ts';
import { type EngineJob, startJob } from '../job/engine-job.ts';
import type { MemoryLimit } from '../job/memory-plan.ts';
import { runWorkers } from '../job/worker-group.ts';
import { type CopyPlace, copyPathOf, partialPathOf } from '../transfer/partial.ts';
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
}

export interface RepackResult {
  readonly path: string;
  /** Stored for the data: for blocks, those that were new. */
  readonly archiveBytes: number;
  readonly manifestBytes: number;
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
    const lock = key === null ? null : await lockCopy(key, to.copyId);
    await preparePartial(to.storagePath, partialPath);
    try {
      const place = { partialPath, finalPath, lock, store: target };
      const pack = packing({ compression, frameBytes, memory, ...place }, control);
      if (pack.note !== null) log('info', pack.note);
      const link = source?.connect() ?? null;
      const input: Omit<RepackInput, keyof PackingInput> = {
        copyPath: copyPathOf(from),
        secret,
        source: link === null ? null : { link, isPresenceOnly: false },
      };
      const url = workerUrl(import.meta.url, 'repack-worker');
      const reader = pack.filler('reader', url, input, link === null ? [] : [link.port]);
      const results = await runWorkers(control, [reader, ...pack.workers], log);
      const { archiveBytes, manifestBytes } = results.get('writer') as WriterResult;
      return { path: finalPath, archiveBytes, manifestBytes };
    } catch (error) {
      await rm(partialPath, { recursive: true, force: true });
      throw error;
    }
  });
}
