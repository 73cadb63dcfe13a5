import { type Candidate, candidates, isDoubtful } from './cartridge-rules.ts';
import type { Cartridge } from './tape-store.ts';

/** The media set, named by a person, to which the copies of a pool go. */
export interface WrittenSet {
  readonly name: string;
  /** Where it has no room, an empty cartridge without a set is taken and joins it. */
  readonly takesScratch: boolean;
}

/** Belongs to no set, and holds nothing that anybody knows of. */
const isScratch = ({ mediaSet, copies, openParts }: Cartridge): boolean =>
  mediaSet === null && copies === 0 && openParts === 0;

/**
 * Cartridges that may take data of a pool with this set, best first: those of the set, then, where that may be, such without one; at the
 * end of all those which a person has to see to first. Without a set, any. Pure.
 */
export function candidatesOf(set: WrittenSet | null, cartridges: readonly Cartridge[]): readonly Candidate[] {
  if (set === null) return candidates(cartridges);
  const own = candidates(cartridges.filter(({ mediaSet }) => mediaSet === set.name));
  const scratch = set.takesScratch ? candidates(cartridges.filter(isScratch)) : [];
  const all = [...own, ...scratch];
  return [...all.filter((one) => !isDoubtful(one)), ...all.filter(isDoubtful)];
}

/** Of the cartridges of a pool, those that this set is about, wherever they are. Pure. */
export function cartridgesOf(set: WrittenSet | null, cartridges: readonly Cartridge[]): readonly Cartridge[] {
  if (set === null) return cartridges;
  return cartridges.filter((one) => one.mediaSet === set.name || (set.takesScratch && one.mediaSet === null));
}

/** What more a person can do when no cartridge of the set takes the rest: empty for a pool without a set. Pure. */
export function whatToAssign(set: WrittenSet | null, cartridges: readonly Cartridge[]): string {
  if (set === null) return '';
  if (set.takesScratch) return ` Or take another cartridge into the media set ${set.name}.`;
  const free = candidates(cartridges.filter(isScratch)).map(({ cartridge }) => cartridge.barcode);
  const named = free.slice(0, 10).join(', ');
  const which = free.length === 0 ? 'no cartridge without a set has room' : `without a set are ${named}`;
  return ` Or put another cartridge into the media set ${set.name} (${which}), or let the pool take cartridges without a set.`;
}
