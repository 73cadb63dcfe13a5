import { lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type ByteString, fromDisplay, fsPath, toDisplay } from '../../platform/byte-path.ts';
import { errorCode } from '../../platform/native.ts';
import { workerUrl } from '../../platform/worker-url.ts';
import { aheadWorkers, LEAST_ARCHIVE_BYTES, noAhead } from '../archive/ahead-workers.ts';
import { type ArrivingArchive, takeInOrder } from '../archive/arriving-archive.ts';
import { blocksInput, portsOf } from '../archive/blocks-input.ts';
import type { ManifestHeader } from '../archive/manifest-format.ts';
import type { StoreThread } from '../blocks/index.ts';
import { type ChainPlace, linksOf } from '../chain/links.ts';
import type { ClientKey } from '../crypto/client-key.ts';
import { unlockCopy } from '../crypto/copy-lock.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { type EngineJob, type JobLog, startJob } from '../job/engine-job.ts';
import { type MemoryLimit, planReading } from '../job/memory-plan.ts';
import { runWorkers } from '../job/worker-group.ts';
import { headerOf } from '../manifest/manifest-file.ts';
import { MOST_PROBLEMS, type RestoreProblem } from './problems.ts';
import { isWorthSharing, RestoreShare, type RestoreShareInput } from './restore-share.ts';
import type { RestoreWorkerInput } from './restore-worker.ts';

const FIRST = 'restorer';
const SECOND = 'second restorer';

export interface RestoreRequest {
  readonly storagePath: string;
  readonly copyId: string;
  /** Absolute path in display form; made when it is not there. */
  readonly destination: string;
  /** Another name for the resource in the destination. */
  readonly newName?: string;
  /** Puts the contents of the resource straight into the destination. */
  readonly deployInto?: boolean;
  /**
   * Paths in display form, absolute or relative to the resource; exact names, never patterns. Empty = everything.
   * A path that is not in the copy refuses the whole restore before anything is written.
   */
  readonly selection?: readonly string[];
  readonly onExisting: 'replace' | 'skip';
  /** Refuses before anything is written when the folder that the resource becomes holds anything. It becomes the resource's own. */
  readonly intoEmpty?: boolean;
  /** What is restored belongs to the user of this process, unless that is root. */
  readonly ownerIsSelf?: boolean;
  /** Folders that are never written to (the server's own). */
  readonly forbidden: readonly string[];
  readonly numericOwner?: boolean;
  /** The client's key, for an encrypted copy. A wrong one refuses the whole restore before anything is written. */
  readonly key?: ClientKey | null;
  /** Where the copies lie on which this one builds; those that are not named are looked for in the same storage. */
  readonly chain?: readonly ChainPlace[];
  /** The store that holds the blocks of the copy; missing for a copy with an archive of its own. */
  readonly blocks?: StoreThread | null;
  /**
   * The archive comes while it is restored, and the folder of the copy has the rest. Not for a copy that `age` encrypts. Whoever brings it
   * stops the job when it does not come.
   */
  readonly arriving?: ArrivingArchive | null;
  /** Missing: as much as it takes. */
  readonly memory?: MemoryLimit | null;
  /** One thread reads and writes, with none that decodes ahead. */
  readonly isAlone?: boolean;
}

export interface RestoreResult {
  readonly outcome: 'complete' | 'withProblems';
  readonly filesRestored: number;
  readonly bytesRestored: number;
  /** The first 1,000. */
  readonly problems: readonly RestoreProblem[];
  readonly problemsTotal: number;
}

/** Brings back a copy, or parts of it, below a destination and nowhere else. */
export function startRestore(request: RestoreRequest): EngineJob<RestoreResult> {
  return startJob((control, log) => restoreInto(request, control, log));
}

