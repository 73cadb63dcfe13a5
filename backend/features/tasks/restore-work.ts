import { startRestore } from '../../engine/index.ts';
import type { Work } from '../../jobs/index.ts';
import type { BlockPoolService } from '../block-pools/block-pool-service.ts';
import { counted } from '../bulk.ts';
import type { ClientKeys } from '../client-keys.ts';
import type { CopyService, RestoreInput } from '../repository/copy-service.ts';
import type { TapeCopyService } from '../tape-libraries/tape-copy-service.ts';
import { onBlocks } from './copy-source.ts';
import { endFor, firstBytes, follow, trafficOf } from './engine-bridge.ts';
import type { createPlacementStore } from './placement-store.ts';
import type { TrafficLimits } from './traffic-limits.ts';

export interface RestoreWorkDeps {
  readonly copies: CopyService;
  readonly tapes: TapeCopyService;
  readonly places: ReturnType<typeof createPlacementStore>;
  readonly dataDir: string;
  readonly traffic: TrafficLimits;
  readonly keys: ClientKeys;
  readonly blockPools: BlockPoolService;
}

/** Brings a copy, or parts of it, back to a folder of this host. */
export function createRestoreWork(deps: RestoreWorkDeps): Work {
  const { places, dataDir, traffic, keys } = deps;
  return onBlocks(deps, async (context, copy, blocks) => {
    const { task } = context;
    const input = JSON.parse(task.input ?? '{}') as RestoreInput;
    await context.moveTo('at_client');
    try {
      const key = await keys.demand(copy);
      const forbidden = [dataDir, ...(await places.allStoragePaths())];
      const job = await traffic.limited(trafficOf(context, 'restore'), () =>
        startRestore({
          storagePath: copy.storagePath,
          copyId: copy.uuid,
          destination: input.destination,
          deployInto: input.deployInto,
          selection: input.selection,
          onExisting: 'replace',
          forbidden,
          key,
          chain: copy.chain,
          blocks,
          ...(input.newName === null ? {} : { newName: input.newName }),
        }),
      );
      const moved = context
        .moveTo('transmission')
        .then(() => firstBytes(job))
        .then(() => context.moveTo('execution'));
      // A task that is over fails here and at the job; the job's failure is the one that is looked at.
      moved.catch(() => job.stop());
      const result = await follow(context, job, 'client');
      await moved;
      for (const problem of result.problems) {
        context.log('client', 'warning', `${problem.path}: ${problem.reason}`);
      }
      await context.moveTo('at_server');
      const extent = `${counted(result.filesRestored, 'item')}, ${counted(result.bytesRestored, 'byte')}`;
      const rest =
        result.problemsTotal === 0 ? '' : `; ${result.problemsTotal} items with problems, listed above`;
      context.log('client', 'info', `Restored to ${input.destination}: ${extent}${rest}.`);
      return { kind: 'done', skippedItems: result.problemsTotal, transferredBytes: result.bytesRestored };
    } catch (error) {
      return endFor(error, { waitsForSpace: false });
    }
  });
}
