import { workerUrl } from '../../platform/worker-url.ts';
import type { CleaningResult, StoreThread } from '../blocks/index.ts';
import { DeviceError } from '../device-error.ts';
import { type EngineJob, startJob } from '../job/engine-job.ts';
import { runWorkers } from '../job/worker-group.ts';
import type { LiveBlocksInput, LiveBlocksResult } from './live-blocks-worker.ts';

export interface CleanRequest {
  readonly store: StoreThread;
  /** The folders of all copies that may have blocks in the store. Asked after the cleaning has begun, and again at the end. */
  readonly copyPaths: () => Promise<readonly string[]>;
}

export interface CleanResult extends CleaningResult {
  /** Copies that have blocks in the store. */
  readonly copies: number;
}

/**
 * Frees the blocks that no copy refers to. Backups may run meanwhile. Nothing is freed when the file list of one copy
 * cannot be read: what it refers to is not known.
 */
export function startCleaning({ store, copyPaths }: CleanRequest): EngineJob<CleanResult> {
  return startJob(async (control, log) => {
    await store.call('beginCleaning', null);
    let copies = 0;
    let result: CleaningResult;
    try {
      const link = store.connect();
      const input: LiveBlocksInput = { control: control.memory, link, copyPaths: await copyPaths() };
      const results = await runWorkers(
        control,
        [
          {
            name: 'live blocks',
            url: workerUrl(import.meta.url, 'live-blocks-worker'),
            input,
            transfer: [link.port],
          },
        ],
        log,
      );
      const found = results.get('live blocks') as LiveBlocksResult;
      copies = found.copies;
      await refuseLost(found.gone, copyPaths);
      do {
        if (control.isStopped()) throw new DeviceError('cancelled', 'The cleaning was stopped.');
      } while (await store.call('stepCleaning', null));
    } finally {
      result = await store.call('endCleaning', null);
    }
    return { ...result, copies };
  });
}

/** A copy that was deleted meanwhile is no loss; one that should be there is. */
async function refuseLost(gone: readonly string[], copyPaths: CleanRequest['copyPaths']): Promise<void> {
  if (gone.length === 0) return;
  const known = new Set(await copyPaths());
  const lost = gone.find((path) => known.has(path));
  if (lost === undefined) return;
  throw new DeviceError(
    'notFound',
    `The file list of the copy in ${lost} is not there, so it is not known which blocks it needs. Nothing was cleaned; put the copy back or delete it.`,
  );
}
