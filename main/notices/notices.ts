import type { Notice } from '../../contract/bridge.ts';
import { createSignal } from '../platform/signals.ts';

export interface Notices {
  /** Shows it, or replaces the standing one of the same id. */
  readonly show: (notice: Notice) => void;
  readonly dismiss: (id: string) => void;
  readonly standing: () => readonly Notice[];
  readonly onShow: (listener: (notice: Notice) => void) => () => void;
  readonly onGone: (listener: (id: string) => void) => () => void;
}

const mostStanding = 50;

/** Notices of main stand until they are read or their cause is gone, so a window that was reloaded shows them again. */
export function createNotices(): Notices {
  const standing = new Map<string, Notice>();
  const shown = createSignal<Notice>();
  const gone = createSignal<string>();
  const dismiss = (id: string): void => {
    if (standing.delete(id)) gone.tell(id);
  };
  return {
    show: (notice) => {
      const before = standing.get(notice.id);
      if (before && JSON.stringify(before) === JSON.stringify(notice)) return;
      standing.delete(notice.id);
      standing.set(notice.id, notice);
      const [oldest] = standing.keys();
      if (standing.size > mostStanding && oldest !== undefined) dismiss(oldest);
      shown.tell(notice);
    },
    dismiss,
    standing: () => [...standing.values()],
    onShow: shown.listen,
    onGone: gone.listen,
  };
}
