import type { BackupType } from '../../../contract/tasks/task.ts';
import { sayUtcTime } from '../../platform/wire-time.ts';
import type { Run } from '../strategies/strategy-service.ts';
import { type DueRuns, widths } from './due-runs.ts';

export interface PlannedRule {
  /** What fell due up to this moment is none of it. */
  readonly sinceMs: number;
  /** Moments whose run has been noted already: by a look that was cut off, or before the clock was set back. */
  readonly noted: ReadonlySet<number>;
}

export interface NotedMiss extends Run {
  readonly reason: string;
}

export interface RulePlan {
  /** The one run that is made. */
  readonly run: Run | null;
  /** How late it is, when that is worth a word; else null. */
  readonly lateSinceMs: number | null;
  readonly missed: readonly NotedMiss[];
}

/** Later than this a run counts as made up for. */
const lateAfterMs = 60_000;
const nothing: RulePlan = { run: null, lateSinceMs: null, missed: [] };

/**
 * What a rule makes of the runs that fell due since the last look: one of the widest kind, the latest of these. The
 * others were missed while the server was down, asleep or in service mode. Pure.
 */
export function planRule(due: DueRuns, rule: PlannedRule, nowMs: number): RulePlan {
  const fresh = due.runs.filter(({ timeMs }) => timeMs > rule.sinceMs && !rule.noted.has(timeMs));
  const widest = widths.find((width) => fresh.some(({ backupType }) => backupType === width));
  if (widest === undefined) return nothing;
  const run = fresh.findLast(({ backupType }) => backupType === widest) ?? null;
  if (run === null) return nothing;
  const listed = fresh
    .filter((other) => other !== run)
    .map((other) => ({ ...other, reason: missedReason(run) }));
  const unlisted = due.unlisted
    .filter(({ firstMs, beforeMs }) => beforeMs > rule.sinceMs && !isTaken(firstMs, fresh, rule))
    .map(({ backupType, firstMs, beforeMs }) => ({
      backupType,
      timeMs: firstMs,
      reason: spanReason(backupType, beforeMs),
    }));
  return {
    run,
    lateSinceMs: nowMs - run.timeMs > lateAfterMs ? run.timeMs : null,
    missed: distinct([...unlisted, ...listed]),
  };
}

export function lateReason(timeMs: number): string {
  return `The server did not plan at ${sayUtcTime(timeMs)} (it was stopped, asleep or in service mode); this is the one run that makes up for all it missed.`;
}

function missedReason(run: Run): string {
  return `The server did not plan at that time (it was stopped, asleep or in service mode); the ${run.backupType} run of ${sayUtcTime(run.timeMs)} makes up for it.`;
}

function spanReason(backupType: BackupType, beforeMs: number): string {
  return `This and all further ${backupType} runs before ${sayUtcTime(beforeMs)} were missed; they are not listed one by one.`;
}

function isTaken(timeMs: number, fresh: readonly Run[], rule: PlannedRule): boolean {
  return rule.noted.has(timeMs) || timeMs <= rule.sinceMs || fresh.some((run) => run.timeMs === timeMs);
}

/** Of several of one moment the first stays: the widest. */
function distinct(missed: readonly NotedMiss[]): readonly NotedMiss[] {
  return [...new Map(missed.toReversed().map((miss) => [miss.timeMs, miss])).values()].sort(
    (left, right) => left.timeMs - right.timeMs,
  );
}
