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

function rowHeight(): number {
  const text = getComputedStyle(document.documentElement).getPropertyValue('--row');
  return Number.parseInt(text, 10) || 28;
}
