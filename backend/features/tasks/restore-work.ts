import type {
  CompleteParameters,
  restoreCommonParameters,
} from '../../../contract/tasks/module-parameters.ts';
import { DeviceError, type RestoreRequest, type RestoreResult, startRestore } from '../../engine/index.ts';
import type { Work, WorkContext, WorkEnd } from '../../jobs/index.ts';
import type { BlockPoolService } from '../block-pools/block-pool-service.ts';
import { counted } from '../bulk.ts';
import type { ClientKeys } from '../client-keys.ts';
import type { CopyService, RestoreInput, TaskCopy } from '../repository/copy-service.ts';
import type { TapeCopyService } from '../tape-libraries/tape-copy-service.ts';
import { onBlocks } from './copy-source.ts';
import { endFor, followRestore, trafficOf } from './engine-bridge.ts';
import { requireFolder, restoreOntoDevice } from './image-restore.ts';
import { parametersKept, restoreLimit } from './memory-limits.ts';
import type { createPlacementStore } from './placement-store.ts';
import { checkDataDirectory, dataDirectoryOf } from './postgres-restore.ts';
import { restoreArriving } from './restore-arriving.ts';
import type { TrafficLimits } from './traffic-limits.ts';

type RestoreCommonValues = CompleteParameters<typeof restoreCommonParameters>;

export interface RestoreWorkDeps {
  readonly copies: CopyService;
  readonly tapes: TapeCopyService;
  readonly places: ReturnType<typeof createPlacementStore>;
  readonly dataDir: string;
  readonly traffic: TrafficLimits;
  readonly keys: ClientKeys;
  readonly blockPools: BlockPoolService;
}

/** Brings a copy, or parts of it, back to this host: to a folder, or what is one image onto a device. */
export function createRestoreWork(deps: RestoreWorkDeps): Work {
  const { traffic } = deps;
  const start = async (context: WorkContext, request: RestoreRequest) =>
    traffic.limited(trafficOf(context, 'restore'), () => startRestore(request));
  const fromDisk = onBlocks(deps, async (context, copy, blocks) => {
    const { task } = context;
    const input = inputOf(context);
    await context.moveTo('at_client');
    try {
      const from = { ...(await sourceOf(deps, context, copy)), blocks };
      const isImage = task.resource_type === 'Block device';
      if (isImage && input.deployInto) {
        const image = { ...from, sizeBytes: copy.sizeBytes };
        return await restoreOntoDevice(deps, context, input.destination, image);
      }
      if (isImage) await requireFolder(input.destination);
      const job = await start(context, await requestOf(deps, context, from, copy.chain));
      return await endOf(context, input, await followRestore(context, job));
    } catch (error) {
      return endFor(error, { waitsForSpace: false });
    }
  });

  return async (context) => {
    const { copy_id: id } = context.task;
    const copy = id === null ? null : await deps.copies.readCopyForTask(id);
    if (copy !== null && canArrive(context, copy)) {
      const arrived = await restoreArriving(deps, context, copy, async ({ storagePath, arriving }) => {
        await context.moveTo('at_client');
        const from = { ...(await sourceOf(deps, context, copy)), storagePath, arriving };
        return start(context, await requestOf(deps, context, from, []));
      });
      if (arrived !== null && 'kind' in arrived) return arrived;
      if (arrived !== null) return endOf(context, inputOf(context), arrived);
    }
    return fromDisk(context);
  };
}

const isServer = ({ task }: WorkContext): boolean => task.resource_type === 'PostgreSQL universal';

/** What is of use only as a whole is read from tape to its end before; so are files that a cipher has sealed as a whole. */
function canArrive(context: WorkContext, copy: TaskCopy): boolean {
  const isWholeOnly = isServer(context) || context.task.resource_type === 'Block device';
  return copy.isOnTape && !isWholeOnly && copy.crypto !== 'age';
}

const inputOf = ({ task }: WorkContext): RestoreInput => JSON.parse(task.input ?? '{}') as RestoreInput;

const commonOf = ({ task }: WorkContext): Partial<RestoreCommonValues> =>
  parametersKept<RestoreCommonValues>(task.common_modules_extensions);

async function sourceOf({ keys }: RestoreWorkDeps, context: WorkContext, copy: TaskCopy) {
  const key = await keys.demand(copy);
  return { storagePath: copy.storagePath, copyId: copy.uuid, key, memory: restoreLimit(commonOf(context)) };
}

async function requestOf(
  { dataDir, places }: RestoreWorkDeps,
  context: WorkContext,
  from: Pick<RestoreRequest, 'storagePath' | 'copyId' | 'key' | 'memory' | 'blocks' | 'arriving'>,
  chain: NonNullable<RestoreRequest['chain']>,
): Promise<RestoreRequest> {
  const { destination, deployInto, selection, newName } = inputOf(context);
  return {
    ...from,
    destination,
    deployInto,
    selection,
    onExisting: 'replace',
    forbidden: [dataDir, ...(await places.allStoragePaths())],
    chain,
    isAlone: commonOf(context).worker_parallelism === 1,
    ...(newName === null ? {} : { newName }),
    // A data directory is whole and alone in its folder, or no server starts on it.
    ...(isServer(context) ? { intoEmpty: true, ownerIsSelf: true } : {}),
  };
}

async function endOf(context: WorkContext, input: RestoreInput, result: RestoreResult): Promise<WorkEnd> {
  for (const problem of result.problems) {
    context.log('client', 'warning', `${problem.path}: ${problem.reason}`);
  }
  const isImage = context.task.resource_type === 'Block device';
  const [first] = result.problems;
  // Of these nothing is useful but the whole.
  if (first !== undefined && (isServer(context) || (isImage && result.filesRestored === 0))) {
    const what = isServer(context) ? 'The data directory' : 'The image';
    throw new DeviceError(
      'corrupt',
      `${what} could not be restored whole: ${first.path}: ${first.reason}. Do not use what is there.`,
    );
  }
  await context.moveTo('at_server');
  const extent = `${counted(result.filesRestored, 'item')}, ${counted(result.bytesRestored, 'byte')}`;
  const rest =
    result.problemsTotal === 0 ? '' : `; ${result.problemsTotal} items with problems, listed above`;
  context.log('client', 'info', `Restored to ${input.destination}: ${extent}${rest}.`);
  if (isServer(context)) {
    const refused = await checkDataDirectory(context, dataDirectoryOf(context.task.resource ?? '', input));
    if (refused !== null) return refused;
  }
  return { kind: 'done', skippedItems: result.problemsTotal, transferredBytes: result.bytesRestored };
}
