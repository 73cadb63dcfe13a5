import { useState } from 'react';

/** What had the focus last, menus aside: their items are gone when the dialog that one of them opened is closed. */
let last: HTMLElement | null = null;

// Words and lists of the window are read outside of a window too.
if (typeof document !== 'undefined') {
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target.closest('[role="menu"]') === null) last = target;
  });
}

/**
 * For what lies over the page: where the focus goes when it is closed. That is where it came from; if that is gone
 * meanwhile, the table or tree in front. A field that takes the focus as it is drawn is not taken for it.
 */
export function useFocusBack(): (event: { readonly preventDefault: () => void }) => void {
  const [before] = useState(() => last);
  return (event) => {
    event.preventDefault();
    const open = document.querySelector('[role="dialog"]');
    // Another dialog, opened meanwhile, has the focus already.
    if (open !== null && !open.contains(before)) return;
    const list = document.querySelector<HTMLElement>('main [role="grid"], main [role="tree"]');
    (before?.isConnected ? before : list)?.focus();
  };
}
