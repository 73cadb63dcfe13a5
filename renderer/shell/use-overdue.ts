import type { FailedProof, OverdueRule, Statistics } from '../../contract/statistics/statistics.ts';
import { isActive, isTaskStatus } from '../../contract/tasks/task-states.ts';
import { t } from '../texts/index.ts';
import { formatRelative, formatServerTime, showHidden } from '../ui/index.ts';
import { useStatistics } from './use-statistics.ts';

const watch = {
  kinds: ['task', 'configuration', 'client', 'repository'],
  pollMs: 60_000,
  settleMs: 2000,
} as const;

export interface Alarms {
  /** The rules whose last run made no copy, the longest first. */
  readonly overdue: readonly OverdueRule[];
  /** Copies whose last restore proof failed, the newest failure first. */
  readonly failedProofs: readonly FailedProof[];
}

/** The rules whose last run made no copy, the longest first; null while it is not known. */
export function useOverdue(connectionId: string): readonly OverdueRule[] | null {
  return useAlarms(connectionId)?.overdue ?? null;
}

/** What the server says is wrong now, whatever day it happened; null while it is not known. */
export function useAlarms(connectionId: string): Alarms | null {
  return useStatistics(connectionId, 1, alarmsOf, watch).value;
}

function alarmsOf(told: Statistics): Alarms {
  return { overdue: told.overdue ?? [], failedProofs: told.failed_proofs ?? [] };
}

/** `since 2030-01-05 02:30:00 (7 h ago)` */
export function overdueSince(rule: Pick<OverdueRule, 'due' | 'utc'>, nowMs: number): string {
  const time = showHidden(formatServerTime(rule.due));
  const dueMs = Date.parse(rule.utc ?? '');
  // A server whose clock is ahead of this one has nothing overdue in the future.
  const isNear = dueMs < nowMs && nowMs - dueMs < 86_400_000;
  return isNear
    ? t('shell.overdue.sinceAgo', { time, distance: formatRelative(dueMs, nowMs) })
    : t('shell.overdue.since', { time });
}

export function overdueRemedy(rule: Pick<OverdueRule, 'task_id' | 'task_status'>): string {
  // A server from before that field says nothing.
  const { task_status: status = null } = rule as Partial<OverdueRule>;
  if (status !== null && isTaskStatus(status) && isActive(status)) return t('shell.overdue.remedyStuck');
  return rule.task_id === null ? t('shell.overdue.remedyNoTask') : t('shell.overdue.remedyTask');
}
