import type { EventAction, EventKind } from '../../contract/events/events.ts';

/** An object changed; told after the change is committed. */
export interface Change {
  readonly kind: EventKind;
  readonly action: EventAction;
  /** `null`: several objects of the kind, read the list again. */
  readonly id: number | null;
  /** For listeners that are limited to own client groups; missing = everybody may know. */
  readonly clientGroupId?: number | null;
}

export type Announce = (change: Change) => void;

export interface Announcements {
  readonly announce: Announce;
  /** Calls `listener` for every change from now on; answers how to stop that. */
  listen(listener: (change: Change) => void): () => void;
}

/** Between the features that change things and those that tell of it (the event stream). */
export function createAnnouncements(): Announcements {
  const listeners = new Set<(change: Change) => void>();
  return {
    announce: (change) => {
      for (const listener of listeners) listener(change);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
