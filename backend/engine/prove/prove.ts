import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { fromDisplay } from '../../platform/byte-path.ts';
import { errorCode, isSystemCode } from '../../platform/native.ts';
import { workerUrl } from '../../platform/worker-url.ts';
import { noAhead } from '../archive/ahead-workers.ts';
import { blocksInput, portsOf } from '../archive/blocks-input.ts';
import type { StoreThread } from '../blocks/index.ts';
import { type ChainPlace, linksOf } from '../chain/links.ts';
import type { ClientKey } from '../crypto/client-key.ts';
import { unlockCopy } from '../crypto/copy-lock.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { type EngineJob, type JobLog, startJob } from '../job/engine-job.ts';
import type { MemoryLimit } from '../job/memory-plan.ts';
import { runWorkers } from '../job/worker-group.ts';
import { headerOf } from '../manifest/manifest-file.ts';
import type { RestoreProblem } from '../restore/problems.ts';
import { type RestoreResult, restoreInto } from '../restore/restore.ts';
import type { Choice, ChooseWorkerInput } from './choose-worker.ts';
import type { ComparedFile, CompareWorkerInput } from './compare-worker.ts';
import type { SampleLimits } from './sample.ts';

export interface RestoreProofRequest {
  readonly storagePath: string;
  readonly copyId: string;
  readonly key: ClientKey | null;
  readonly chain: readonly ChainPlace[];
  readonly blocks: StoreThread | null;
  /** An empty folder that is there, for this proof alone; the caller removes it. */
  readonly scratch: string;
  readonly sample: SampleLimits;
  /** Missing: as much as it takes. Its three threads follow each other, so each may have all of it. */
  readonly memory?: MemoryLimit | null;
}

export interface ProofFailure {
  /** Display form, absolute, as it was in the resource. */
  readonly path: string;
  readonly reason: string;
}

export interface RestoreProofResult {
  /** Restored and the same in every respect that this host allows. */
  readonly files: number;
  readonly bytes: number;
  /** Regular files of the copy, and how many of them alone take more than the sample may. */
  readonly filesTotal: number;
  readonly tooLarge: number;
  readonly failures: readonly ProofFailure[];
  /** What could not be compared, since this host does not allow it; no fault of the copy. */
  readonly notes: readonly ProofFailure[];
}

/** What has to stay free in the scratch space: the catalogue may lie on the same disk. */
const RESERVE_BYTES = 67_108_864;

/**
 * Restores a random sample of a copy's files, as a person's restore would, and compares what came back with the file
 * list. Rejects with `noSpace` when the scratch space is too small, `transient` when it does not answer; both say
 * nothing of the copy. `corrupt`, `notFound`, `permission` and `permanent` mean that nothing of it can be restored.
 */
export function startRestoreProof(request: RestoreProofRequest): EngineJob<RestoreProofResult> {
  return startJob(async (control, log) => {
    try {
      return await prove(request, control, log);
    } catch (error) {
      throw outgrown(error) ?? error;
    }
  });
}

