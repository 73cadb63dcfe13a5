import path from 'node:path';
import { workerUrl } from '../../platform/worker-url.ts';
import { noAhead } from '../archive/ahead-workers.ts';
import { blocksInput, portsOf } from '../archive/blocks-input.ts';
import type { StoreThread } from '../blocks/index.ts';
import type { ClientKey } from '../crypto/client-key.ts';
import { unlockCopy } from '../crypto/copy-lock.ts';
import { type EngineJob, startJob } from '../job/engine-job.ts';
import type { MemoryLimit } from '../job/memory-plan.ts';
import { runWorkers } from '../job/worker-group.ts';
import type { ImageRestoreInput } from './image-restore-worker.ts';

export interface ImageRestoreRequest {
  readonly storagePath: string;
  readonly copyId: string;
  /** Absolute path of a block device, or of a plain file that is there. It is opened so that nothing else can claim it. */
  readonly target: string;
  /** The client's key, for an encrypted copy. */
  readonly key?: ClientKey | null;
  /** The store that holds the blocks of the copy; missing for a copy with an archive of its own. */
  readonly blocks?: StoreThread | null;
  /** Missing: as much as it takes. */
  readonly memory?: MemoryLimit | null;
}

export interface ImageRestoreResult {
  /** Size of the image. */
  readonly sizeBytes: number;
  /** Bytes of it that were written; the rest are zeros. */
  readonly writtenBytes: number;
  /** What the target has beyond the image, which stays as it was. */
  readonly leftBytes: number;
}

/**
 * Writes the image of a copy onto a device or over a file. Rejects before anything is written when the copy holds no
 * image, the target is too small or is claimed by something else (`busy`); with damage in the copy it ends at once, and the
 * message says that the target holds a part only.
 */
export function startImageRestore(request: ImageRestoreRequest): EngineJob<ImageRestoreResult> {
  return startJob(async (control, log) => {
    const copyPath = path.join(request.storagePath, request.copyId);
    const secret = await unlockCopy(copyPath, request.key ?? null);
    const input: ImageRestoreInput = {
      control: control.memory,
      copyPath,
      secret,
      target: request.target,
      blocks: blocksInput(request.blocks),
    };
    const transfer = portsOf(input.blocks);
    const url = workerUrl(import.meta.url, 'image-restore-worker');
    const { heapMegabytes } = noAhead(request.memory ?? null);
    const results = await runWorkers(
      control,
      [{ name: 'restorer', url, input, transfer, heapMegabytes }],
      log,
    );
    return results.get('restorer') as ImageRestoreResult;
  });
}
