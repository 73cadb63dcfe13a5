import type { BackupType } from '../../../contract/tasks/task.ts';
import {
  nextRuns,
  type Run,
  type ScheduleSpan,
  type Schedules,
  withoutSchedules,
} from '../strategies/strategy-service.ts';

/** A time of many runs of one kind that are not listed one by one. */
export interface Unlisted {
  readonly backupType: BackupType;
  readonly firstMs: number;
  /** All before this moment are left out. */
  readonly beforeMs: number;
}

export interface DueRuns {
  /** In order of time, one for each moment. */
  readonly runs: readonly Run[];
  readonly unlisted: readonly Unlisted[];
}

export const widths: readonly BackupType[] = ['full', 'differential', 'incremental'];
/** Of one kind at one look: a schedule of every minute would list half a million after a year. */
export const mostListed = 1000;
const dayMs = 86_400_000;

/** What fell due in some times that follow each other. Pure. */
export function dueRuns(spans: readonly ScheduleSpan[]): DueRuns {
  const due = spans.map(({ schedules, fromMs, untilMs }) => runsWithin(schedules, fromMs, untilMs));
  return { runs: due.flatMap(({ runs }) => runs), unlisted: due.flatMap(({ unlisted }) => unlisted) };
}

/** When the next run falls due; null: never. */
export function nextDueMs(schedules: Schedules, afterMs: number): number | null {
  return nextRuns(schedules, afterMs, 1)[0]?.timeMs ?? null;
}

function runsWithin(schedules: Schedules, afterMs: number, untilMs: number): DueRuns {
  if (afterMs >= untilMs) return { runs: [], unlisted: [] };
  const byTime = new Map<number, Run>();
  const unlisted: Unlisted[] = [];
  for (const backupType of widths) {
    if (schedules[backupType] === null) continue;
    const only = { ...withoutSchedules(schedules), [backupType]: schedules[backupType] };
    const listed = latestRuns(only, afterMs, untilMs);
    for (const run of listed.runs) if (!byTime.has(run.timeMs)) byTime.set(run.timeMs, run);
    if (listed.beforeMs !== null) {
      const firstMs = nextDueMs(only, afterMs) ?? afterMs;
      unlisted.push({ backupType, firstMs, beforeMs: listed.beforeMs });
    }
  }
  const runs = [...byTime.values()].sort((left, right) => left.timeMs - right.timeMs);
  return { runs, unlisted };
}

/** The latest runs of one kind; `beforeMs` says from where on they are listed when there are more. */
function latestRuns(
  only: Schedules,
  afterMs: number,
  untilMs: number,
): { readonly runs: readonly Run[]; readonly beforeMs: number | null } {
  const within = (fromMs: number): readonly Run[] => {
    // Mostly there is one: not a thousand are worked out to find that out.
    for (const count of [2, 30, mostListed + 1]) {
      const runs = nextRuns(only, fromMs, count);
      const isAll = runs.length < count || (runs.at(-1)?.timeMs ?? 0) > untilMs;
      if (isAll || count > mostListed) return runs.filter(({ timeMs }) => timeMs <= untilMs);
    }
    return [];
  };
  let fromMs = afterMs;
  let runs = within(fromMs);
  for (const days of [31, 1]) {
    const later = untilMs - days * dayMs;
    if (runs.length <= mostListed || later <= fromMs) break;
    const fewer = within(later);
    // Many on a few days of the year, and none lately.
    if (fewer.length === 0) break;
    fromMs = later;
    runs = fewer;
  }
  while (runs.length > mostListed) {
    fromMs = runs.at(-2)?.timeMs ?? untilMs;
    const more = within(fromMs);
    if (more.length <= mostListed) {
      runs = [...runs, ...more].filter(onlyOnce).slice(-mostListed);
      break;
    }
    runs = more;
  }
  const first = runs[0]?.timeMs ?? null;
  const isCut = fromMs !== afterMs && first !== null;
  return { runs, beforeMs: isCut ? first : null };
}

function onlyOnce(run: Run, index: number, all: readonly Run[]): boolean {
  return all[index - 1]?.timeMs !== run.timeMs;
}
