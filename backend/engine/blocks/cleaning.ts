import { DeviceError } from '../device-error.ts';
import type { BlockStore } from './block-store.ts';
import { NO_PLACE } from './hash-index.ts';
import { LiveMarks } from './live-marks.ts';
import { ENTRY_HASH_AT, entryBytes, readEntry } from './segment-format.ts';

export interface CleaningResult {
  readonly freedSegments: number;
  readonly freedBytes: number;
  readonly copiedBlocks: number;
  readonly droppedBlocks: number;
  /** Hashes that were said to be live and are not in the store: copies that use them are damaged. */
  readonly missingBlocks: number;
  /** Live blocks that could not be read; their segments are left as they are. */
  readonly damagedBlocks: number;
}

/** Segments of which no more than this part lives are emptied. */
const MOST_LIVE = 0.5;
/** So much is copied in one step, so that a backup that waits for its turn does not wait long. */
const STEP_BYTES = 16_777_216;

interface Emptying {
  readonly segment: number;
  readonly entries: Buffer;
  readonly count: number;
  next: number;
  damaged: number;
}

/**
 * Mark and sweep. Begin, then mark everything that the catalogue uses (read after the beginning), then step until it gives
 * false. Backups may run between all these calls: what they put or are told is there stays. What a kill leaves is a store as
 * good as before, in which freed segments are free; the next cleaning goes on.
 */
export class Cleaning {
  readonly #store: BlockStore;
  readonly #marks: LiveMarks;
  readonly #endSession: () => void;
  #victims: number[] | null = null;
  #current: Emptying | null = null;
  #result = {
    freedSegments: 0,
    freedBytes: 0,
    copiedBlocks: 0,
    droppedBlocks: 0,
    missingBlocks: 0,
    damagedBlocks: 0,
  };

  constructor(store: BlockStore) {
    this.#store = store;
    this.#marks = new LiveMarks(store.layout.geometry.recordsPerSegment);
    this.#endSession = store.openSession();
  }

  get result(): CleaningResult {
    return this.#result;
  }

  mark(hashes: Iterable<Buffer>): void {
    for (const hash of hashes) {
      const place = this.#store.find(hash);
      if (place === NO_PLACE) this.#result.missingBlocks += 1;
      else this.#marks.add(place);
    }
  }

  /** Copies a little, or frees a segment; false when nothing is left to do. */
  step(): boolean {
    this.#victims ??= this.#chooseVictims();
    this.#current ??= this.#begin(this.#victims.pop());
    if (this.#current === null) return false;
    if (this.#emptyOn(this.#current)) this.#current = null;
    return true;
  }

  close(): void {
    this.#endSession();
  }

  /** Those with the fewest live bytes come last, to be emptied first. */
  #chooseVictims(): number[] {
    const { table, writer } = this.#store;
    const candidates: { readonly segment: number; readonly live: number }[] = [];
    for (const segment of table.inOrder()) {
      if (segment === writer.segment) continue;
      const live = this.#liveShare(segment);
      if (live <= MOST_LIVE) candidates.push({ segment, live });
    }
    return candidates.sort((one, other) => other.live - one.live).map(({ segment }) => segment);
  }

  #liveShare(segment: number): number {
    const { geometry, hashBytes } = this.#store.layout;
    const { entries, count } = this.#store.recordsOf(segment);
    let live = 0;
    for (let number = 0; number < count; number += 1) {
      if (this.#isLive(segment, number))
        live += readEntry(entries, number * entryBytes(hashBytes)).storedBytes;
    }
    return live / geometry.segmentBytes;
  }

  #isLive(segment: number, number: number): boolean {
    const place = this.#store.lookup.placeOf(segment, number);
    return this.#marks.has(place) || this.#store.isTouched(place);
  }

  #begin(segment: number | undefined): Emptying | null {
    if (segment === undefined) return null;
    return { segment, ...this.#store.recordsOf(segment), next: 0, damaged: 0 };
  }

  /** True when the segment is done with. */
  #emptyOn(current: Emptying): boolean {
    const { segment, entries, count } = current;
    const { index, lookup, layout } = this.#store;
    const size = entryBytes(layout.hashBytes);
    let copied = 0;
    for (; current.next < count && copied < STEP_BYTES; current.next += 1) {
      const entry = entries.subarray(current.next * size, (current.next + 1) * size);
      const hash = entry.subarray(ENTRY_HASH_AT);
      const place = lookup.placeOf(segment, current.next);
      if (this.#isLive(segment, current.next)) {
        copied += readEntry(entry, 0).storedBytes;
        current.damaged += this.#copyForward(hash, place) ? 0 : 1;
      } else if (index.remove(hash, 0, place)) this.#result.droppedBlocks += 1;
    }
    if (current.next < count) return false;
    this.#result.damagedBlocks += current.damaged;
    if (current.damaged === 0) this.#free(segment);
    return true;
  }

  #free(segment: number): void {
    this.#store.sync();
    this.#store.release(segment);
    this.#marks.dropSegment(segment);
    this.#result.freedSegments += 1;
    this.#result.freedBytes += this.#store.layout.geometry.segmentBytes;
  }

  /** False when the block cannot be read. */
  #copyForward(hash: Buffer, place: number): boolean {
    const address = this.#store.lookup.address(place);
    // Forgotten meanwhile, or stored anew elsewhere.
    if (address === null || this.#store.find(hash) !== place) return true;
    try {
      const stored = this.#store.reading.stored(hash, address);
      this.#marks.add(this.#store.move(hash, stored, address, place));
      this.#result.copiedBlocks += 1;
      return true;
    } catch (error) {
      if (error instanceof DeviceError && error.kind === 'corrupt') return false;
      throw error;
    }
  }
}

/** All of a cleaning at once. `live` is read after the cleaning began. */
export function cleanBlockStore(store: BlockStore, live: Iterable<Buffer>): CleaningResult {
  const cleaning = new Cleaning(store);
  try {
    cleaning.mark(live);
    while (cleaning.step());
    return cleaning.result;
  } finally {
    cleaning.close();
  }
}
