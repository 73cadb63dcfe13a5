import type { Log } from '../../platform/log.ts';

/** An expired copy that is not removed, and the rule that keeps it. */
export interface KeptCopy {
  readonly id: number;
  readonly reason: string;
}

const dayMs = 86_400_000;
/** So that a line of the log stays readable. */
const mostNamed = 20;

/**
 * Warns of expired copies that stay: at once when one becomes overdue, then once in every period of
 * `obsoleted_backup_notification_period` days (0 = never).
 */
export function createOverdueReminder(deps: { readonly log: Log }) {
  let warnedMs: number | null = null;
  let known: ReadonlySet<number> = new Set();

  return (kept: readonly KeptCopy[], periodDays: number, nowMs: number): void => {
    const isNew = kept.some(({ id }) => !known.has(id));
    // A clock that went back counts from where it is now.
    const isDue = warnedMs === null || Math.abs(nowMs - warnedMs) >= periodDays * dayMs;
    known = new Set(kept.map(({ id }) => id));
    if (kept.length === 0 || periodDays === 0 || !(isNew || isDue)) return;
    warnedMs = nowMs;
    deps.log.warn('expired copies are still kept', {
      total: kept.length,
      copies: kept.slice(0, mostNamed).map(({ id, reason }) => ({ copy: id, reason })),
    });
  };
}
