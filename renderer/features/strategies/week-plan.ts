import { mostRuns, type Strategy } from '../../../contract/strategies/strategy.ts';
import { type Caller, problemOf } from '../../bridge.ts';
import type { Run } from '../../shell/runs-table.tsx';
import { type ClockChange, clockChangeBetween, type WallTime, wallTimeIn } from '../../shell/zone-times.ts';
import { locale, t } from '../../texts/index.ts';
import { formatTimeOfDay } from '../../ui/index.ts';

export const weekDays = 7;
const dayMs = 86_400_000;
const listedMost = 500;

/** A strategy with its runs of the coming seven days; `isCut`: there are more than the server tells. */
export interface StrategyAhead {
  readonly strategy: Strategy;
  readonly runs: readonly Run[];
  readonly isCut: boolean;
}

export interface PlannedRun {
  readonly run: Run;
  readonly atMs: number;
  readonly wall: WallTime;
}

export interface WeekDay {
  /** `2030-03-31` */
  readonly day: string;
  readonly weekday: string;
  readonly change: ClockChange | null;
}

export interface WeekRow {
  readonly strategy: Strategy;
  /** By day of the week that is shown, in order of time. */
  readonly days: readonly (readonly PlannedRun[])[];
  /** `2030-04-07`: the day of the first run after these days, where it is known. */
  readonly later: string | null;
  /** The first of these days whose runs are not all known. */
  readonly cutFrom: number | null;
}

export interface Week {
  readonly days: readonly WeekDay[];
  readonly rows: readonly WeekRow[];
  /** Strategies that are off. */
  readonly off: readonly Strategy[];
}

/** Everything that runs in the coming seven days. */
export async function loadWeek(
  call: Caller,
  nowMs: number,
  signal: AbortSignal,
): Promise<readonly StrategyAhead[]> {
  const query = { page: 1, limit: listedMost, sort: 'name', order: 'asc' } as const;
  const { items } = await call('strategies.list', { query }, signal);
  const found = await Promise.all(items.map((strategy) => aheadOf(call, strategy, nowMs, signal)));
  return found.flatMap((one) => one ?? []);
}

/** The list has the next few runs; only where they do not reach the end of the week the rest is asked for. */
async function aheadOf(
  call: Caller,
  strategy: Strategy,
  nowMs: number,
  signal: AbortSignal,
): Promise<StrategyAhead | null> {
  const runs = strategy.next_runs ?? [];
  const last = Date.parse(runs.at(-1)?.utc ?? '');
  if (runs.length === 0 || last >= nowMs + weekDays * dayMs) return { strategy, runs, isCut: false };
  try {
    const input = { params: { id: strategy.id }, query: { runs_days: weekDays } };
    const all = (await call('strategies.get', input, signal)).next_runs ?? [];
    return { strategy, runs: all, isCut: all.length >= mostRuns };
  } catch (error) {
    // It was deleted after it was listed.
    if (problemOf(error).status === 404) return null;
    throw error;
  }
}

/** The days from today on as the zone has them, and what falls on each; runs of the past are left out. */
export function planWeek(ahead: readonly StrategyAhead[], zone: string, nowMs: number): Week {
  const days = daysFrom(zone, nowMs);
  const rows = ahead
    .filter(({ strategy }) => strategy.enabled)
    .map(({ strategy, runs, isCut }) => {
      const planned = runs.flatMap((run) => plannedRun(zone, run, nowMs) ?? []);
      const perDay = days.map(({ day }) => planned.filter(({ wall }) => wall.day === day));
      const end = days.at(-1)?.day ?? '';
      return {
        strategy,
        days: perDay,
        later: planned.find(({ wall }) => wall.day > end)?.wall.day ?? null,
        cutFrom: isCut ? cutFrom(days, planned) : null,
      };
    });
  return { days, rows, off: ahead.map(({ strategy }) => strategy).filter((strategy) => !strategy.enabled) };
}

/** Nothing is known after the last run that the server told. */
function cutFrom(days: readonly WeekDay[], planned: readonly PlannedRun[]): number | null {
  const last = planned.at(-1)?.wall.day;
  const at = days.findIndex(({ day }) => last !== undefined && day >= last);
  return at === -1 ? null : at;
}

function plannedRun(zone: string, run: Run, nowMs: number): PlannedRun | null {
  const atMs = Date.parse(run.utc ?? '');
  const wall = wallTimeIn(zone, atMs);
  return wall === null || atMs < nowMs ? null : { run, atMs, wall };
}

function daysFrom(zone: string, nowMs: number): readonly WeekDay[] {
  const today = wallTimeIn(zone, nowMs)?.day ?? new Date(nowMs).toISOString().slice(0, 10);
  // Days of the calendar, not stretches of 24 hours.
  const noonMs = Date.parse(`${today}T12:00:00Z`);
  const changes = Array.from({ length: weekDays + 2 }, (_, index) =>
    clockChangeBetween(zone, nowMs + (index - 1) * dayMs, nowMs + index * dayMs),
  );
  return Array.from({ length: weekDays }, (_, index) => {
    const date = new Date(noonMs + index * dayMs);
    const day = date.toISOString().slice(0, 10);
    const weekday = date.toLocaleDateString(locale, { weekday: 'short', timeZone: 'UTC' });
    return {
      day,
      weekday,
      change: changes.find((change) => change?.day === day) ?? null,
    };
  });
}

/** How a cell says its runs in little room: each one while they are few, otherwise how many of each kind. */
export function cellLines(
  runs: readonly PlannedRun[],
): readonly { readonly kind: string; readonly text: string; readonly title: string }[] {
  const shownMost = 3;
  if (runs.length <= shownMost) {
    return runs.map(({ run, wall }) => {
      const time = formatTimeOfDay(wall.time);
      return { kind: run.backup_type, text: time, title: time };
    });
  }
  const kinds = [...new Set(runs.map(({ run }) => run.backup_type))];
  return kinds.map((kind) => {
    const times = runs
      .filter(({ run }) => run.backup_type === kind)
      .map(({ wall }) => formatTimeOfDay(wall.time));
    const [first = ''] = times;
    if (times.length === 1) return { kind, text: first, title: first };
    return {
      kind,
      text: `${times.length} ×`,
      title: t('strategies.plan.times', { count: times.length, first, last: times.at(-1) ?? '' }),
    };
  });
}
