/** Wall time of a zone, minute by minute, by `Intl` alone. */
export interface WallCalendar {
  readonly startMs: number;
  readonly minutes: number;
  /** Minutes that the wall clock is ahead of UTC at this minute since the start. */
  offsetAt(minute: number): number;
}

/** A schedule as sets of numbers. Null: any. */
export interface Fields {
  readonly minute: ReadonlySet<number> | null;
  readonly hour: ReadonlySet<number> | null;
  readonly dayOfMonth: ReadonlySet<number> | null;
  readonly month: ReadonlySet<number> | null;
  readonly dayOfWeek: ReadonlySet<number> | null;
  /** At times of the day: the hours are no `*` and no step. */
  readonly isFixed: boolean;
}

const minuteMs = 60_000;
const stepMinutes = 15;

export function readWallCalendar(timeZone: string, startMs: number, endMs: number): WallCalendar {
  const format = new Intl.DateTimeFormat('en-u-hc-h23', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const readOffset = (timeMs: number): number => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = (
      format.format(timeMs).match(/\d+/g) ?? []
    ).map(Number);
    return (Date.UTC(year, month - 1, day, hour, minute) - timeMs) / minuteMs;
  };
  const minutes = (endMs - startMs) / minuteMs;
  const offsets = new Int16Array(Math.ceil(minutes / stepMinutes) + 1);
  for (let step = 0; step < offsets.length; step += 1) {
    offsets[step] = readOffset(startMs + step * stepMinutes * minuteMs);
  }
  return {
    startMs,
    minutes,
    offsetAt: (minute) => {
      const step = Math.floor(minute / stepMinutes);
      const before = offsets[step] ?? 0;
      if (before === offsets[step + 1]) return before;
      return readOffset(startMs + minute * minuteMs);
    },
  };
}

/** Every moment at which the schedule falls due, by looking at each minute. */
export function momentsOf(
  fields: Fields,
  calendar: WallCalendar,
  fromMs: number,
  toMs: number,
): readonly number[] {
  const found: number[] = [];
  const seen = new Set<number>();
  const minuteOf = (timeMs: number) => (timeMs - calendar.startMs) / minuteMs;
  // From a day before: what has come once already by then does not come again.
  const first = Math.max(1, minuteOf(fromMs) - 1440);
  for (let minute = first; minute <= minuteOf(toMs); minute += 1) {
    const timeMs = calendar.startMs + minute * minuteMs;
    const offset = calendar.offsetAt(minute);
    const wall = timeMs / minuteMs + offset;
    let isDue = false;
    if (!fields.isFixed) isDue = matches(fields, wall);
    else {
      const skipped = offset - calendar.offsetAt(minute - 1);
      for (let back = Math.max(0, skipped); back >= 0; back -= 1) {
        if (seen.has(wall - back) || !matches(fields, wall - back)) continue;
        seen.add(wall - back);
        isDue = true;
      }
    }
    if (isDue && timeMs > fromMs) found.push(timeMs);
  }
  return found;
}

function matches(fields: Fields, wallMinute: number): boolean {
  const { minute, hour, month, dayOfMonth, dayOfWeek } = fields;
  if (minute !== null && !minute.has(wallMinute % 60)) return false;
  if (hour !== null && !hour.has(Math.floor(wallMinute / 60) % 24)) return false;
  const date = new Date(wallMinute * minuteMs);
  if (month !== null && !month.has(date.getUTCMonth() + 1)) return false;
  const isDay = dayOfMonth?.has(date.getUTCDate()) ?? false;
  const isWeekday = dayOfWeek?.has(date.getUTCDay()) ?? false;
  if (dayOfMonth !== null && dayOfWeek !== null) return isDay || isWeekday;
  if (dayOfMonth !== null) return isDay;
  return dayOfWeek === null || isWeekday;
}
