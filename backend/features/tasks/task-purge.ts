import type { Configuration } from '../../../contract/configuration/configuration.ts';

type Periods = Pick<
  Configuration,
  | 'done_tasks_remove_period'
  | 'error_tasks_remove_period'
  | 'killed_tasks_remove_period'
  | 'broken_tasks_remove_period'
>;

export interface Purge {
  readonly statuses: readonly string[];
  readonly endedBeforeMs: number;
}

const dayMs = 86_400_000;

/** Which final tasks leave the queue, by how long ago they ended. A period of 0 keeps them for ever. Pure. */
export function duePurges(periods: Periods, nowMs: number): readonly Purge[] {
  return [
    { statuses: ['done', 'obsoleted'], days: periods.done_tasks_remove_period },
    { statuses: ['error'], days: periods.error_tasks_remove_period },
    { statuses: ['killed'], days: periods.killed_tasks_remove_period },
    { statuses: ['broken'], days: periods.broken_tasks_remove_period },
  ]
    .filter(({ days }) => days > 0)
    .map(({ statuses, days }) => ({ statuses, endedBeforeMs: nowMs - days * dayMs }));
}
