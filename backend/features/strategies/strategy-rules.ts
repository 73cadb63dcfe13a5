import type { FieldErrors } from '../../../contract/problem.ts';
import type { StrategyPatch } from '../../../contract/strategies/strategy.ts';
import { fromWireTime } from '../../platform/wire-time.ts';
import { counted } from '../bulk.ts';
import { workingCrypto } from '../working-crypto.ts';
import { isTimeZone, nextRuns, type Schedules, whyScheduleIsRefused } from './schedule-rules.ts';

const scheduleFields = ['full_schedule', 'incremental_schedule', 'differential_schedule'] as const;
/** All that the runs follow from; what is wrong with them together is told at the first that was sent. */
const planFields = ['valid_until', 'valid_from', ...scheduleFields, 'time_zone'] as const;

/** What of a body cannot be, by field; empty when all can. `now` is what holds for fields that were not sent. */
export function strategyRefusals(
  body: StrategyPatch,
  now: Schedules & { readonly nowMs: number },
): FieldErrors {
  const errors: Record<string, string> = {};
  for (const field of scheduleFields) {
    const text = body[field];
    const reason = text ? whyScheduleIsRefused(text, now.nowMs) : null;
    if (text === '') errors[field] = 'must not be empty; send null for none';
    else if (reason !== null) errors[field] = reason;
  }
  if (body.time_zone && !isTimeZone(body.time_zone)) {
    errors.time_zone = 'is not a time zone; use a name like `Europe/Paris`';
  }
  if (body.crypto && !workingCrypto.includes(body.crypto)) {
    errors.crypto = `must be one of: ${workingCrypto.join(', ')}`;
  }
  const from = body.valid_from === undefined ? now.validFromMs : msOf(body.valid_from);
  const until = body.valid_until === undefined ? now.validUntilMs : msOf(body.valid_until);
  if (from !== null && until !== null && until <= from) {
    errors[body.valid_until === undefined ? 'valid_from' : 'valid_until'] =
      'would make the strategy end before it begins, or just then, so that it never runs; `valid_until` must be later than `valid_from`';
  }
  if (Object.keys(errors).length > 0) return errors;
  const schedules = {
    full: body.full_schedule === undefined ? now.full : body.full_schedule,
    incremental: body.incremental_schedule === undefined ? now.incremental : body.incremental_schedule,
    differential: body.differential_schedule === undefined ? now.differential : body.differential_schedule,
    timeZone: body.time_zone ?? now.timeZone,
    validFromMs: from,
    validUntilMs: until,
  };
  const changed = planFields.find((field) => body[field] !== undefined);
  return changed !== undefined && neverRuns(schedules, now.nowMs) ? { [changed]: noRunWithin } : {};
}

const noRunWithin =
  'would leave the strategy without any run: none of its schedules falls due between `valid_from` and `valid_until`; widen them or choose other schedules';

/** One that has begun may be ended early, before its next run; one that is to begin and to end without a run is a mistake. */
function neverRuns(schedules: Schedules, nowMs: number): boolean {
  const { validFromMs, validUntilMs, full, incremental, differential } = schedules;
  const isAhead = validFromMs !== null && validFromMs > nowMs && validUntilMs !== null;
  const isScheduled = [full, incremental, differential].some((text) => text !== null);
  return isAhead && isScheduled && nextRuns(schedules, nowMs, 1).length === 0;
}

export function msOf(text: string | null): number | null {
  return text === null ? null : fromWireTime(text);
}

/** Why the strategy cannot go, or null. */
export function whyStrategyStays(strategy: {
  readonly name: string;
  readonly rules_count: number;
}): string | null {
  if (strategy.rules_count === 0) return null;
  return `the strategy \`${strategy.name}\` has ${counted(strategy.rules_count, 'rule')}; delete them or bind them to another first`;
}