async function prove(
  request: RestoreProofRequest,
  control: Control,
  log: JobLog,
): Promise<RestoreProofResult> {
  const { storagePath, key, scratch, memory = null } = request;
  const { heapMegabytes } = noAhead(memory);
  const copyPath = path.join(storagePath, request.copyId);
  const secret = await unlockCopy(copyPath, key);
  const chooseInput: ChooseWorkerInput = {
    control: control.memory,
    copyPath,
    secret,
    limits: request.sample,
  };
  const choose = {
    name: 'chooser',
    url: workerUrl(import.meta.url, 'choose-worker'),
    input: chooseInput,
    heapMegabytes,
  };
  const choice = (await runWorkers(control, [choose], log)).get('chooser') as Choice;
  const { files, filesTotal, tooLarge } = choice;
  const listFailures = choice.lost === 0 ? [] : [lostEntries(choice.lost)];
  if (files.length === 0)
    return { files: 0, bytes: 0, filesTotal, tooLarge, failures: listFailures, notes: [] };
  await requireRoom(
    scratch,
    files.reduce((sum, file) => sum + file.sizeBytes, 0),
  );
  log('info', `${files.length} of ${filesTotal} files were chosen (seed ${request.sample.seed}).`);
  const restored = await restoreInto(
    {
      storagePath,
      copyId: request.copyId,
      destination: scratch,
      selection: files.map((file) => file.path),
      onExisting: 'replace',
      forbidden: [],
      key,
      chain: request.chain,
      blocks: request.blocks,
      memory,
    },
    control,
    log,
  );
  const header = headerOf(copyPath, secret);
  const links = await linksOf({ storagePath, header }, request.chain, key);
  const blocks = blocksInput(request.blocks);
  const input: CompareWorkerInput = {
    control: control.memory,
    copyPath,
    secret,
    links,
    blocks,
    scratch: fromDisplay(scratch),
    ordinals: files.map((file) => file.ordinal),
  };
  const comparer = {
    name: 'comparer',
    url: workerUrl(import.meta.url, 'compare-worker'),
    input,
    transfer: portsOf(blocks),
    heapMegabytes,
  };
  const compared = (await runWorkers(control, [comparer], log)).get('comparer') as readonly ComparedFile[];
  return { ...resultOf(compared, restored, listFailures), filesTotal, tooLarge };
}

/** A thread that needed more than the limit says nothing of the copy. Null for any other error. */
function outgrown(error: unknown): DeviceError | null {
  if (!(error instanceof DeviceError) || errorCode(error.cause) !== 'ERR_WORKER_OUT_OF_MEMORY') return null;
  return new DeviceError('transient', error.message, { cause: error });
}

function resultOf(
  compared: readonly ComparedFile[],
  restored: RestoreResult,
  listFailures: readonly ProofFailure[],
): Pick<RestoreProofResult, 'files' | 'bytes' | 'failures' | 'notes'> {
  const failures = [...listFailures];
  const notes: ProofFailure[] = [];
  let files = 0;
  let bytes = 0;
  for (const { path: shown, sizeBytes, isMissing, differences, excused } of compared) {
    notes.push(...excused.map((reason) => ({ path: shown, reason })));
    if (isMissing) failures.push({ path: shown, reason: whyMissing(shown, restored.problems) });
    else if (differences.length > 0) failures.push({ path: shown, reason: differences.join('; ') });
    else {
      files += 1;
      bytes += sizeBytes;
    }
  }
  return { files, bytes, failures, notes };
}

/** A code of the system comes from the place that was written to, and says nothing of the copy. */
function whyMissing(shown: string, problems: readonly RestoreProblem[]): string {
  const problem = problems.find((one) => one.path === shown) ?? folderProblem(shown, problems);
  if (problem === undefined) return 'it was not restored';
  if (!isSystemCode(problem.code)) return problem.reason;
  throw new DeviceError(
    'transient',
    `The scratch space cannot hold ${problem.path}: ${problem.reason}. Choose another one (--scratch-dir).`,
  );
}

function folderProblem(shown: string, problems: readonly RestoreProblem[]): RestoreProblem | undefined {
  return problems.find((one) => shown.startsWith(`${one.path}/`));
}

function lostEntries(count: number): ProofFailure {
  const reason = `${count} entries of the file list are damaged, so what they name can neither be chosen nor restored`;
  return { path: 'file list', reason };
}

async function freeIn(scratch: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(scratch);
    return bavail * bsize;
  } catch (error) {
    const refused = toDeviceError(error, `The scratch space ${scratch} cannot be used`);
    throw refused instanceof DeviceError
      ? new DeviceError('transient', refused.message, { cause: error })
      : refused;
  }
}

async function requireRoom(scratch: string, sampleBytes: number): Promise<void> {
  const freeBytes = await freeIn(scratch);
  if (freeBytes >= sampleBytes + RESERVE_BYTES) return;
  throw new DeviceError(
    'noSpace',
    `The scratch space has ${freeBytes} bytes free; the sample takes ${sampleBytes}, and ${RESERVE_BYTES} have to stay free.`,
    { bytesNeeded: sampleBytes + RESERVE_BYTES },
  );
}
