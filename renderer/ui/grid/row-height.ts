import { useSyncExternalStore } from 'react';

/** The height of a row that the chosen density gives, in pixels; drawn again when it changes. */
export function useRowHeight(): number {
  return useSyncExternalStore(watchDensity, rowHeight);
}

function watchDensity(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-density'] });
  return () => observer.disconnect();
}

/** By density: to ask for a style makes the browser reckon all of them, and a table asks at every drawing. */
const known = new Map<string | undefined, number>();

function rowHeight(): number {
  const { density } = document.documentElement.dataset;
  const before = known.get(density);
  if (before !== undefined) return before;
  const text = getComputedStyle(document.documentElement).getPropertyValue('--row');
  const heightPx = Number.parseInt(text, 10);
  // Before the styles are there it is only a guess.
  if (Number.isNaN(heightPx)) return 28;
  known.set(density, heightPx);
  return heightPx;
}