/** The same as a part of other work, with the control of that. */
export async function restoreInto(
  request: RestoreRequest,
  control: Control,
  log: JobLog,
): Promise<RestoreResult> {
  const destination = fromDisplay(request.destination).replace(/\/+$/, '');
  const forbiddenKeys = await checkDestination(destination, request.forbidden);
  const copyPath = path.join(request.storagePath, request.copyId);
  const secret = await unlockCopy(copyPath, request.key ?? null);
  const header = headerOf(copyPath, secret);
  const { storagePath } = request;
  const links = await linksOf({ storagePath, header }, request.chain ?? [], request.key ?? null);
  // A few files are found faster than all before them are decoded.
  const isAlone = (request.selection ?? []).length > 0 || (request.isAlone ?? false);
  const limit = request.memory ?? null;
  const arriving = request.arriving ?? null;
  const toCome =
    arriving === null || header === null ? null : { archive: arriving, compression: header.compression };
  const plan = isAlone
    ? noAhead(limit)
    : await aheadWorkers(control, copyPath, secret, { limit, arriving: toCome });
  // Two that restore take the place of one that restores and one that decodes; of an age file and of blocks each decodes what it reads.
  const isWithoutAhead = secret?.cipher === 'age' || (request.blocks ?? null) !== null;
  const isMuch = (header?.totals.sourceBytes ?? 0) >= LEAST_ARCHIVE_BYTES;
  const ofBoth =
    isWithoutAhead && isMuch && !isAlone && availableParallelism() > 1 ? planReading(limit, 0) : null;
  const share = plan.ahead !== null || ofBoth?.isAhead ? shareOf(header) : null;
  const { heapMegabytes } = share === null ? plan : (ofBoth ?? plan);
  const ahead = share === null ? plan.ahead : null;
  const workers = share === null ? plan.workers : [];
  const isInOrder = ahead !== null && limit === null && header?.order !== 'arrival';
  if (arriving !== null && isInOrder) takeInOrder(arriving.memory);
  const isDestinationNew = await makeDestination(destination);
  const input: RestoreWorkerInput = {
    control: control.memory,
    copyPath,
    secret,
    links,
    destination,
    isDestinationNew,
    newName: request.newName === undefined || request.newName === '' ? null : fromDisplay(request.newName),
    deployInto: request.deployInto ?? false,
    selection: request.selection ?? [],
    replaces: request.onExisting === 'replace',
    numericOwner: request.numericOwner ?? false,
    intoEmpty: request.intoEmpty ?? false,
    ownerIsSelf: request.ownerIsSelf ?? false,
    forbiddenKeys,
    blocks: blocksInput(request.blocks),
    ahead,
    arriving,
    share,
    isFirst: true,
  };
  const url = workerUrl(import.meta.url, 'restore-worker');
  const worker = (name: string, own: RestoreWorkerInput) => ({
    name,
    url,
    input: own,
    transfer: portsOf(own.blocks),
    heapMegabytes,
  });
  const second =
    share === null ? [] : [worker(SECOND, { ...input, blocks: blocksInput(request.blocks), isFirst: false })];
  const all = [worker(FIRST, input), ...second, ...workers];
  const results = await runWorkers(control, all, log);
  return joined(results.get(FIRST) as RestoreResult, results.get(SECOND) as RestoreResult | undefined);
}

/** Null where one thread does it as well. What cannot be read is the thread's to tell. */
function shareOf(header: ManifestHeader | null): RestoreShareInput | null {
  if (header === null || header.order === 'arrival' || !isWorthSharing(header.totals)) return null;
  return RestoreShare.inputFor(header.totals);
}

function joined(first: RestoreResult, second: RestoreResult | undefined): RestoreResult {
  if (second === undefined) return first;
  return {
    outcome: [first, second].every(({ outcome }) => outcome === 'complete') ? 'complete' : 'withProblems',
    filesRestored: first.filesRestored + second.filesRestored,
    bytesRestored: first.bytesRestored + second.bytesRestored,
    problems: [...first.problems, ...second.problems].slice(0, MOST_PROBLEMS),
    problemsTotal: first.problemsTotal + second.problemsTotal,
  };
}

/** Refuses what would overwrite the system or the server itself; answers device and inode of what is forbidden. */
async function checkDestination(
  destination: ByteString,
  forbidden: readonly string[],
): Promise<readonly string[]> {
  const shown = toDisplay(destination);
  if (destination === '') throw refused('The destination / is the whole system. Choose a folder in it.');
  if (!destination.startsWith('/')) throw refused(`The destination ${shown} is not an absolute path.`);
  const there = await lookAt(destination);
  if (there?.isSymbolicLink())
    throw refused(`The destination ${shown} is a link. Give the folder it leads to.`);
  if (there !== null && !there.isDirectory()) throw refused(`The destination ${shown} is not a folder.`);
  const real = await realOf(destination);
  const keys: string[] = [];
  for (const folder of forbidden) {
    const own = await realOf(fromDisplay(folder));
    if (real === own || real.startsWith(`${own}/`)) {
      throw refused(
        `The destination ${shown} belongs to this server itself (${folder}). Choose another folder.`,
      );
    }
    const facts = await stat(fsPath(own), { bigint: true }).catch(() => null);
    if (facts !== null) keys.push(`${facts.dev}:${facts.ino}`);
  }
  return keys;
}

async function makeDestination(destination: ByteString): Promise<boolean> {
  if ((await lookAt(destination)) !== null) return false;
  try {
    await mkdir(fsPath(destination), { recursive: true });
    return true;
  } catch (error) {
    throw toDeviceError(error, `The destination ${toDisplay(destination)} cannot be made`);
  }
}

async function lookAt(target: ByteString) {
  try {
    return await lstat(fsPath(target));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw toDeviceError(error, `The destination ${toDisplay(target)} cannot be used`);
  }
}

/** With all links resolved, as far as the path exists. */
async function realOf(target: ByteString): Promise<ByteString> {
  try {
    return await realpath(fsPath(target), { encoding: 'latin1' });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || target === '/' || target === '') return target;
    const slash = target.lastIndexOf('/');
    const parent = await realOf(slash === 0 ? '/' : target.slice(0, slash));
    return `${parent === '/' ? '' : parent}${target.slice(slash)}`;
  }
}

function refused(message: string): DeviceError {
  return new DeviceError('permission', message);
}
