import { lstat, mkdir, readdir, rename, statfs } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../platform/native.ts';
import { workerUrl } from '../../platform/worker-url.ts';
import { noAhead } from '../archive/ahead-workers.ts';
import { PARTIAL_SUFFIX } from '../backup/backup.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { type EngineJob, type JobLog, startJob } from '../job/engine-job.ts';
import type { MemoryLimit } from '../job/memory-plan.ts';
import { runWorkers } from '../job/worker-group.ts';
import { type CopyPlace, partialPathOf, removePartial } from './partial.ts';
import type { TransferInput } from './transfer-worker.ts';

export interface TransferRequest {
  readonly from: CopyPlace;
  /** Must not exist yet. */
  readonly to: CopyPlace;
  /**
   * What an earlier attempt has brought is kept as far as it is right, and what this one brings stays when it ends early.
   * Missing: begins anew and leaves nothing.
   */
  readonly isResumable?: boolean;
  /** Missing: as much as it takes. */
  readonly memory?: MemoryLimit | null;
}

export interface TransferResult {
  /** On the disk of the target. */
  readonly bytes: number;
  /** Of those, brought now and not by an earlier attempt. */
  readonly sentBytes: number;
}

const LEAST_SPARE_BYTES = 1_048_576;

/**
 * Brings a copy to another storage as it is, whatever the compression of the pools. What arrives has no name of a copy
 * yet: that is given by `startProof`, after which it can be used. The source is only read.
 */
export function startTransfer(request: TransferRequest): EngineJob<TransferResult> {
  return startJob((control, log) => bringFiles(request, control, log));
}

/** The files of a copy's folder, under the name of a half-made copy. */
export async function bringFiles(
  request: TransferRequest,
  control: Control,
  log: JobLog,
): Promise<TransferResult> {
  const { from, to } = request;
  const sourcePath = path.join(from.storagePath, from.copyId);
  const partialPath = partialPathOf(to);
  const { heapMegabytes } = noAhead(request.memory ?? null);
  const files = await filesOf(sourcePath);
  const bytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  const isBegun = await prepare(to.storagePath, partialPath, bytes, request.isResumable ?? false);
  try {
    control.set('bytesTotal', bytes);
    const input: TransferInput = {
      control: control.memory,
      sourcePath,
      targetPath: partialPath,
      isBegun,
      files,
    };
    await runWorkers(
      control,
      [{ name: 'transfer', url: workerUrl(import.meta.url, 'transfer-worker'), input, heapMegabytes }],
      log,
    );
    return { bytes, sentBytes: control.get('transferredBytes') };
  } catch (error) {
    if (request.isResumable !== true) await removePartial(partialPath);
    throw error;
  }
}

async function filesOf(folder: string): Promise<TransferInput['files']> {
  try {
    const names = await readdir(folder);
    return await Promise.all(
      names.sort().map(async (name) => {
        const facts = await lstat(path.join(folder, name));
        if (!facts.isFile()) {
          throw new DeviceError('corrupt', `${folder} holds ${name}, which is no file of a copy.`);
        }
        return { name, sizeBytes: facts.size };
      }),
    );
  } catch (error) {
    throw toDeviceError(error, 'The copy cannot be read from its storage');
  }
}

/** Makes the folder, when there is room for all that is not there yet; true when an earlier attempt made it. */
async function prepare(
  storagePath: string,
  partialPath: string,
  bytes: number,
  isResumable: boolean,
): Promise<boolean> {
  try {
    const arrived = isResumable ? await arrivedBytes(partialPath) : null;
    const missing = Math.max(0, bytes - (arrived ?? 0)) + LEAST_SPARE_BYTES;
    const room = await statfs(storagePath);
    if (room.bavail * room.bsize < missing) {
      throw new DeviceError(
        'noSpace',
        `The storage ${storagePath} has no room for the ${bytes} bytes of the copy; free space or choose another pool.`,
        { bytesNeeded: missing },
      );
    }
    if (arrived === null) await mkdir(partialPath, { mode: 0o700 });
    return arrived !== null;
  } catch (error) {
    throw toDeviceError(error, `The storage ${storagePath} cannot be written`);
  }
}

/** What an earlier attempt has brought, which may have its name already; null when there is nothing. */
async function arrivedBytes(partialPath: string): Promise<number | null> {
  const found = await bytesIn(partialPath);
  if (found !== null) return found;
  const named = partialPath.slice(0, -PARTIAL_SUFFIX.length);
  const bytes = await bytesIn(named);
  if (bytes !== null) await rename(named, partialPath);
  return bytes;
}

/** Null when the folder is not there. */
async function bytesIn(folder: string): Promise<number | null> {
  try {
    const names = await readdir(folder);
    const sizes = await Promise.all(names.map(async (name) => (await lstat(path.join(folder, name))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
