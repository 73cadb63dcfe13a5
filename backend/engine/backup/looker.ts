import { availableParallelism } from 'node:os';
import { workerUrl } from '../../platform/worker-url.ts';
import type { Control } from '../job/control.ts';
import type { MemoryLimit } from '../job/memory-plan.ts';
import type { WorkerSpec } from '../job/worker-group.ts';
import { lookMemory } from './look-ring.ts';
import type { LookInput } from './look-worker.ts';

export interface Looker {
  /** What it tells the reader. */
  readonly looks: SharedArrayBuffer;
  readonly spec: WorkerSpec;
}

export interface LookerWish {
  readonly memory: MemoryLimit | null | undefined;
  /** The copy builds on another one. */
  readonly isComparing: boolean;
}

/**
 * Words of memory for what is seen ahead, about 45 an item. Comparing goes on at once; where all is read, what was seen long ago
 * may be another file by then.
 */
const WORDS_OF_CHANGES = 1_048_576;
const WORDS_OF_ALL = 65_536;

/**
 * The thread that looks at the resource ahead of the reader; null when there is to be none. It pays where the reader compares, which
 * is all that the others wait for then. Where all is read, two processors have enough to do (measured: an uncompressed copy took
 * longer with it); of more there is one to spare. A copy that builds on another one needs no counter, so the plan of memory has its share.
 */
export function lookerFor(
  { memory = null, isComparing }: LookerWish,
  control: Control,
  heapMegabytes: number | null,
  of: Omit<LookInput, 'control' | 'looks'>,
): Looker | null {
  // Elsewhere there is no call that tells all of a child at once.
  if (process.platform !== 'linux') return null;
  if (!isComparing && (memory !== null || availableParallelism() < 3)) return null;
  const looks = lookMemory(isComparing ? WORDS_OF_CHANGES : WORDS_OF_ALL);
  const input: LookInput = { ...of, control: control.memory, looks };
  return {
    looks,
    spec: { name: 'looker', url: workerUrl(import.meta.url, 'look-worker'), heapMegabytes, input },
  };
}
