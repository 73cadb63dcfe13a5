import type { EventAction, EventKind } from '../../contract/events/events.ts';

/** Tells listeners (the event stream) that an object changed. Called after the change is committed. */
export type Announce = (change: {
  readonly kind: EventKind;
  readonly action: EventAction;
  readonly id: number | null;
  /** For listeners that are limited to own client groups; missing = everybody may know. */
  readonly clientGroupId?: number | null;
}) => void;
