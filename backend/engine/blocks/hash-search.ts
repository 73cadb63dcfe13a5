import type { EntryLookup } from './entry-lookup.ts';
import { type HashIndex, NO_PLACE, type Place } from './hash-index.ts';

/** Finds blocks by their hashes, and mends what stands in the way. One search after the other: nothing is made for each. */
export class HashSearch {
  readonly #index: HashIndex;
  readonly #lookup: EntryLookup;
  readonly #repair: (segment: number) => boolean;
  #hashes: Buffer = Buffer.alloc(0);
  #at = 0;
  /** The segments in which another hash stands where this one is looked for. */
  #suspects: number[] = [];

  /** `repair`: makes the footer of a segment anew; false when it was good. */
  constructor(index: HashIndex, lookup: EntryLookup, repair: (segment: number) => boolean) {
    this.#index = index;
    this.#lookup = lookup;
    this.#repair = repair;
  }

  /** Where the block with the hash at `at` of `hashes` lies; `NO_PLACE` when it is not known. */
  find(hashes: Buffer, at: number): Place {
    const place = this.#find(hashes, at);
    if (place !== NO_PLACE || this.#suspects.length === 0) return place;
    // The index keeps so much of a hash that another one hardly ever fits: the footer is likely to be damaged.
    const isRepaired = this.#suspects.filter((segment) => this.#repair(segment)).length > 0;
    return isRepaired ? this.#find(hashes, at) : place;
  }

  #find(hashes: Buffer, at: number): Place {
    if (this.#suspects.length > 0) this.#suspects = [];
    this.#hashes = hashes;
    this.#at = at;
    return this.#index.find(hashes, at, this.#isSame);
  }

  readonly #isSame = (place: Place): boolean => {
    const isSame = this.#lookup.isSame(this.#hashes, this.#at, place);
    if (!isSame) this.#suspects.push(this.#lookup.segmentOf(place));
    return isSame;
  };
}
