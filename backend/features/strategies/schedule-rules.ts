import { CronPattern } from 'croner';
import type { BackupType } from '../../../contract/tasks/task.ts';
import { cronTimes } from './cron-times.ts';

/** When a strategy makes copies, as wall time of its zone. */
export interface Schedules {
  readonly full: string | null;
  readonly incremental: string | null;
  readonly differential: string | null;
  /** IANA name. */
  readonly timeZone: string;
  readonly validFromMs: number | null;
  readonly validUntilMs: number | null;
}

export interface Run {
  readonly backupType: BackupType;
  readonly timeMs: number;
}

/** Full before differential before incremental: of runs that fall due together only the first is made. */
const byWidth: readonly BackupType[] = ['full', 'differential', 'incremental'];

/** Why a text is no schedule, or null. One that never falls due is none. */
export function whyScheduleIsRefused(text: string, nowMs: number): string | null {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== cronFields.length) {
    return 'must have five fields, none of them seconds: minute, hour, day of month, month, day of week, like `30 2 * * 1-5`';
  }
  try {
    return cronTimes(text, 'UTC', nowMs, 1).length === 0
      ? 'never falls due: there is no such day; choose one that the month has, or `L` for its last'
      : null;
  } catch {
    return `is not a cron schedule: ${whatIsWrong(fields)}`;
  }
}

/** What each field of a schedule can be, in their order. */
const cronFields = [
  { name: 'minute', values: '0–59' },
  { name: 'hour', values: '0–23' },
  { name: 'day of month', values: '1–31 or `L`' },
  { name: 'month', values: '1–12 or a name like `JAN`' },
  { name: 'day of week', values: '0–7 or a name like `MON`' },
] as const;

/** The first field that cannot be, with what it may be; the parser's own words speak of its inside. */
function whatIsWrong(fields: readonly string[]): string {
  const isRight = (field: string, at: number): boolean => {
    try {
      new CronPattern(cronFields.map((_, index) => (index === at ? field : '*')).join(' '), undefined, {
        mode: '5-part',
      });
      return true;
    } catch {
      return false;
    }
  };
  const at = fields.findIndex((field, index) => !isRight(field, index));
  const wrong = cronFields[at];
  if (wrong === undefined) return 'write it like `30 2 * * 1-5`';
  return `the ${wrong.name} \`${fields[at]}\` must be ${wrong.values}, \`*\`, a list (\`1,3\`), a range (\`1-5\`) or a step (\`*/2\`)`;
}

export function isTimeZone(name: string): boolean {
  // A fixed offset like `+02:00` is none: it would not follow the change of the clocks.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    // RangeError: no zone of this name.
    return false;
  }
}

/** The zone that this server runs in. */
export function serverTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The next `count` runs after `afterMs`, in order of time; changes of the clocks as `cronTimes` says. */
export function nextRuns(schedules: Schedules, afterMs: number, count: number): readonly Run[] {
  const from = Math.max(afterMs, (schedules.validFromMs ?? afterMs) - 1);
  const until = schedules.validUntilMs ?? Number.POSITIVE_INFINITY;
  const found = byWidth.flatMap((backupType) => {
    const text = schedules[backupType];
    if (text === null) return [];
    return cronTimes(text, schedules.timeZone, from, count).map((timeMs) => ({ backupType, timeMs }));
  });
  const byTime = new Map<number, Run>();
  // The widest comes first, so it is the one that stays.
  for (const run of found) if (!byTime.has(run.timeMs)) byTime.set(run.timeMs, run);
  return [...byTime.values()]
    .filter(({ timeMs }) => timeMs > afterMs && timeMs < until)
    .sort((left, right) => left.timeMs - right.timeMs)
    .slice(0, count);
}

/** All runs after `afterMs` and before `untilMs`, the first `most` of them. */
export function runsUntil(
  schedules: Schedules,
  afterMs: number,
  untilMs: number,
  most: number,
): readonly Run[] {
  // How many there are is not known beforehand, and a rare schedule must not be followed for a hundred years.
  for (let count = Math.min(16, most); ; count = Math.min(count * 4, most)) {
    const runs = nextRuns(schedules, afterMs, count);
    const isEnough = count === most || runs.length < count || (runs.at(-1)?.timeMs ?? untilMs) >= untilMs;
    if (isEnough) return runs.filter(({ timeMs }) => timeMs < untilMs);
  }
}
