import type { Random } from '../../../../bench/support/random.ts';
import { dayMs, hourMs, minuteMs } from '../support.ts';

/** A look of the scheduler at the calendar. */
export interface Look {
  readonly atMs: number;
  /** The first one after a start. */
  readonly isStart: boolean;
  /** The server ends in it, at this step, as by `kill -9`. */
  readonly fatalStep: number | null;
  /** What it makes takes long, for some rules. */
  readonly isSlow: boolean;
  readonly isServiceMode: boolean;
  /** What happens after it. */
  readonly after: 'kill' | 'stop' | null;
}

export interface Life {
  readonly looks: readonly Look[];
  readonly counts: { readonly killsInLooks: number; readonly killsBetween: number } & Record<
    'stops' | 'sleeps' | 'serviceModes',
    number
  >;
}

const calm = { isStart: false, fatalStep: null, isSlow: false, isServiceMode: false, after: null } as const;
const kinds = [
  'kill in a look',
  'kill at the first look',
  'kill between',
  'stop',
  'sleep',
  'service',
] as const;
type Kind = (typeof kinds)[number];
const often: Readonly<Record<Kind, number>> = {
  'kill in a look': 12,
  'kill at the first look': 3,
  'kill between': 6,
  stop: 3,
  sleep: 6,
  service: 4,
};
/** Statements of a look, before and after each. Some looks have fewer: the server ends after them. */
const mostSteps = 24;

/** When the scheduler looks in that year, and what happens to the server meanwhile. Everything comes from the seed. */
export function yearLife(
  moments: readonly number[],
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  random: Random,
): Life {
  // A look comes up to a second after the minute, and some come between.
  const between = Array.from(
    { length: 300 },
    () => startMs + minuteMs + random.below(endMs - startMs - 2 * minuteMs),
  );
  const times = [...moments.map((timeMs) => timeMs + random.below(1_000)), ...between]
    .filter((timeMs) => timeMs > startMs)
    .sort((one, other) => one - other)
    .filter((timeMs, index, all) => timeMs !== all[index - 1]);
  const troubles = placeTroubles(times.length, random);
  const looks: Look[] = [];
  const fatal = (): number => 1 + random.below(mostSteps);
  const outageMs = (): number => minuteMs + random.below(random.below(3) === 0 ? 5 * dayMs : 3 * hourMs);
  let start: Look | null = { ...calm, atMs: startMs, isStart: true };
  let awayUntilMs = startMs;
  let serviceUntilMs = 0;
  for (const [index, atMs] of times.entries()) {
    if (atMs <= awayUntilMs) continue;
    if (start !== null) looks.push({ ...start, isServiceMode: start.atMs < serviceUntilMs });
    start = null;
    const isServiceMode = atMs < serviceUntilMs;
    const look = { ...calm, atMs, isServiceMode, isSlow: random.below(40) === 0 };
    const trouble = troubles.get(index) ?? null;
    if (trouble === 'service') serviceUntilMs = atMs + outageMs();
    if (trouble === null || trouble === 'service') {
      looks.push(look);
      continue;
    }
    awayUntilMs = atMs + outageMs();
    const next = { ...calm, atMs: awayUntilMs };
    if (trouble === 'sleep') {
      looks.push(look);
      start = next;
      continue;
    }
    start = { ...next, isStart: true };
    if (trouble === 'stop') looks.push({ ...look, after: 'stop' });
    else if (trouble === 'kill between') looks.push({ ...look, after: 'kill' });
    else looks.push({ ...look, fatalStep: fatal() });
    if (trouble !== 'kill at the first look') continue;
    // Once more, in the very first look of the start.
    looks.push({ ...start, fatalStep: fatal(), isServiceMode: start.atMs < serviceUntilMs });
    awayUntilMs += minuteMs + random.below(3 * hourMs);
    start = { ...start, atMs: awayUntilMs };
  }
  if (start !== null && start.atMs < endMs) looks.push(start);
  // All that is due by then, whatever was the matter.
  looks.push({ ...calm, atMs: endMs + 1_000 });
  const all = withModes(looks);
  const count = (isIt: (look: Look) => boolean): number => all.filter(isIt).length;
  return {
    looks: all,
    counts: {
      killsInLooks: count(({ fatalStep }) => fatalStep !== null),
      killsBetween: count(({ after }) => after === 'kill'),
      stops: count(({ after }) => after === 'stop'),
      sleeps: often.sleep,
      serviceModes: often.service,
    },
  };
}

/**
 * A server starts in the mode that it had. Where service mode ends there is a look at the time that the clock shows then:
 * the scheduler may take one by itself before time goes on.
 */
function withModes(looks: readonly Look[]): readonly Look[] {
  let isServiceMode = false;
  let shownMs = 0;
  return looks.flatMap((look) => {
    const hadServiceMode = isServiceMode;
    const isLost = look.isStart && look.fatalStep !== null;
    if (!isLost) isServiceMode = look.isServiceMode && !(look.isStart && !hadServiceMode);
    const ends = hadServiceMode && !isServiceMode;
    const atEnd = { ...calm, atMs: look.isStart ? look.atMs : shownMs };
    shownMs = look.atMs;
    if (look.isStart) return [{ ...look, isServiceMode: hadServiceMode }, ...(ends ? [atEnd] : [])];
    return ends ? [atEnd, look] : [look];
  });
}

/** By the number of a look, spread over the year. */
function placeTroubles(looks: number, random: Random): ReadonlyMap<number, Kind> {
  const all = kinds.flatMap((kind) => Array.from({ length: often[kind] }, () => kind));
  const shuffled = all
    .map((kind) => ({ kind, order: random.below(1_000_000) }))
    .sort((one, other) => one.order - other.order);
  const piece = Math.floor(looks / (all.length + 1));
  return new Map(shuffled.map(({ kind }, index) => [index * piece + random.below(piece) + 1, kind]));
}
