/**
 * A daily window in the server's local time: from `start` up to, not including, `end`. An end before the start
 * wraps midnight; a missing start is midnight, a missing end the end of the day; equal or both missing is all day.
 */
export interface DailyWindow {
  /** `HH:MM:SS` */
  readonly start: string | null;
  /** `HH:MM:SS` */
  readonly end: string | null;
}

const dayLength = 86_400;

/** Seconds of a day, `to` not included. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** `HH:MM:SS` → seconds since midnight. */
export function secondsOf(timeOfDay: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = timeOfDay.split(':').map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}

/**
 * What a clock on the wall shows. On a day of 23 or 25 hours a time that is skipped never comes and one that is
 * repeated comes twice, for the window as for people.
 */
export function secondOfDay(nowMs: number): number {
  const now = new Date(nowMs);
  return now.getHours() * 3600 + now.getMinutes() * 60 + now.getSeconds();
}

/** One span, or two when the window wraps midnight. */
function spansOf(window: DailyWindow): readonly Span[] {
  const from = window.start === null ? 0 : secondsOf(window.start);
  const to = window.end === null ? dayLength : secondsOf(window.end);
  if (from === to) return [{ from: 0, to: dayLength }];
  if (from < to) return [{ from, to }];
  const evening = { from, to: dayLength };
  // An end at midnight leaves nothing of the next day.
  return to === 0 ? [evening] : [evening, { from: 0, to }];
}

/** Whether the window holds at this second of the day. */
export function isWithin(window: DailyWindow, second: number): boolean {
  return spansOf(window).some(({ from, to }) => second >= from && second < to);
}

export function overlap(one: DailyWindow, other: DailyWindow): boolean {
  return spansOf(one).some((a) => spansOf(other).some((b) => a.from < b.to && b.from < a.to));
}

/** `from 22:00:00 to 06:00:00`, `all day`. */
export function describeWindow({ start, end }: DailyWindow): string {
  if (start === end) return 'all day';
  return `from ${start ?? '00:00:00'} to ${end ?? 'midnight'}`;
}
