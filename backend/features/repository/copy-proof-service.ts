import type { FailedProof } from '../../../contract/statistics/statistics.ts';
import type { Db } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { toUtcTime, toWireTime } from '../../platform/wire-time.ts';
import type { Groups } from '../own-clients-store.ts';
import type { CopyAnnouncements } from './copy-announcements.ts';
import { createCopyProofStore, type FailedProofRow, type StoredProofFailure } from './copy-proof-store.ts';
import { createCopyStore } from './copy-store.ts';

export type CopyProofService = ReturnType<typeof createCopyProofService>;

/** What restores of a sample have shown of copies: kept with them, and told. */
export function createCopyProofService(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly tell: CopyAnnouncements;
}) {
  const { clock, log } = deps;
  const store = createCopyProofStore(deps.db);
  const copies = createCopyStore(deps.db);
  const announce = async (id: number): Promise<void> => {
    const copy = await copies.get(id, null);
    if (copy !== null) deps.tell.copy('changed', copy);
  };

  return {
    storeProven: async (
      id: number,
      sample: { readonly files: number; readonly bytes: number },
    ): Promise<void> => {
      if (await store.setProven(id, sample, clock.now())) await announce(id);
    },

    storeFailure: async (id: number, failure: StoredProofFailure): Promise<void> => {
      if (!(await store.setFailure(id, failure, clock.now()))) return;
      log.error('a copy could not be proven restorable', { copy: id, ...failure });
      await announce(id);
    },

    /** Copies whose last proof failed, the newest first. */
    failedProofs: async (groups: Groups): Promise<FailedProof[]> =>
      (await store.failed(groups)).map(failedProof),
  };
}

function failedProof(row: FailedProofRow): FailedProof {
  const { path, reason, taskId } = readProofFailure(row.proof_failure);
  const failedMs = row.proof_failed_ms ?? 0;
  return {
    repository_id: row.id,
    client: row.client_text,
    resource: row.resource,
    strategy: row.strategy_name,
    backup_type: row.backup_type,
    created: toWireTime(row.created_ms),
    time: toWireTime(failedMs),
    utc: toUtcTime(failedMs),
    path,
    reason,
    task_id: taskId,
  };
}

function readProofFailure(json: string | null): StoredProofFailure {
  return JSON.parse(json ?? '{"path":"","reason":"","taskId":null}') as StoredProofFailure;
}
