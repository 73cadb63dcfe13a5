import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  defaultProofSize,
  mostRuns,
  type Strategy,
  shownRuns,
} from '../../../contract/strategies/strategy.ts';
import { toUtcTime, toWireTime, toWireTimeOrNull } from '../../platform/wire-time.ts';
import { nextRuns, type Run, runsUntil, type Schedules } from './schedule-rules.ts';
import { withoutSchedules } from './schedule-spans.ts';
import type { StoredStrategy } from './strategy-store.ts';

const dayMs = 86_400_000;
/** With ten runs each takes some milliseconds. */
const recordsAtOnce = 5;

type ScheduleField =
  | 'full_schedule'
  | 'incremental_schedule'
  | 'differential_schedule'
  | 'time_zone'
  | 'valid_from_ms'
  | 'valid_until_ms';

/** As the calculation of its runs takes it. */
export function schedulesOf(strategy: Pick<StoredStrategy, ScheduleField>): Schedules {
  return {
    full: strategy.full_schedule,
    incremental: strategy.incremental_schedule,
    differential: strategy.differential_schedule,
    timeZone: strategy.time_zone,
    validFromMs: strategy.valid_from_ms,
    validUntilMs: strategy.valid_until_ms,
  };
}

/** What its runs go by: nothing while it is switched off. */
export function schedulesInForce(strategy: Pick<StoredStrategy, ScheduleField | 'enabled'>): Schedules {
  const schedules = schedulesOf(strategy);
  return strategy.enabled === 1 ? schedules : withoutSchedules(schedules);
}

function runsAhead(strategy: StoredStrategy, nowMs: number, days: number | undefined): readonly Run[] {
  if (strategy.enabled !== 1) return [];
  const schedules = schedulesOf(strategy);
  if (days === undefined) return nextRuns(schedules, nowMs, shownRuns);
  return runsUntil(schedules, nowMs, nowMs + days * dayMs, mostRuns);
}

export function toRun({ backupType, timeMs }: Run): Strategy['next_runs'][number] {
  return { backup_type: backupType, time: toWireTime(timeMs), utc: toUtcTime(timeMs) };
}

function rolesOf(stored: string | null): string[] {
  return stored === null ? [] : (JSON.parse(stored) as string[]);
}

export function recordWithRuns(strategy: StoredStrategy, nowMs: number, runsDays?: number): Strategy {
  return toRecord(strategy, runsAhead(strategy, nowMs, runsDays));
}

/** Of many others are served in between. */
export async function recordsWithRuns(
  strategies: readonly StoredStrategy[],
  nowMs: number,
): Promise<readonly Strategy[]> {
  const records: Strategy[] = [];
  for (const strategy of strategies) {
    if (records.length % recordsAtOnce === recordsAtOnce - 1) await nextTurn();
    records.push(recordWithRuns(strategy, nowMs));
  }
  return records;
}

export function toRecord(strategy: StoredStrategy, runs: readonly Run[]): Strategy {
  return {
    id: strategy.id,
    name: strategy.name,
    pool: strategy.pool_name,
    priority: strategy.priority,
    full_schedule: strategy.full_schedule,
    incremental_schedule: strategy.incremental_schedule,
    differential_schedule: strategy.differential_schedule,
    time_zone: strategy.time_zone,
    storage_duration: strategy.storage_duration,
    crypto: strategy.crypto,
    capacity: strategy.capacity,
    enabled: strategy.enabled === 1,
    valid_from: toWireTimeOrNull(strategy.valid_from_ms),
    valid_until: toWireTimeOrNull(strategy.valid_until_ms),
    verify_period: strategy.verify_period,
    restore_proof_files: strategy.restore_proof_files,
    restore_proof_size: strategy.restore_proof_size ?? defaultProofSize,
    notification_user_groups: rolesOf(strategy.notification_user_groups),
    next_runs: runs.map(toRun),
    rules_count: strategy.rules_count,
    created: toWireTime(strategy.created_ms),
    changed: toWireTime(strategy.changed_ms),
  };
}
