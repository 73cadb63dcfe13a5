/** A storage that a copy could go to. Sizes are null when it cannot be reached. */
export interface PlacementCandidate {
  readonly id: number;
  readonly path: string;
  readonly freeBytes: number | null;
  readonly totalBytes: number | null;
  readonly copies: number;
}

export type Spread = 'sequential' | 'round_robin' | 'most_free';

export interface PlacementWishes {
  readonly spread: Spread;
  /** The pool's: a full storage is taken too. */
  readonly ignoresFreeSpace: boolean;
  /** Part of a storage that is kept free as long as another one has more. */
  readonly reservePercent: number;
  /** What the copy is known to need, as far as anybody knows; a storage with less is taken only when all have less. */
  readonly neededBytes: number;
}

export type Placement =
  | {
      readonly kind: 'storage';
      readonly storage: PlacementCandidate;
      /** Every storage with room has less than the reserve. */
      readonly isReserveUsed: boolean;
      /** Even the chosen storage has less room than is needed. */
      readonly isTooSmall: boolean;
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** Below this a storage counts as full: a copy needs room for its file list at least. */
export const leastFreeBytes = 4 * 1024 * 1024;

/**
 * Where in its pool a new copy goes: the first storage with room, the one with the fewest copies, or the one with
 * the most room; one that has less than the reserve only when all have. Pure.
 */
export function placeCopy(
  poolName: string,
  candidates: readonly PlacementCandidate[],
  wishes: PlacementWishes,
): Placement {
  if (candidates.length === 0) {
    return { kind: 'refused', reason: `The pool ${poolName} has no storage. Add a storage to it.` };
  }
  const reachable = candidates.filter((candidate) => candidate.freeBytes !== null);
  if (reachable.length === 0) {
    return { kind: 'refused', reason: `No storage of the pool ${poolName} can be reached.` };
  }
  const roomy = reachable.filter((candidate) => (candidate.freeBytes ?? 0) >= leastFreeBytes);
  const usable = roomy.length > 0 || !wishes.ignoresFreeSpace ? roomy : reachable;
  const large = usable.filter((candidate) => (candidate.freeBytes ?? 0) >= wishes.neededBytes);
  const isTooSmall = large.length === 0;
  const fitting = isTooSmall ? usable : large;
  const above = fitting.filter((candidate) => !isReserveReached(candidate, wishes.reservePercent));
  const [first] = [...(above.length > 0 ? above : fitting)].sort(orders[wishes.spread]);
  if (first === undefined) {
    return {
      kind: 'refused',
      reason: `The storages of the pool ${poolName} are full. Free space or add a storage.`,
    };
  }
  return { kind: 'storage', storage: first, isReserveUsed: above.length === 0, isTooSmall };
}

/** Less of it is free than the reserve. Pure. */
export function isReserveReached(
  space: { readonly freeBytes: number | null; readonly totalBytes: number | null },
  reservePercent: number,
): boolean {
  if (space.freeBytes === null || space.totalBytes === null) return false;
  return space.freeBytes < (space.totalBytes * reservePercent) / 100;
}

const orders: { readonly [S in Spread]: (a: PlacementCandidate, b: PlacementCandidate) => number } = {
  sequential: (a, b) => a.id - b.id,
  round_robin: (a, b) => a.copies - b.copies || a.id - b.id,
  most_free: (a, b) => (b.freeBytes ?? 0) - (a.freeBytes ?? 0) || a.id - b.id,
};
