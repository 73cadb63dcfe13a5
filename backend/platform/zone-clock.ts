import { remember } from './remember.ts';

/** A time during which the wall clock of a zone is ahead of UTC by the same. */
export interface ZoneSpan {
  readonly startMs: number;
  /** The first moment after it; what follows may be of the same offset. */
  readonly endMs: number;
  /** Of the wall clock before UTC; negative in the west. */
  readonly offsetMs: number;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Read at once and kept. No zone changes its clocks twice within a day, so that a look at each day finds all. */
const chunkMs = 28 * dayMs;
const mostChunks = 2000;
const mostZones = 700;

/** The clock on the wall of an IANA zone, by `Intl`, whose answers are slow and are kept therefore. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;
  readonly #chunks = new Map<number, readonly ZoneSpan[]>();

  /** @throws RangeError for a name that is no zone. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  }

  spanAt(timeMs: number): ZoneSpan {
    const chunk = Math.floor(timeMs / chunkMs);
    const spans = remember(this.#chunks, { key: chunk, most: mostChunks }, () => this.#readChunk(chunk));
    const span = spans.find(({ endMs }) => timeMs < endMs);
    if (span === undefined) throw new RangeError('no moment that a clock shows');
    return span;
  }

  /** When the wall shows this time, given as if it were UTC: the first of two times, or the end of the gap that skips it. */
  momentOf(wallMs: number): number {
    // No clock is ahead by more than 14 hours.
    let span = this.spanAt(wallMs - 15 * hourMs);
    for (;;) {
      const timeMs = wallMs - span.offsetMs;
      if (timeMs < span.startMs) return span.startMs;
      if (timeMs < span.endMs) return timeMs;
      span = this.spanAt(span.endMs);
    }
  }

  #readChunk(chunk: number): readonly ZoneSpan[] {
    const spans: ZoneSpan[] = [];
    const endMs = (chunk + 1) * chunkMs;
    let startMs = chunk * chunkMs;
    let offsetMs = this.#readOffset(startMs);
    for (let at = startMs; at < endMs; at += dayMs) {
      const next = this.#readOffset(at + dayMs);
      if (next === offsetMs) continue;
      const changeMs = this.#findChange(at, at + dayMs, offsetMs);
      if (changeMs >= endMs) break;
      spans.push({ startMs, endMs: changeMs, offsetMs });
      startMs = changeMs;
      offsetMs = next;
    }
    spans.push({ startMs, endMs, offsetMs });
    return spans;
  }

  /** The first second of another offset. */
  #findChange(fromMs: number, toMs: number, offsetMs: number): number {
    let [before, after] = [fromMs, toMs];
    while (after - before > 1000) {
      const middle = before + Math.floor((after - before) / 2000) * 1000;
      if (this.#readOffset(middle) === offsetMs) before = middle;
      else after = middle;
    }
    return after;
  }

  #readOffset(timeMs: number): number {
    const found = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?/.exec(this.#format.format(timeMs));
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = found ?? [];
    const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
    return sign === '-' ? -ms : ms;
  }
}

const clocks = new Map<string, ZoneClock>();

/** @throws RangeError for a name that is no zone. */
export function zoneClock(timeZone: string): ZoneClock {
  return remember(clocks, { key: timeZone, most: mostZones }, () => new ZoneClock(timeZone));
}
