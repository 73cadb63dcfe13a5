import { lstat, mkdir, readdir, rename, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '../../platform/files.ts';
import { workerUrl } from '../../platform/worker-url.ts';
import { PARTIAL_SUFFIX } from '../backup/backup.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { type EngineJob, type JobLog, startJob } from '../job/engine-job.ts';
import { runWorkers } from '../job/worker-group.ts';
import type { VerifyResult } from '../verify/verify.ts';
import type { VerifyInput } from '../verify/verify-worker.ts';
import type { TransferInput } from './transfer-worker.ts';

export interface CopyPlace {
  readonly storagePath: string;
  /** Name of the copy's folder. */
  readonly copyId: string;
}

export interface TransferRequest {
  readonly from: CopyPlace;
  /** Must not exist yet. */
  readonly to: CopyPlace;
}

export interface TransferResult {
  /** Folder of the new copy. */
  readonly path: string;
  readonly bytes: number;
}

const LEAST_SPARE_BYTES = 1_048_576;

/**
 * Brings a copy to another storage as it is, whatever the compression of the pools. Then every byte is read back from
 * there and compared with what was recorded when the copy was made; only after that it appears under its name. The
 * source is only read.
 */
export function startTransfer(request: TransferRequest): EngineJob<TransferResult> {
  return startJob((control, log) => transfer(request, control, log));
}

async function transfer(request: TransferRequest, control: Control, log: JobLog): Promise<TransferResult> {
  const { from, to } = request;
  const sourcePath = path.join(from.storagePath, from.copyId);
  const finalPath = path.join(to.storagePath, to.copyId);
  const partialPath = `${finalPath}${PARTIAL_SUFFIX}`;
  const files = await filesOf(sourcePath);
  const bytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  await prepare(to.storagePath, partialPath, bytes);
  try {
    control.set('bytesTotal', bytes);
    control.set('filesTotal', files.length);
    const input: TransferInput = { control: control.memory, sourcePath, targetPath: partialPath, files };
    await runWorkers(
      control,
      [{ name: 'transfer', url: workerUrl(import.meta.url, 'transfer-worker'), input }],
      log,
    );
    await prove(partialPath, control, log);
    await publish(partialPath, finalPath);
    return { path: finalPath, bytes };
  } catch (error) {
    await rm(partialPath, { recursive: true, force: true });
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

/** Neither a fault of the way nor one that the source had already becomes a second copy. */
async function prove(partialPath: string, control: Control, log: JobLog): Promise<void> {
  control.set('bytesDone', 0);
  const input: VerifyInput = { control: control.memory, copyPath: partialPath };
  const results = await runWorkers(
    control,
    [{ name: 'verifier', url: workerUrl(verifyModule, 'verify-worker'), input }],
    log,
  );
  const { status, findings } = results.get('verifier') as VerifyResult;
  if (status === 'trusted') return;
  const [first] = findings;
  const what = first === undefined ? '' : ` (${first.item}: ${first.message})`;
  throw new DeviceError(
    'corrupt',
    `What arrived is not what was once backed up${what}. Nothing was changed; verify the copy where it is.`,
  );
}

/** The verifier's source lies in another folder than this module; bundled, all workers lie beside each other. */
const verifyModule = import.meta.url.endsWith('.ts')
  ? new URL('../verify/verify.ts', import.meta.url).href
  : import.meta.url;

async function publish(partialPath: string, finalPath: string): Promise<void> {
  try {
    await rename(partialPath, finalPath);
    await syncDirectory(path.dirname(finalPath));
  } catch (error) {
    throw toDeviceError(error, 'The copy cannot be written to the storage');
  }
}
