import { useState } from 'react';

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
