import { rename } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '../../platform/files.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { type EngineJob, type JobLog, startJob } from '../job/engine-job.ts';
import type { MemoryLimit } from '../job/memory-plan.ts';
import { runWorkers } from '../job/worker-group.ts';
import { verifierWorkers } from '../verify/verifier-workers.ts';
import { verifyResult } from '../verify/verify-result.ts';
import { type CopyPlace, copyPathOf, partialPathOf, removePartial } from './partial.ts';

export interface ProofResult {
  /** Folder of the copy. */
  readonly path: string;
}

export interface ProofOptions {
  readonly isResumable?: boolean;
  /** Missing: as much as it takes. */
  readonly memory?: MemoryLimit | null;
}

/**
 * Reads back every byte that `startTransfer` has brought and compares it with what was recorded when the copy was
 * made; only then it gets its name. Neither a fault of the way nor one that the source had already becomes a copy.
 * `isResumable`: unless it is wrong it stays when the proof ends early.
 */
export function startProof(place: CopyPlace, options: ProofOptions = {}): EngineJob<ProofResult> {
  return startJob((control, log) => proof(place, options, control, log));
}

async function proof(
  place: CopyPlace,
  { isResumable = false, memory = null }: ProofOptions,
  control: Control,
  log: JobLog,
): Promise<ProofResult> {
  const partialPath = partialPathOf(place);
  try {
    await compare(partialPath, memory, control, log);
    await publish(place, partialPath);
    return { path: copyPathOf(place) };
  } catch (error) {
    const isWrong = error instanceof DeviceError && error.kind === 'corrupt';
    if (!isResumable || isWrong) await removePartial(partialPath);
    throw error;
  }
}

async function compare(
  partialPath: string,
  memory: MemoryLimit | null,
  control: Control,
  log: JobLog,
): Promise<void> {
  // The key of an encrypted copy is not asked for: its sums tell whether the same bytes have arrived.
  const copyId = path.basename(partialPath);
  const request = { storagePath: path.dirname(partialPath), copyId, memory };
  const results = await runWorkers(control, await verifierWorkers(control, request), log);
  const { status, findings } = verifyResult(results);
  if (status === 'trusted') return;
  const [first] = findings;
  const what = first === undefined ? '' : ` (${first.item}: ${first.message})`;
  throw new DeviceError(
    'corrupt',
    `What arrived is not what was once backed up${what}. Nothing was changed; verify the copy where it is.`,
  );
}

/** Gives a copy its name. */
export async function publish(place: CopyPlace, partialPath: string): Promise<void> {
  try {
    await rename(partialPath, copyPathOf(place));
    await syncDirectory(place.storagePath);
  } catch (error) {
    throw toDeviceError(error, `The copy cannot be written to the storage ${place.storagePath}`);
  }
}
