import { isActive, isTaskStatus } from '../../../contract/tasks/task-states.ts';
import { nextRuns, type Run, type Schedules, scheduleSpans } from '../strategies/strategy-service.ts';

/** How late the scheduler may be before a run counts as one that it does not make. */
const graceMs = 5 * 60_000;

/** A task that has not ended so long after it was made tells nobody whether its copy will ever be. */
export const longestTaskMs = 24 * 3_600_000;

export const silentReason =
  'The run was not made: the server is in service mode, or it cannot plan this strategy; then its log says why.';

/**
 * The first run that should have been planned long ago, or null: everything due has been looked at. What fell due
 * before the strategy was changed goes by its earlier schedules, as the scheduler does it. Pure.
 */
export function silentRun(strategy: Parameters<typeof scheduleSpans>[0], nowMs: number): Run | null {
  for (const { schedules, fromMs, untilMs } of scheduleSpans(strategy, nowMs)) {
    const first = firstRun(schedules, fromMs);
    if (first !== null && first.timeMs <= untilMs) return first.timeMs <= nowMs - graceMs ? first : null;
  }
  return null;
}

function firstRun(schedules: Schedules, sinceMs: number): Run | null {
  try {
    return nextRuns(schedules, sinceMs, 1)[0] ?? null;
  } catch {
    // A zone that this system does not know, say: nobody can tell when, but nothing is made from then on.
    return { backupType: 'full', timeMs: sinceMs + 1 };
  }
}

/** How a task ended that made no copy, in words. */
const endWords: Readonly<Record<string, string>> = {
  error: 'failed',
  broken: 'broke off',
  killed: 'was killed',
  done: 'is done but made no copy',
};

/** Why a rule is overdue, in a sentence. Pure. */
export function overdueReason(row: {
  readonly outcome: string;
  readonly reason: string | null;
  readonly task_id: number | null;
  readonly task_status: string | null;
  readonly error_message: string | null;
}): string {
  if (row.outcome !== 'planned') return row.reason ?? 'The run was skipped.';
  const { task_status: status } = row;
  if (status !== null && isTaskStatus(status) && isActive(status)) {
    return `Task ${row.task_id} was made more than a day ago and has not ended; its status is ${status}.`;
  }
  const end = `Task ${row.task_id} ${endWords[status ?? ''] ?? `ended as ${status}`}`;
  return row.error_message === null ? `${end}.` : `${end}: ${row.error_message}`;
}
