import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueRuns } from '../../../backend/features/scheduler/due-runs.ts';
import { planRule } from '../../../backend/features/scheduler/planner.ts';
import type { Schedules } from '../../../backend/features/strategies/schedule-rules.ts';
import { dayMs, minuteMs } from './support.ts';
import { type Fields, momentsOf, readWallCalendar } from './wall-calendar.ts';

const zones = [
  'UTC',
  'Europe/Paris',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Apia',
];
const startMs = Date.UTC(2026, 0, 1);
const endMs = Date.UTC(2031, 0, 1);

interface Generated {
  readonly text: string;
  readonly fields: Fields;
}

const listOf = (most: number, from: number, to: number) =>
  fc.uniqueArray(fc.integer({ min: from, max: to }), { minLength: 1, maxLength: most });
const any = fc.constant(null);
const sometimes = (most: number, from: number, to: number) =>
  fc.oneof({ weight: 3, arbitrary: any }, { weight: 1, arbitrary: listOf(most, from, to) });
const textOf = (list: readonly number[] | null): string => list?.join(',') ?? '*';
const setOf = (list: readonly number[] | null) => (list === null ? null : new Set(list));
const days = { dayOfMonth: sometimes(4, 1, 31), month: sometimes(6, 1, 12), dayOfWeek: sometimes(3, 0, 6) };

/** Some minutes: one by one, by a step, or by a step within a range. */
const minutes = fc.oneof(
  listOf(3, 0, 59).map((list) => ({ text: textOf(list), list })),
  fc
    .record({ step: fc.constantFrom(7, 10, 15, 20, 30, 60), isRange: fc.boolean() })
    .map(({ step, isRange }) => {
      const [first, last] = isRange ? [3, 50] : [0, 59];
      const list = Array.from({ length: 60 }, (_, index) => first + index * step).filter((at) => at <= last);
      return { text: `${isRange ? `${first}-${last}` : '*'}/${step}`, list };
    }),
);
/** Some hours, mostly those in which clocks are changed; of a step only one that yields a single hour. */
const hours = fc.oneof(
  fc.oneof(listOf(3, 0, 4), listOf(3, 0, 23)).map((list) => ({ text: textOf(list), list })),
  fc.constant({ text: '*/24', list: [0] }),
);

/** Times of the day. */
const fixed: fc.Arbitrary<Generated> = fc
  .record({
    minute: minutes,
    hour: hours,
    ...days,
  })
  .map(({ minute, hour, dayOfMonth, month, dayOfWeek }) => ({
    text: [minute.text, hour.text, ...[dayOfMonth, month, dayOfWeek].map(textOf)].join(' '),
    fields: {
      minute: setOf(minute.list),
      hour: setOf(hour.list),
      dayOfMonth: setOf(dayOfMonth),
      month: setOf(month),
      dayOfWeek: setOf(dayOfWeek),
      isFixed: true,
    },
  }));

/** By elapsed time: every so many minutes or hours. */
const repeated: fc.Arbitrary<Generated> = fc
  .record({
    step: fc.constantFrom(10, 15, 20, 30),
    hours: fc.constantFrom(2, 3, 6),
    isBySteps: fc.boolean(),
  })
  .map(({ step, hours, isBySteps }) => {
    const every = (size: number, of: number) =>
      new Set(Array.from({ length: Math.ceil(of / size) }, (_, index) => index * size));
    return {
      text: isBySteps ? `*/${step} * * * *` : `${step} */${hours} * * *`,
      fields: {
        minute: isBySteps ? every(step, 60) : new Set([step]),
        hour: isBySteps ? null : every(hours, 24),
        dayOfMonth: null,
        month: null,
        dayOfWeek: null,
        isFixed: false,
      },
    };
  });

/** What all looks together plan and note as missed; `stepsMs`: how long until the next look, over and over. */
function allRuns(text: string, timeZone: string, from: number, to: number, stepsMs: readonly number[]) {
  const schedules: Schedules = {
    full: text,
    incremental: null,
    differential: null,
    timeZone,
    validFromMs: null,
    validUntilMs: null,
  };
  const found: number[] = [];
  const planned: number[] = [];
  let plannedUntilMs = from;
  for (let turn = 0; plannedUntilMs < to; turn += 1) {
    const nowMs = Math.min(to, plannedUntilMs + (stepsMs[turn % stepsMs.length] ?? dayMs));
    const due = dueRuns([{ schedules, fromMs: plannedUntilMs, untilMs: nowMs }]);
    const { run, missed } = planRule(due, { sinceMs: from, noted: new Set() }, nowMs);
    found.push(...missed.map(({ timeMs }) => timeMs), ...(run === null ? [] : [run.timeMs]));
    if (run !== null) planned.push(run.timeMs);
    expect(due.runs.length === 0).toBe(run === null);
    plannedUntilMs = nowMs;
  }
  return { found, planned };
}

const shown = (times: readonly number[]) => times.map((time) => new Date(time).toISOString());

describe.each(zones)('over five years in %s', (zone) => {
  const calendar = readWallCalendar(zone, startMs - 2 * dayMs, endMs + 2 * dayMs);

  it('no run at a time of the day is lost or doubled, wherever the looks fall', { timeout: 300_000 }, () => {
    const looks = fc.array(fc.integer({ min: 6 * 60, max: 20 * 24 * 60 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fixed, looks, ({ text, fields }, stepMinutes) => {
        const expected = momentsOf(fields, calendar, startMs, endMs);
        const steps = stepMinutes.map((minutes) => minutes * minuteMs);
        const { found } = allRuns(text, zone, startMs, endMs, steps);
        expect(shown(found), text).toEqual(shown(expected));
      }),
      { numRuns: 2 },
    );
  });

  it('no run by the hour or the minute is lost or doubled, wherever the looks fall', {
    timeout: 300_000,
  }, () => {
    const looks = fc.array(fc.integer({ min: 1, max: 3 * 24 * 60 }), { minLength: 1, maxLength: 20 });
    const starts = fc.integer({ min: 0, max: 5 * 365 - 250 });
    fc.assert(
      fc.property(repeated, looks, starts, ({ text, fields }, stepMinutes, startDay) => {
        // Of what runs several times an hour a part, with a change of the clocks in most of them, is as much as the whole of the others.
        const isEachHour = fields.hour === null;
        const from = isEachHour ? startMs + startDay * dayMs : startMs;
        const to = isEachHour ? from + 220 * dayMs : endMs;
        const steps = stepMinutes.map((minutes) => Math.max(minutes, 30) * minuteMs);
        const { found } = allRuns(text, zone, from, to, steps);
        expect(shown(found), text).toEqual(shown(momentsOf(fields, calendar, from, to)));
      }),
      { numRuns: 1 },
    );
  });
});
