import type { ItemLook } from '../../platform/at-calls.ts';
import type { ByteString } from '../../platform/byte-path.ts';
import { errorCode } from '../../platform/native.ts';
import type { Control } from '../job/control.ts';
import type { LookReader } from './look-ring.ts';
import type { Place } from './place.ts';

/** The children of a folder in the order of the bytes of their names, one after the other. */
export interface Children {
  /** Null after the last one. */
  readonly next: () => ByteString | null;
  /** What was seen of it ahead, valid until `next`; null: it is to be looked at. */
  readonly look: ItemLook | null;
}

/** Throws what the system says of a folder that cannot be listed. */
export function listedChildren(place: Place): Children {
  const names = place.names();
  let index = 0;
  return { next: () => names[index++] ?? null, look: null };
}

export const noChildren: Children = { next: () => null, look: null };

/** What the system says of a name that is another item now, or none. */
const OUTDATED: ReadonlySet<string> = new Set([
  'ESTALE',
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENXIO',
  'EINVAL',
]);

/** What was seen of an item ahead is not so any more. */
export function isOutdated(error: unknown): boolean {
  return OUTDATED.has(errorCode(error));
}

/** What the look-ahead thread has found, for folders that are entered in its order. */
export class ChildrenAhead implements Children {
  readonly #ring: LookReader;
  readonly #control: Control;
  #place: Place | null = null;
  look: ItemLook | null = null;
  #isFresh = false;

  constructor(ring: LookReader, control: Control) {
    this.#ring = ring;
    this.#control = control;
  }

  /**
   * Of this folder, valid until another one is entered; null when it was not listed ahead. Both go through the tree in one order,
   * so what comes before the folder there was not entered here, and what comes after it tells that it is not there.
   */
  of(place: Place): Children | null {
    this.#place = place;
    for (;;) {
      const kind = this.#kind();
      if (kind === 'over') return null;
      if (kind !== 'folder' && kind !== 'unlisted') {
        this.#ring.pass();
        continue;
      }
      const order = this.#order(place);
      if (order > 0) return null;
      const isIt = order === 0 && kind === 'folder' && this.#key() === place.key;
      this.#ring.pass();
      if (isIt) {
        this.#isFresh = true;
        return this;
      }
      if (order === 0) return null;
    }
  }

  readonly next = (): ByteString | null => {
    // The record of a child is there until the next one is asked for.
    if (this.#isFresh) this.#isFresh = false;
    else this.#ring.pass();
    const kind = this.#kind();
    if (kind === 'child' || kind === 'unseen') {
      this.look = kind === 'child' ? this.#ring.look : null;
      return this.#ring.text(kind);
    }
    this.look = null;
    return null;
  };

  close(): void {
    this.#ring.close();
  }

  /** Who waits long waits for the file system: whoever watches the job is told where. */
  #kind() {
    return this.#ring.kind(() => {
      if (this.#place !== null) this.#control.setPath(this.#place.full);
    });
  }

  /** Of the folder that is told next and this one; below 0: it comes before. */
  #order({ depth, name }: Place): number {
    const told = this.#ring.depth;
    if (told !== depth) return told > depth ? -1 : 1;
    if (depth === 0) return 0;
    const text = this.#ring.text('folder');
    const its = text.slice(text.indexOf('/') + 1);
    if (its === name) return 0;
    return its < name ? -1 : 1;
  }

  #key(): string {
    const text = this.#ring.text('folder');
    return text.slice(0, text.indexOf('/'));
  }
}
