import type {
  CompleteParameters,
  restoreCommonParameters,
} from '../../../contract/tasks/module-parameters.ts';
import { DeviceError, type RestoreRequest, type RestoreResult, startRestore } from '../../engine/index.ts';
import type { Work, WorkContext, WorkEnd } from '../../jobs/index.ts';
import type { BlockPoolService } from '../block-pools/block-pool-service.ts';
import { counted } from '../bulk.ts';
import type { ClientKeys } from '../client-keys.ts';
import type { CopyService, RestoreInput } from '../repository/copy-service.ts';
import type { TapeCopyService } from '../tape-libraries/tape-copy-service.ts';
import { onBlocks } from './copy-source.ts';
import { endFor, followRestore, trafficOf } from './engine-bridge.ts';
import { requireFolder, restoreOntoDevice } from './image-restore.ts';
import { parametersKept, restoreLimit } from './memory-limits.ts';
import type { createPlacementStore } from './placement-store.ts';
import { checkDataDirectory, dataDirectoryOf } from './postgres-restore.ts';
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
  const { places, dataDir, traffic, keys } = deps;
  return onBlocks(deps, async (context, copy, blocks) => {
    const { task } = context;
    const input = JSON.parse(task.input ?? '{}') as RestoreInput;
    await context.moveTo('at_client');
    try {
      const key = await keys.demand(copy);
      const common = parametersKept<RestoreCommonValues>(task.common_modules_extensions);
      const memory = restoreLimit(common);
      const from = { storagePath: copy.storagePath, copyId: copy.uuid, key, blocks, memory };
      const isImage = task.resource_type === 'Block device';
      if (isImage && input.deployInto) {
        const image = { ...from, sizeBytes: copy.sizeBytes };
        return await restoreOntoDevice(deps, context, input.destination, image);
      }
      if (isImage) await requireFolder(input.destination);
      const isServer = task.resource_type === 'PostgreSQL universal';
      const request: RestoreRequest = {
        ...from,
        destination: input.destination,
        deployInto: input.deployInto,
        selection: input.selection,
        onExisting: 'replace',
        forbidden: [dataDir, ...(await places.allStoragePaths())],
        chain: copy.chain,
        isAlone: common.worker_parallelism === 1,
        ...(input.newName === null ? {} : { newName: input.newName }),
        // A data directory is whole and alone in its folder, or no server starts on it.
        ...(isServer ? { intoEmpty: true, ownerIsSelf: true } : {}),
      };
      const job = await traffic.limited(trafficOf(context, 'restore'), () => startRestore(request));
      const result = await followRestore(context, job);
      return await endOf(context, input, result, isServer);
    } catch (error) {
      return endFor(error, { waitsForSpace: false });
    }
  });
}

async function endOf(
  context: WorkContext,
  input: RestoreInput,
  result: RestoreResult,
  isServer: boolean,
): Promise<WorkEnd> {
  for (const problem of result.problems) {
    context.log('client', 'warning', `${problem.path}: ${problem.reason}`);
  }
  const isImage = context.task.resource_type === 'Block device';
  const [first] = result.problems;
  // Of these nothing is useful but the whole.
  if (first !== undefined && (isServer || (isImage && result.filesRestored === 0))) {
    const what = isServer ? 'The data directory' : 'The image';
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
  if (isServer) {
    const refused = await checkDataDirectory(context, dataDirectoryOf(context.task.resource ?? '', input));
    if (refused !== null) return refused;
  }
  return { kind: 'done', skippedItems: result.problemsTotal, transferredBytes: result.bytesRestored };
}
