import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';
import { type RowsInView, rowsInView, topToShow } from './rows-in-view.ts';

/** So that a table that is scrolled sideways is drawn again now and then only. */
const reachStepPx = 128;

interface Rows {
  readonly inView: RowsInView;
  /** As far to the right as can be seen, or a little further; from the left edge of the body. */
  readonly reachPx: number;
  readonly scrollTo: (index: number) => void;
}

/**
 * The rows of a scrolled table that can be seen. `scroll` holds a header that stays at its top and, below it, the body; drawn again only when
 * other rows come into view.
 */
export function useRows(
  scroll: RefObject<HTMLDivElement | null>,
  { count, rowPx }: { readonly count: number; readonly rowPx: number },
): Rows {
  const [inView, setInView] = useState(() => rowsInView({ count, rowPx, topPx: 0, heightPx: 0 }));
  const [reachPx, setReachPx] = useState(0);
  useLayoutEffect(() => {
    const element = scroll.current;
    if (element === null) return undefined;
    const look = () => {
      element.toggleAttribute('data-sideways', element.scrollLeft > 0);
      const now = rowsInView({ count, rowPx, ...placeOf(element) });
      setInView((before) => (isSame(before, now) ? before : now));
      setReachPx(Math.ceil((element.scrollLeft + element.clientWidth) / reachStepPx) * reachStepPx);
    };
    look();
    element.addEventListener('scroll', look, { passive: true });
    const sizes = typeof ResizeObserver === 'undefined' ? null : new ResizeObserver(look);
    sizes?.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      sizes?.disconnect();
    };
  }, [scroll, count, rowPx]);
  const scrollTo = useCallback(
    (index: number) => {
      const element = scroll.current;
      if (element === null) return;
      const place = placeOf(element);
      const top = topToShow(index, { count, rowPx, ...place });
      if (top !== place.topPx) element.scrollTo({ top });
    },
    [scroll, count, rowPx],
  );
  return { inView, reachPx, scrollTo };
}

/** The header covers what lies under it. */
function placeOf(element: HTMLDivElement): { readonly topPx: number; readonly heightPx: number } {
  const header = element.firstElementChild?.getBoundingClientRect().height ?? 0;
  return { topPx: element.scrollTop, heightPx: Math.max(0, element.clientHeight - header) };
}

function isSame(one: RowsInView, other: RowsInView): boolean {
  return (
    one.first === other.first &&
    one.last === other.last &&
    one.firstSeen === other.firstSeen &&
    one.lastSeen === other.lastSeen &&
    one.startPx === other.startPx
  );
}
