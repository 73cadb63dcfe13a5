import type { BaseCandidate, BaseLink } from './base-rules.ts';
import type { StoredCopy } from './copy-query-store.ts';
import type { CopyStore } from './copy-store.ts';

/** What a copy builds on, oldest first. A copy that is gone is left out; the engine tells that it is missing. */
export async function findPredecessors(store: CopyStore, id: number): Promise<readonly StoredCopy[]> {
  // A copy is registered after what it builds on, so the order of the ids is the order of the chain.
  return store.getMany(await store.predecessors(id), null);
}

interface LinkRow extends BaseLink {
  readonly row: StoredCopy;
}

export async function asCandidate(
  store: CopyStore,
  row: StoredCopy,
): Promise<BaseCandidate & LinkRow & { readonly predecessors: readonly LinkRow[] }> {
  const predecessors = row.reference_id === null ? [] : await findPredecessors(store, row.id);
  return {
    ...asLink(row),
    backupType: row.backup_type,
    usedBy: (await store.tasksOn(row.id)).map((task) => task.task_type),
    predecessors: predecessors.map(asLink),
  };
}

function asLink(row: StoredCopy): LinkRow {
  return { row, status: row.status, storagePath: row.storage_path };
}

export function asChained({ uuid, storage_path: storagePath }: StoredCopy) {
  return storagePath === null ? [] : [{ copyId: uuid, storagePath }];
}
