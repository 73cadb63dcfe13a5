import { Cron, CronPattern } from 'croner';
import { remember } from '../../platform/remember.ts';
import { type ZoneClock, zoneClock } from '../../platform/zone-clock.ts';

/**
 * The next `count` moments after `afterMs` at which a cron text of five fields falls due in a zone, in order of time.
 * A wall time that a change of the clocks skips falls due once, right after the gap; one that comes twice falls due once.
 * Schedules with `*` or a step in the hours, or in the minutes of all hours, go by elapsed time instead: through both of
 * the hours that come twice, and on after a gap.
 * @throws Error for a text that is no schedule, RangeError for a zone that does not exist.
 */
export function cronTimes(text: string, timeZone: string, afterMs: number, count: number): readonly number[] {
  const { cron, isByElapsedTime } = patternOf(text);
  const clock = zoneClock(timeZone);
  return isByElapsedTime
    ? timesByElapsed(cron, clock, afterMs, count)
    : timesOfDay(cron, clock, afterMs, count);
}

interface Pattern {
  /** Of wall times as if they were UTC: the library's own way through zones asks `Intl` for each of them, which takes ten times as long. */
  readonly cron: Cron;
  readonly isByElapsedTime: boolean;
}

const mostPatterns = 1000;
const patterns = new Map<string, Pattern>();

function patternOf(text: string): Pattern {
  return remember(patterns, { key: text, most: mostPatterns }, () => ({
    cron: new Cron(text, { utcOffset: 0, mode: '5-part', paused: true }),
    isByElapsedTime: isByElapsedTime(text),
  }));
}

const repeats = /[*?/]/;

/** Not when minutes and hours are times of the day: a step in the minutes makes no others of them. */
function isByElapsedTime(text: string): boolean {
  const [minute = '', hour = ''] = text.trim().split(/\s+/);
  if (!repeats.test(minute) && !repeats.test(hour)) return false;
  const pattern = new CronPattern(text, undefined, { mode: '5-part' });
  const hours = [...pattern.hour].filter((mark) => mark === 1).length;
  return hours === 24 || (repeats.test(hour) && hours > 1);
}

function timesOfDay(cron: Cron, clock: ZoneClock, afterMs: number, count: number): readonly number[] {
  const found: number[] = [];
  let wallMs = afterMs + clock.spanAt(afterMs).offsetMs;
  let lastMs = afterMs;
  while (found.length < count) {
    const walls = nextWalls(cron, wallMs, count - found.length);
    if (walls.length === 0) break;
    for (const wall of walls) {
      const timeMs = clock.momentOf(wall);
      // Of two times the first is over, or several fell into one gap.
      if (timeMs > lastMs) {
        found.push(timeMs);
        lastMs = timeMs;
      }
      wallMs = wall;
    }
  }
  return found;
}

function timesByElapsed(cron: Cron, clock: ZoneClock, afterMs: number, count: number): readonly number[] {
  const found: number[] = [];
  let span = clock.spanAt(afterMs);
  let fromMs = afterMs;
  while (found.length < count) {
    const walls = nextWalls(cron, fromMs + span.offsetMs, count - found.length);
    const firstWall = walls[0];
    if (firstWall === undefined) break;
    const endMs = endOfOffset(clock, span.endMs, span.offsetMs, firstWall - span.offsetMs);
    const times = walls.map((wall) => wall - span.offsetMs).filter((timeMs) => timeMs < endMs);
    found.push(...times);
    if (times.length === walls.length) fromMs = times.at(-1) ?? fromMs;
    else {
      // What stands at the first moment of the next offset falls due, too.
      fromMs = endMs - 1;
      span = clock.spanAt(endMs);
    }
  }
  return found;
}

/** Follows the same offset beyond `endMs` as far as a moment, so that a rare schedule is not looked for month by month. */
function endOfOffset(clock: ZoneClock, endMs: number, offsetMs: number, momentMs: number): number {
  let at = endMs;
  while (at <= momentMs) {
    const next = clock.spanAt(at);
    if (next.offsetMs !== offsetMs) return at;
    at = next.endMs;
  }
  return at;
}

function nextWalls(cron: Cron, afterWallMs: number, count: number): readonly number[] {
  return cron.nextRuns(count, new Date(afterWallMs)).map((date) => date.getTime());
}
