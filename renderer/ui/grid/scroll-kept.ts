import { type RefObject, useEffect } from 'react';
import type { ListStore } from '../list/list-store.ts';

const settleMs = 250;
/** As long as a pointer that lately moved may be about to click. */
const pointerMs = 1500;

/**
 * Begins where the list was left, tells the list where it is scrolled to, and holds its rows in place while it is
 * scrolled or a pointer is moving over it.
 */
export function useScrollKept<R>(
  list: ListStore<R>,
  scroll: RefObject<HTMLDivElement | null>,
  rowPx: number,
): void {
  useEffect(() => {
    const element = scroll.current;
    if (element === null) return undefined;
    // A removed element is scrolled to nowhere, so the place is noted while it is there.
    let at = list.store.getState().scrollPx;
    element.scrollTop = at;
    list.hold('scroll', at > rowPx);
    let settling: ReturnType<typeof setTimeout> | undefined;
    let pointing: ReturnType<typeof setTimeout> | undefined;
    const keep = () => {
      clearTimeout(settling);
      settling = undefined;
      if (list.store.getState().scrollPx !== at) list.setScroll(at);
    };
    const onScroll = () => {
      at = element.scrollTop;
      list.hold('scroll', at > rowPx);
      clearTimeout(settling);
      settling = setTimeout(keep, settleMs);
    };
    const onPointerGone = () => {
      clearTimeout(pointing);
      list.hold('pointer', false);
    };
    const onPointer = () => {
      list.hold('pointer', true);
      clearTimeout(pointing);
      pointing = setTimeout(onPointerGone, pointerMs);
    };
    // Another search, filter or order is another list: it begins at its top.
    const offQuery = list.store.subscribe((state, before) => {
      if (state.query !== before.query) element.scrollTop = 0;
    });
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('pointermove', onPointer, { passive: true });
    element.addEventListener('pointerleave', onPointerGone);
    return () => {
      offQuery();
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('pointermove', onPointer);
      element.removeEventListener('pointerleave', onPointerGone);
      if (settling !== undefined) keep();
      onPointerGone();
      list.hold('scroll', false);
    };
  }, [list, scroll, rowPx]);
}
