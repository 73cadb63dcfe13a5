import { lstat, mkdir, readdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import { workerUrl } from '../../platform/worker-url.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { type EngineJob, type JobLog, startJob } from '../job/engine-job.ts';
import { runWorkers } from '../job/worker-group.ts';
import { type CopyPlace, partialPathOf, removePartial } from './partial.ts';
import type { TransferInput } from './transfer-worker.ts';

export interface TransferRequest {
  readonly from: CopyPlace;
  /** Must not exist yet. */
  readonly to: CopyPlace;
}

export interface TransferResult {
  /** On the disk of the target. */
  readonly bytes: number;
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
  const files = await filesOf(sourcePath);
  const bytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  await prepare(to.storagePath, partialPath, bytes);
  try {
    control.set('bytesTotal', bytes);
    const input: TransferInput = { control: control.memory, sourcePath, targetPath: partialPath, files };
    await runWorkers(
      control,
      [{ name: 'transfer', url: workerUrl(import.meta.url, 'transfer-worker'), input }],
      log,
    );
    return { bytes };
  } catch (error) {
    await removePartial(partialPath);
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

async function prepare(storagePath: string, partialPath: string, bytes: number): Promise<void> {
  try {
    const room = await statfs(storagePath);
    if (room.bavail * room.bsize < bytes + LEAST_SPARE_BYTES) {
      throw new DeviceError(
        'noSpace',
        `The storage ${storagePath} has no room for the ${bytes} bytes of the copy; free space or choose another pool.`,
        { bytesNeeded: bytes + LEAST_SPARE_BYTES },
      );
    }
    await mkdir(partialPath, { mode: 0o700 });
  } catch (error) {
    throw toDeviceError(error, `The storage ${storagePath} cannot be written`);
  }
}
