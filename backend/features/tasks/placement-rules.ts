/** A storage that a copy could go to. `freeBytes` is null when it cannot be reached. */
export interface PlacementCandidate {
  readonly id: number;
  readonly path: string;
  readonly freeBytes: number | null;
  readonly copies: number;
}

export type Spread = 'sequential' | 'round_robin' | 'most_free';

export type Placement =
  | { readonly kind: 'storage'; readonly storage: PlacementCandidate }
  | { readonly kind: 'refused'; readonly reason: string };

/** Below this a storage counts as full: a copy needs room for its file list at least. */
export const leastFreeBytes = 4 * 1024 * 1024;

/**
 * Where in its pool a new copy goes: the first storage with room, the one with the fewest copies, or the one with
 * the most room. Pure.
 */
export function placeCopy(
  poolName: string,
  candidates: readonly PlacementCandidate[],
  spread: Spread,
  ignoresFreeSpace: boolean,
): Placement {
  if (candidates.length === 0) {
    return { kind: 'refused', reason: `The pool ${poolName} has no storage. Add a storage to it.` };
  }
  const reachable = candidates.filter((candidate) => candidate.freeBytes !== null);
  if (reachable.length === 0) {
    return { kind: 'refused', reason: `No storage of the pool ${poolName} can be reached.` };
  }
  const roomy = reachable.filter((candidate) => (candidate.freeBytes ?? 0) >= leastFreeBytes);
  const usable = roomy.length > 0 || !ignoresFreeSpace ? roomy : reachable;
  const [first] = [...usable].sort(orders[spread]);
  if (first === undefined) {
    return {
      kind: 'refused',
      reason: `The storages of the pool ${poolName} are full. Free space or add a storage.`,
    };
  }
  return { kind: 'storage', storage: first };
}

const orders: { readonly [S in Spread]: (a: PlacementCandidate, b: PlacementCandidate) => number } = {
  sequential: (a, b) => a.id - b.id,
  round_robin: (a, b) => a.copies - b.copies || a.id - b.id,
  most_free: (a, b) => (b.freeBytes ?? 0) - (a.freeBytes ?? 0) || a.id - b.id,
};
