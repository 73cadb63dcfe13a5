import type { StoredCopy } from './copy-query-store.ts';
import type { CopyStore } from './copy-store.ts';

/** What a copy builds on, oldest first. A copy that is gone is left out; the engine tells that it is missing. */
export async function findPredecessors(store: CopyStore, id: number): Promise<readonly StoredCopy[]> {
  // A copy is registered after what it builds on, so the order of the ids is the order of the chain.
  return store.getMany(await store.predecessors(id), null);
}

export function asChained({ uuid, storage_path: storagePath }: StoredCopy) {
  return storagePath === null ? [] : [{ copyId: uuid, storagePath }];
}
