/** Where a copy lies: one row for each of its cartridges. */
export interface CopyOnCartridge {
  readonly cartridgeId: number;
  readonly copyUuid: string;
}

/**
 * Cartridges that belong together since copies go on from one to the next: whoever takes one off site takes all, or none of those copies can be
 * restored. By cartridge, each set in the order of the ids; one that stands for itself has none. Pure.
 */
export function mediaSets(places: readonly CopyOnCartridge[]): ReadonlyMap<number, readonly number[]> {
  const ofCopies = new Map<string, Set<number>>();
  for (const { cartridgeId, copyUuid } of places) {
    const ids = ofCopies.get(copyUuid) ?? new Set<number>();
    ofCopies.set(copyUuid, ids.add(cartridgeId));
  }
  const sets = new Map<number, Set<number>>();
  for (const ids of ofCopies.values()) {
    if (ids.size < 2) continue;
    const joined = new Set([...ids].flatMap((id) => [id, ...(sets.get(id) ?? [])]));
    for (const id of joined) sets.set(id, joined);
  }
  const inOrder = new Map([...new Set(sets.values())].map((set) => [set, [...set].sort((a, b) => a - b)]));
  return new Map([...sets].map(([id, set]) => [id, inOrder.get(set) ?? []]));
}
