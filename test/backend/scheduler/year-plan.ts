import type { createRandom } from '../../../bench/support/random.ts';
import type { BackupType } from '../../../contract/tasks/task.ts';
import { dayMs } from './support.ts';
import { type Fields, momentsOf, readWallCalendar, type WallCalendar } from './wall-calendar.ts';

/** Clocks that are changed in spring and autumn of both halves of the globe, one of them by half an hour. */
export const zones = ['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe'] as const;
export const kinds: readonly BackupType[] = ['full', 'differential', 'incremental'];
export type Random = ReturnType<typeof createRandom>;

export interface Cron {
  readonly text: string;
  readonly fields: Fields;
}

export interface YearStrategy {
  /** It falls due very often, so few rules do. */
  readonly isBusy: boolean;
  readonly zone: (typeof zones)[number];
  readonly schedules: Readonly<Partial<Record<BackupType, Cron>>>;
}

export interface Due {
  readonly timeMs: number;
  readonly kind: BackupType;
}

const none = { dayOfMonth: null, month: null, dayOfWeek: null };

function daily(minute: number, hour: number): Cron {
  const fields = { ...none, minute: new Set([minute]), hour: new Set([hour]), isFixed: true };
  return { text: `${minute} ${hour} * * *`, fields };
}

function weekly(minute: number, hour: number, day: number): Cron {
  const { fields } = daily(minute, hour);
  return { text: `${minute} ${hour} * * ${day}`, fields: { ...fields, dayOfWeek: new Set([day]) } };
}

function monthly(minute: number, hour: number, day: number): Cron {
  const { fields } = daily(minute, hour);
  return { text: `${minute} ${hour} ${day} * *`, fields: { ...fields, dayOfMonth: new Set([day]) } };
}

function everyHours(minute: number, step: number): Cron {
  const hours = step === 1 ? null : new Set(Array.from({ length: 24 / step }, (_, index) => index * step));
  return {
    text: `${minute} ${step === 1 ? '*' : `*/${step}`} * * *`,
    fields: { ...none, minute: new Set([minute]), hour: hours, isFixed: false },
  };
}

function everyMinutes(step: number): Cron {
  const minutes = new Set(Array.from({ length: 60 / step }, (_, index) => index * step));
  return { text: `*/${step} * * * *`, fields: { ...none, minute: minutes, hour: null, isFixed: false } };
}

/** Mostly in the hours that a change of the clocks skips or repeats. */
const hardTimes = [
  [0, 0],
  [30, 1],
  [0, 2],
  [15, 2],
  [30, 2],
  [45, 2],
  [0, 3],
  [30, 23],
] as const;

const busyBefore = 18;

/** Strategies of many forms, in turn in each of the zones. */
export function yearStrategies(count: number, random: Random): readonly YearStrategy[] {
  return Array.from({ length: count }, (_, index) => {
    const zone = zones[index % zones.length] ?? 'Europe/Paris';
    const [minute, hour] = hardTimes[random.below(hardTimes.length)] ?? [0, 0];
    const form = Math.floor(index / zones.length) % 6;
    const schedules = ((): YearStrategy['schedules'] => {
      if (form === 0)
        return { full: weekly(minute, hour, random.below(7)), incremental: daily(minute, hour) };
      if (form === 1) return { full: daily(minute, hour) };
      if (form === 2) {
        const day = 1 + random.below(31);
        return { full: monthly(minute, hour, day), differential: weekly(minute, hour, random.below(7)) };
      }
      if (form === 3) return { full: weekly(0, 0, 0), incremental: everyHours(30, 12) };
      if (form === 4)
        return { full: monthly(minute, hour, 1 + random.below(28)), incremental: daily(minute, hour) };
      // Few of these, since they make most of the runs.
      return index < busyBefore
        ? { full: daily(0, 3), incremental: everyHours(0, 1) }
        : { incremental: daily(minute, hour) };
    })();
    const isByMinutes = index === 4;
    return {
      zone,
      isBusy: isByMinutes || (form === 5 && index < busyBefore),
      schedules: isByMinutes ? { incremental: everyMinutes(30) } : schedules,
    };
  });
}

export function readCalendars(fromMs: number, toMs: number): ReadonlyMap<string, WallCalendar> {
  return new Map(zones.map((zone) => [zone, readWallCalendar(zone, fromMs - 2 * dayMs, toMs + 2 * dayMs)]));
}

/** All that falls due, by looking at each minute of the wall clock; of one moment only the widest kind. */
export function dueOf(
  strategy: YearStrategy,
  calendar: WallCalendar,
  fromMs: number,
  toMs: number,
): readonly Due[] {
  const found = new Map<number, BackupType>();
  for (const kind of kinds) {
    const cron = strategy.schedules[kind];
    if (cron === undefined) continue;
    for (const timeMs of momentsOf(cron.fields, calendar, fromMs, toMs)) {
      if (!found.has(timeMs)) found.set(timeMs, kind);
    }
  }
  return [...found]
    .map(([timeMs, kind]) => ({ timeMs, kind }))
    .sort((one, other) => one.timeMs - other.timeMs);
}

/** As the API takes them. */
export function strategyBody(strategy: YearStrategy): Record<string, string> {
  const schedules = kinds.flatMap((kind) => {
    const cron = strategy.schedules[kind];
    return cron === undefined ? [] : [[`${kind}_schedule`, cron.text]];
  });
  return { time_zone: strategy.zone, ...Object.fromEntries(schedules) };
}
