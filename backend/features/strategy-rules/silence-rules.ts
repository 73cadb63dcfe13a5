import { nextRuns, type Run, type Schedules } from '../strategies/strategy-service.ts';

/** How late the scheduler may be before a run counts as one that it does not make. */
const graceMs = 5 * 60_000;

export const silentReason =
  'The run was not made: the server is in service mode, or it cannot plan this strategy; then its log says why.';

/**
 * The first run that should have been planned long ago, or null: everything due has been looked at. What fell due
 * before the strategy was changed goes by its earlier schedules, as the scheduler does it. Pure.
 */
export function silentRun(
  strategy: {
    readonly schedules: Schedules;
    /** What held when it was looked at last; null: it was not looked at yet. */
    readonly before: Schedules | null;
    readonly changedMs: number;
    /** Everything due up to then has been planned; null: nothing yet. */
    readonly plannedUntilMs: number | null;
  },
  nowMs: number,
): Run | null {
  const { schedules, before } = strategy;
  const fromMs = strategy.plannedUntilMs ?? strategy.changedMs;
  // A change that lies ahead was made before the clock was set back: it holds already.
  const turnMs = strategy.changedMs > nowMs ? fromMs : Math.max(strategy.changedMs, fromMs);
  const earlier = before === null ? null : firstRun(before, fromMs);
  const first = earlier !== null && earlier.timeMs <= turnMs ? earlier : firstRun(schedules, turnMs);
  return first !== null && first.timeMs <= nowMs - graceMs ? first : null;
}

function firstRun(schedules: Schedules, sinceMs: number): Run | null {
  try {
    return nextRuns(schedules, sinceMs, 1)[0] ?? null;
  } catch {
    // A zone that this system does not know, say: nobody can tell when, but nothing is made from then on.
    return { backupType: 'full', timeMs: sinceMs + 1 };
  }
}
