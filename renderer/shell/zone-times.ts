import { locale } from '../texts/index.ts';

/** Moments as the clocks of a time zone show them, and what changes of these clocks do to them. */

export interface WallTime {
  /** `2030-03-31` */
  readonly day: string;
  /** `02:30`, with seconds only where there are some. */
  readonly time: string;
  /** `Sun`, `вс` */
  readonly weekday: string;
  readonly minuteOfDay: number;
  readonly offsetMs: number;
}

/** What a person should know about a moment at which the clocks are changed. */
export type ClockNote =
  | { readonly kind: 'gap'; readonly from: string; readonly to: string }
  | { readonly kind: 'repeat'; readonly time: string; readonly turn: 'first' | 'second' };

export interface ClockChange {
  readonly atMs: number;
  readonly day: string;
  /** What the clocks would have shown at that moment, and what they show. */
  readonly from: string;
  readonly to: string;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** No zone has ever set its clocks by more at once, but for a change of the date line. */
const widestChangeMs = 3 * hourMs;

const zoneKeptMs = 10_000;
let zoneHere = { zone: '', askedMs: Number.NEGATIVE_INFINITY };

/** Of this computer. Asking is dear, and each row of a table wants it twice; it may be carried into another one. */
export function localZone(): string {
  const nowMs = performance.now();
  if (nowMs - zoneHere.askedMs > zoneKeptMs)
    zoneHere = { zone: Intl.DateTimeFormat().resolvedOptions().timeZone, askedMs: nowMs };
  return zoneHere.zone;
}

/** Null: the zone or the moment is none. */
export function wallTimeIn(zone: string, timeMs: number): WallTime | null {
  const format = formatOf(zone);
  if (format === null || !Number.isFinite(timeMs)) return null;
  const parts = Object.fromEntries(format.formatToParts(timeMs).map(({ type, value }) => [type, value]));
  const { year = '', month = '', day = '', hour = '', minute = '', second = '', weekday = '' } = parts;
  const shownMs = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  return {
    day: `${year.padStart(4, '0')}-${month}-${day}`,
    time: second === '00' ? `${hour}:${minute}` : `${hour}:${minute}:${second}`,
    weekday,
    minuteOfDay: Number(hour) * 60 + Number(minute),
    offsetMs: shownMs - Math.floor(timeMs / 1000) * 1000,
  };
}

/**
 * The moment at which the clocks of the zone show this time (`2030-01-31T02:30:00`, without a zone): of two the first, and for
 * one that a change of the clocks skips, as far behind the change as it would have been. Null: the text is no time.
 */
export function momentIn(zone: string, text: string): number | null {
  const match = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?/.exec(text);
  const shownMs = match === null ? Number.NaN : Date.parse(`${match[0]}Z`);
  const before = wallTimeIn(zone, shownMs - dayMs)?.offsetMs;
  const after = wallTimeIn(zone, shownMs + dayMs)?.offsetMs;
  if (before === undefined || after === undefined) return null;
  if (before === after) return shownMs - before;
  // Of the offsets around it the one that holds at the moment itself; the earlier one counts first.
  const isRight = (offsetMs: number) => wallTimeIn(zone, shownMs - offsetMs)?.offsetMs === offsetMs;
  return shownMs - (isRight(before) || !isRight(after) ? before : after);
}

/** Whether the clocks jump to the moment, or show its time twice. */
export function clockNote(zone: string, timeMs: number): ClockNote | null {
  const here = wallTimeIn(zone, timeMs);
  if (here === null) return null;
  const offset = (atMs: number) => wallTimeIn(zone, atMs)?.offsetMs ?? here.offsetMs;
  const jumpMs = here.offsetMs - offset(timeMs - minuteMs);
  if (jumpMs > 0) return { kind: 'gap', from: clockAt(timeMs + here.offsetMs - jumpMs), to: here.time };
  const laterMs = offset(timeMs + widestChangeMs);
  if (laterMs < here.offsetMs && offset(timeMs + here.offsetMs - laterMs) === laterMs) {
    return { kind: 'repeat', time: here.time, turn: 'first' };
  }
  const earlierMs = offset(timeMs - widestChangeMs);
  if (earlierMs > here.offsetMs && offset(timeMs - (earlierMs - here.offsetMs)) === earlierMs) {
    return { kind: 'repeat', time: here.time, turn: 'second' };
  }
  return null;
}

/** The change of the clocks after the first moment, up to the second; of several the last. */
export function clockChangeBetween(zone: string, afterMs: number, untilMs: number): ClockChange | null {
  const end = wallTimeIn(zone, untilMs);
  if (end === null || wallTimeIn(zone, afterMs)?.offsetMs === end.offsetMs) return null;
  let before = Math.floor(afterMs / minuteMs);
  let after = Math.ceil(untilMs / minuteMs);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallTimeIn(zone, middle * minuteMs)?.offsetMs === end.offsetMs) after = middle;
    else before = middle;
  }
  const atMs = after * minuteMs;
  const now = wallTimeIn(zone, atMs);
  const last = wallTimeIn(zone, atMs - minuteMs);
  if (now === null || last === null) return null;
  return { atMs, day: now.day, from: clockAt(atMs + last.offsetMs), to: now.time };
}

/** `02:00` of a moment that is written as if it were in UTC. */
function clockAt(shiftedMs: number): string {
  return new Date(shiftedMs).toISOString().slice(11, 16);
}

const formats = new Map<string, Intl.DateTimeFormat | null>();

function formatOf(zone: string): Intl.DateTimeFormat | null {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = makeFormat(zone);
  formats.set(zone, made);
  return made;
}

function makeFormat(zone: string): Intl.DateTimeFormat | null {
  const two = '2-digit';
  try {
    return new Intl.DateTimeFormat(locale, {
      timeZone: zone,
      hourCycle: 'h23',
      weekday: 'short',
      year: 'numeric',
      month: two,
      day: two,
      hour: two,
      minute: two,
      second: two,
    });
  } catch {
    // RangeError: a server can name a zone that this computer does not know.
    return null;
  }
}
