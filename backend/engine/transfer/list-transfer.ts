import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { type EngineJob, startJob } from '../job/engine-job.ts';
import { copyPathOf, partialPathOf, removePartial } from './partial.ts';
import { publish } from './proof.ts';
import { bringFiles, type TransferRequest, type TransferResult } from './transfer.ts';

const CHUNK_BYTES = 1_048_576;

/**
 * Brings the folder of a copy whose data lie as blocks elsewhere to another storage: its file list, and what stands beside it.
 * It has its name there only when all of it was read back and is the same. Needs no key and no blocks; the source is only read.
 */
export function startListTransfer(request: TransferRequest): EngineJob<TransferResult> {
  return startJob(async (control, log) => {
    const result = await bringFiles(request, control, log);
    const partialPath = partialPathOf(request.to);
    try {
      await compare(copyPathOf(request.from), partialPath, control);
      await publish(request.to, partialPath);
      return result;
    } catch (error) {
      await removePartial(partialPath);
      throw error;
    }
  });
}

async function compare(from: string, to: string, control: Control): Promise<void> {
  try {
    const [expected, found] = [await readdir(from), await readdir(to)].map((names) => names.toSorted());
    const isSame = expected?.join('\n') === found?.join('\n');
    if (!isSame) throw differs(from);
    for (const name of expected ?? []) await compareFile(path.join(from, name), path.join(to, name), control);
  } catch (error) {
    throw toDeviceError(error, 'What arrived cannot be compared');
  }
}

async function compareFile(from: string, to: string, control: Control): Promise<void> {
  const source = await open(from, 'r');
  const target = await open(to, 'r');
  try {
    const [expected, found] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)];
    for (let at = 0; ; ) {
      control.check();
      const { bytesRead } = await source.read(expected, 0, CHUNK_BYTES, at);
      const other = await target.read(found, 0, Math.max(1, bytesRead), at);
      const isSame =
        other.bytesRead === bytesRead && expected.subarray(0, bytesRead).equals(found.subarray(0, bytesRead));
      if (!isSame) throw differs(from);
      if (bytesRead === 0) return;
      at += bytesRead;
    }
  } finally {
    await source.close();
    await target.close();
  }
}

function differs(from: string): DeviceError {
  return new DeviceError('corrupt', `What arrived is not what lies in ${from}. Nothing was changed.`);
}
