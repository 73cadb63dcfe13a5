import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';

interface Trouble {
  readonly message: string;
  readonly failures: number;
  readonly retryAtMs: number;
}

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

export type StandingTroubles = ReturnType<typeof createStandingTroubles>;

/**
 * What fails again and again: told when it begins, when it becomes another failure and when it is over, and tried
 * again after ever longer pauses (a minute at most).
 */
export function createStandingTroubles(deps: {
  readonly clock: Clock;
  readonly begins: (id: number, error: unknown) => void;
  readonly ends: (id: number) => void;
}) {
  const standing = new Map<number, Trouble>();
  return {
    /** It failed a moment ago: not yet again. */
    isPaused: (id: number): boolean => {
      const trouble = standing.get(id);
      return trouble !== undefined && deps.clock.monotonic() < trouble.retryAtMs;
    },
    failed: (id: number, error: unknown): void => {
      const before = standing.get(id);
      const message = messageOf(error);
      const failures = (before?.failures ?? 0) + 1;
      const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(failures - 1, 20), longestPauseMs);
      standing.set(id, { message, failures, retryAtMs: deps.clock.monotonic() + pauseMs });
      if (before?.message !== message) deps.begins(id, error);
    },
    worked: (id: number): void => {
      if (standing.delete(id)) deps.ends(id);
    },
  };
}
