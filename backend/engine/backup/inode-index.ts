import { setImmediate as turn } from 'node:timers/promises';
import { collectYoungObjects } from '../../platform/collect-garbage.ts';
import type { Entry } from '../archive/entry.ts';
import { DeviceError } from '../device-error.ts';
import type { ManifestReader } from '../manifest/manifest-reader.ts';

/** Half of the places stay empty, so that a look ends soon. */
const PLACES_PER_ROW = 2;

/** Decoded segments are only freed when the event loop turns. */
const ROWS_PER_TURN = 8192;

/** Finds rows by inode: 16 bytes an item, made only when something is met that has no row under its path. */
export class InodeIndex {
  /** Lower 32 bits of the inode; whoever asks compares the rest. */
  readonly #keys: Uint32Array;
  /** Ordinal and 1; 0 is an empty place. */
  readonly #ordinals: Uint32Array;
  readonly #mask: number;

  private constructor(rows: number) {
    const places = 2 ** Math.ceil(Math.log2(Math.max(16, rows * PLACES_PER_ROW)));
    this.#keys = new Uint32Array(places);
    this.#ordinals = new Uint32Array(places);
    this.#mask = places - 1;
  }

  /** Reads all rows once. */
  static async of(reader: ManifestReader): Promise<InodeIndex> {
    const rows = reader.file.segments('rows').reduce((sum, info) => sum + info.count, 0);
    const index = new InodeIndex(rows);
    let seen = 0;
    for (const step of reader.walk()) {
      seen += 1;
      if (seen % ROWS_PER_TURN === 0) {
        await turn();
        collectYoungObjects();
      }
      if (step.kind === 'lost') {
        throw new DeviceError('corrupt', 'A part of the file list of the copy before is damaged.');
      }
      // Folders and links have stamps too, but are looked up by their path only.
      if (step.kind !== 'entry' || step.entry.type !== 'f' || step.entry.stamp === null) continue;
      index.#add(step.entry.stamp.inode, step.entry.ordinal);
    }
    return index;
  }

  /** `check` answers the row when it is the right one. */
  find(inode: bigint, check: (ordinal: number) => Entry | null): Entry | null {
    const key = Number(inode & 0xffffffffn);
    for (let place = this.#placeOf(key); ; place = (place + 1) & this.#mask) {
      const stored = this.#ordinals[place] ?? 0;
      if (stored === 0) return null;
      const found = this.#keys[place] === key ? check(stored - 1) : null;
      if (found !== null) return found;
    }
  }

  #add(inode: bigint, ordinal: number): void {
    const key = Number(inode & 0xffffffffn);
    let place = this.#placeOf(key);
    while (this.#ordinals[place] !== 0) place = (place + 1) & this.#mask;
    this.#keys[place] = key;
    this.#ordinals[place] = ordinal + 1;
  }

  #placeOf(key: number): number {
    return (Math.imul(key, 0x9e3779b1) ^ (key >>> 15)) & this.#mask;
  }
}
