import type { Random } from '../../../../bench/support/random.ts';
import type { BackupType } from '../../../../contract/tasks/task.ts';
import { dayMs } from '../support.ts';
import { type Fields, momentsOf, readWallCalendar, type WallCalendar } from '../wall-calendar.ts';

/** Clocks that are changed in spring and autumn of both halves of the globe, one of them by half an hour. */
export const zones = ['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe'] as const;
export const kinds: readonly BackupType[] = ['full', 'differential', 'incremental'];

export interface Cron {
  readonly text: string;
  readonly fields: Fields;
}

export interface YearStrategy {
  /** It falls due often, so it has one rule. */
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

function monthly(minute: number, hour: number, day: number): Cron {
  const { fields } = daily(minute, hour);
  return { text: `${minute} ${hour} ${day} * *`, fields: { ...fields, dayOfMonth: new Set([day]) } };
}

function onDays(minute: number, hour: number, days: readonly number[]): Cron {
  const { fields } = daily(minute, hour);
  return { text: `${minute} ${hour} * * ${days.join(',')}`, fields: { ...fields, dayOfWeek: new Set(days) } };
}

/** Sundays of the months in which clocks are changed: as often all year would be most of the work. */
const changes = { months: [3, 4, 10, 11], text: '* 3,4,10,11 0' };

function oftenAtChanges(minutes: readonly number[], text: string): Cron {
  const fields = { ...none, minute: new Set(minutes), hour: null, isFixed: false };
  return {
    text: `${text} * ${changes.text}`,
    fields: { ...fields, month: new Set(changes.months), dayOfWeek: new Set([0]) },
  };
}

function everyHours(minute: number, step: number, day: number): Cron {
  const hour = new Set(Array.from({ length: 24 / step }, (_, index) => index * step));
  return {
    text: `${minute} */${step} * * ${day}`,
    fields: { ...none, minute: new Set([minute]), hour, dayOfWeek: new Set([day]), isFixed: false },
  };
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

/** Strategies of many forms, in turn in each of the zones. Sunday, when clocks are changed, is a day of most. */
export function yearStrategies(count: number, random: Random): readonly YearStrategy[] {
  return Array.from({ length: count }, (_, index) => {
    const zone = zones[index % zones.length] ?? 'Europe/Paris';
    const [minute, hour] = hardTimes[random.below(hardTimes.length)] ?? [0, 0];
    const day = random.below(7);
    const schedules = ((): YearStrategy['schedules'] => {
      switch (Math.floor(index / zones.length)) {
        case 0:
          return { full: onDays(0, 3, [0]), incremental: oftenAtChanges([0], '0') };
        case 1:
          return { incremental: oftenAtChanges([0, 30], '*/30') };
        case 2:
          return { full: onDays(minute, hour, [0]), incremental: onDays(minute, hour, [0, 2, 4]) };
        case 3:
          return { full: onDays(minute, hour, [0, 3, 6]) };
        default:
          return usualSchedules(index % 5, { minute, hour, day }, random);
      }
    })();
    return { zone, isBusy: index < zones.length * 4, schedules };
  });
}

function usualSchedules(
  form: number,
  { minute, hour, day }: { readonly minute: number; readonly hour: number; readonly day: number },
  random: Random,
): YearStrategy['schedules'] {
  const sunday = onDays(minute, hour, [0]);
  if (form === 0) return { full: sunday, incremental: onDays(minute, hour, [0, 1 + random.below(6)]) };
  if (form === 1) return { full: monthly(minute, hour, 1 + random.below(31)), differential: sunday };
  if (form === 2) return { full: onDays(0, 0, [0]), incremental: everyHours(30, 12, 0) };
  if (form === 3)
    return { full: monthly(minute, hour, 1 + random.below(28)), incremental: onDays(minute, hour, [0, day]) };
  return { incremental: sunday };
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
