import { nextRuns, type Run, type Schedules } from '../strategies/strategy-service.ts';

/** How late the scheduler may be before a run counts as one that it does not make. */
const graceMs = 5 * 60_000;

export const silentReason =
  'The run was not made: the server is in service mode, or it cannot plan this strategy; then its log says why.';

/** The first run that should have been planned long ago, or null: everything due has been looked at. Pure. */
export function silentRun(
  strategy: {
    readonly schedules: Schedules;
    readonly changedMs: number;
    /** Everything due up to then has been planned; null: nothing yet. */
    readonly plannedUntilMs: number | null;
  },
  nowMs: number,
): Run | null {
  const sinceMs = Math.max(strategy.plannedUntilMs ?? strategy.changedMs, strategy.changedMs);
  const first = firstRun(strategy.schedules, sinceMs);
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
