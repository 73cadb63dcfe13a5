import fs from 'node:fs';
import { atCalls } from '../../platform/at-calls.ts';
import type { ByteString } from '../../platform/byte-path.ts';
import type { Control } from '../job/control.ts';
import { isOwnSnapshot } from '../snapshot/snapshot-name.ts';
import { type MetFolder, whyNotEntered } from './entered.ts';
import { ExcludedItems } from './excluded-items.ts';
import type { LookInto, LookWriter } from './look-ring.ts';
import { Place } from './place.ts';
import { itemStat, shownDevice } from './source-item.ts';

const { S_IFMT, S_IFDIR } = fs.constants;

interface Level {
  readonly place: Place;
  readonly device: bigint;
  readonly subfolders: readonly MetFolder[];
  next: number;
}

/** What the reader will enter, as far as that can be told beforehand. */
export interface LookScope {
  /** Absolute, without a link in it. */
  readonly source: ByteString;
  readonly excludedKeys: readonly string[];
  readonly isSnapshot: boolean;
}

/**
 * Walks the resource as the reader does, and tells it what it will meet. Nothing depends on that: what cannot be looked at here,
 * or is not entered, the reader meets itself, with the same error, and notes it.
 */
export class LookAhead {
  readonly #to: LookWriter;
  readonly #control: Control;
  readonly #scope: LookScope;
  readonly #excluded: ExcludedItems;

  constructor(to: LookWriter, control: Control, scope: LookScope) {
    this.#to = to;
    this.#control = control;
    this.#scope = scope;
    this.#excluded = new ExcludedItems(scope.excludedKeys);
  }

  /** To the end, or until nobody reads any more. */
  run(): void {
    const { lookInto } = atCalls();
    if (lookInto !== null) this.#walk(lookInto);
    this.#to.put('over', '', 0);
    this.#to.flush();
  }

  #walk(lookInto: LookInto): void {
    const stack: Level[] = [];
    try {
      this.#enter(() => Place.top(this.#scope.source, ''), null, stack, lookInto);
      while (this.#to.isWanted) {
        const level = stack.at(-1);
        if (level === undefined) return;
        const child = level.subfolders[level.next];
        if (child === undefined) {
          level.place.close();
          stack.pop();
          continue;
        }
        level.next += 1;
        if (whyNotEntered(level.place, child, level.device, this.#scope.isSnapshot) === null)
          this.#enter(() => level.place.enter(child.name), child, stack, lookInto);
      }
    } finally {
      for (const { place } of stack) place.close();
    }
  }

  #enter(open: () => Place, folder: MetFolder | null, stack: Level[], lookInto: LookInto): void {
    const place = placeOf(open);
    if (place === null) return;
    const subfolders: MetFolder[] = [];
    // There before anything can fail: whatever is on the stack is closed.
    stack.push({ place, device: folder?.device ?? deviceOf(place.key), subfolders, next: 0 });
    const names = namesOf(place);
    this.#to.put(names === null ? 'unlisted' : 'folder', `${place.key}/${folder?.name ?? ''}`, place.depth);
    for (const name of names ?? []) {
      this.#control.check();
      if (!this.#to.isWanted) break;
      this.#child(place, name, subfolders, lookInto);
    }
    if (names !== null) this.#to.put('end', '', place.depth);
  }

  #child(place: Place, name: ByteString, subfolders: MetFolder[], lookInto: LookInto): void {
    const { look } = this.#to;
    try {
      const folder = place.descriptor();
      this.#to.child(folder, name, lookInto);
    } catch {
      this.#to.put('unseen', name, place.depth);
      return;
    }
    if ((look.mode & S_IFMT) !== S_IFDIR) return;
    const stat = itemStat(look);
    if (this.#excluded.has(stat) || isOwnSnapshot(name, stat.inode)) return;
    subfolders.push({ name, device: stat.device, inode: stat.inode });
  }
}

function placeOf(open: () => Place): Place | null {
  try {
    return open();
  } catch {
    return null;
  }
}

function namesOf(place: Place): readonly ByteString[] | null {
  try {
    return place.names();
  } catch {
    return null;
  }
}

/** As items in the folder tell it. */
function deviceOf(key: string): bigint {
  return shownDevice(BigInt(key.slice(0, key.indexOf(':'))));
}
