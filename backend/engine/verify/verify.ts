import type { StoreThread } from '../blocks/index.ts';
import type { ChainPlace } from '../chain/links.ts';
import type { ClientKey } from '../crypto/client-key.ts';
import { type EngineJob, startJob } from '../job/engine-job.ts';
import type { MemoryLimit } from '../job/memory-plan.ts';
import { runWorkers } from '../job/worker-group.ts';
import { verifierWorkers } from './verifier-workers.ts';
import { verifyResult } from './verify-result.ts';

export interface VerifyRequest {
  readonly storagePath: string;
  readonly copyId: string;
  /** The client's key, for an encrypted copy. Without it only its stored bytes are checked, and a warning says so. */
  readonly key?: ClientKey | null;
  /** Where the copies lie on which this one builds; those that are not named are looked for in the same storage. */
  readonly chain?: readonly ChainPlace[];
  /** The store that holds the blocks of the copy; missing for a copy with an archive of its own. */
  readonly blocks?: StoreThread | null;
  /** Of a copy with blocks, only the file list is read, and whether its blocks are there. */
  readonly isMetadataOnly?: boolean;
  /** What it takes from earlier copies is read too; without it only whether it is there is looked at. */
  readonly isHeldRead?: boolean;
  /** Missing: as much as it takes. */
  readonly memory?: MemoryLimit | null;
}

/** One thing that is wrong, what is lost by it, and what to do. */
export interface Finding {
  readonly severity: 'warning' | 'error';
  /** Display form of a path, or the part of the copy that is damaged. */
  readonly item: string;
  readonly message: string;
  readonly nextStep: string;
}

export interface VerifyResult {
  /** `suspicious`: bytes are there but differ. `broken`: bytes are missing. */
  readonly status: 'trusted' | 'suspicious' | 'broken';
  /** Bytes read from the storage. */
  readonly bytesRead: number;
  /** The first 1,000. */
  readonly findings: readonly Finding[];
  readonly findingsTotal: number;
}

/**
 * Reads every byte of a copy and compares it with what was recorded when it was made. Of the copies that it builds on it
 * is seen that they are there, with what is taken from them, and on demand that it is right. Changes nothing.
 */
export function startVerify(request: VerifyRequest): EngineJob<VerifyResult> {
  return startJob(async (control, log) => {
    return verifyResult(await runWorkers(control, await verifierWorkers(control, request), log));
  });
}
