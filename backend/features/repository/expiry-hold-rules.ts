/** What is known of the clock that says which copies have expired. */
export interface ClockFacts {
  /** The latest time that it was believed to show. */
  readonly seenMs: number;
  /** What it showed when the expiry was held up; null while it is believed. */
  readonly heldMs: number | null;
}

/**
 * Longer than a server is away as a rule. A clock that goes on by more between two looks may be wrong (an empty battery,
 * a mistyped year, an attack), and copies that it lets go would be gone for good.
 */
export const mostAheadMs = 90 * 86_400_000;

export function isAhead(known: ClockFacts, nowMs: number): boolean {
  return nowMs - known.seenMs > mostAheadMs;
}

/** A look every minute need not be written every minute. */
export const noteEveryMs = 3_600_000;

/**
 * What is believed after a look at the clock. A jump holds up the expiry only where it would let copies go. A clock that comes
 * back from a jump ends the hold; one that was behind for a while (a battery again) does not make the right time a jump.
 */
export function lookAtClock(known: ClockFacts | null, nowMs: number, due: number): ClockFacts {
  if (known === null) return { seenMs: nowMs, heldMs: null };
  if (isAhead(known, nowMs) && (due > 0 || known.heldMs !== null))
    return { ...known, heldMs: known.heldMs ?? nowMs };
  return { seenMs: Math.max(known.seenMs, nowMs), heldMs: null };
}
