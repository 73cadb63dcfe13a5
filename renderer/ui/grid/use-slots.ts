import { useState } from 'react';
import type { RowsInView } from './rows-in-view.ts';

const fewest = 32;
/** Few more than are in view, so that a leap fills nearly all of them; not one by one while a window is drawn higher. */
const step = 8;

/**
 * How many elements a table has for its rows, at least as many as are in view. The row at `index` is drawn in element `index % slots`: what
 * scrolls out on one side is filled anew on the other, and a row that arrives fills the one that stood empty for it. To throw
 * elements away and make others takes several times as long.
 */
export function useSlots(inView: number): number {
  const [slots, setSlots] = useState(fewest);
  if (inView <= slots) return slots;
  const more = Math.ceil(inView / step) * step;
  setSlots(more);
  return more;
}

export interface FilledSlot {
  readonly slot: number;
  /** Of the row that it draws, and where row 0 begins then. */
  readonly index: number;
  readonly startPx: number;
  readonly isSeen: boolean;
  /** The row of its cells that cannot be seen; null: they were not drawn yet. */
  readonly restIndex: number | null;
}

/**
 * What each element draws: the rows that are seen as they are `now`, the others as they were when there was time for the `rest`, in the order that they
 * had then, since moving an element costs as much as filling it.
 */
export function fillSlots(view: {
  readonly now: RowsInView;
  readonly rest: RowsInView;
  readonly slots: number;
  readonly count: number;
}): readonly FilledSlot[] {
  const { now, rest, slots, count } = view;
  const filled = new Map<number, FilledSlot>();
  for (let index = rest.first; index <= Math.min(rest.last, count - 1); index += 1) {
    const slot = index % slots;
    filled.set(slot, { slot, index, startPx: rest.startPx, isSeen: false, restIndex: index });
  }
  for (let index = now.firstSeen; index <= Math.min(now.lastSeen, count - 1); index += 1) {
    const slot = index % slots;
    const restIndex = filled.get(slot)?.restIndex ?? null;
    filled.set(slot, { slot, index, startPx: now.startPx, isSeen: true, restIndex });
  }
  return [...filled.values()];
}
