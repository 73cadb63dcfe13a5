import { type RefObject, useEffect, useState } from 'react';

const gapPx = 8;

/** How many tiles of this width stand beside each other in an element. */
export function useColumns(element: RefObject<HTMLElement | null>, tilePx: number): number {
  const [columns, setColumns] = useState(4);
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const measure = () => {
      const fitting = Math.floor((current.offsetWidth + gapPx) / (tilePx + gapPx));
      setColumns(Math.max(1, fitting));
    };
    measure();
    if (typeof ResizeObserver === 'undefined') return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element, tilePx]);
  return columns;
}
