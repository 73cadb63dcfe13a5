import type { Schedules } from './schedule-rules.ts';

/** The end of what held before it. */
export interface ScheduleChange {
  readonly id: number;
  /** What held until then; without any schedule while the strategy was switched off. */
  readonly schedules: Schedules;
  readonly untilMs: number;
}

/** A time in which the same schedules held. Its begin is none of it, its end is. */
export interface ScheduleSpan {
  readonly schedules: Schedules;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What held when since the last look at a strategy, in order of time: what falls due goes by what held then. Pure. */
export function scheduleSpans(
  strategy: {
    /** What holds now. */
    readonly schedules: Schedules;
    /** Since the last look, oldest first. */
    readonly changes: readonly Pick<ScheduleChange, 'schedules' | 'untilMs'>[];
    /** The last look, or the moment the strategy was made. */
    readonly fromMs: number;
  },
  nowMs: number,
): readonly ScheduleSpan[] {
  const spans: ScheduleSpan[] = [];
  let turnMs = strategy.fromMs;
  for (const { schedules, untilMs } of strategy.changes) {
    // A change that lies ahead was made before the clock was set back: it holds already.
    const endMs = untilMs > nowMs ? turnMs : Math.max(turnMs, untilMs);
    spans.push({ schedules, fromMs: turnMs, untilMs: endMs });
    turnMs = endMs;
  }
  return [...spans, { schedules: strategy.schedules, fromMs: turnMs, untilMs: nowMs }];
}

export function isSame(left: Schedules, right: Schedules): boolean {
  return (Object.keys(left) as (keyof Schedules)[]).every((field) => left[field] === right[field]);
}

/** The same strategy switched off. */
export function withoutSchedules(schedules: Schedules): Schedules {
  return { ...schedules, full: null, incremental: null, differential: null };
}
