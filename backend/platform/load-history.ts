import type { Clock } from './clock.ts';
import { averageBetween, type HostAverages, type HostCounters, type ReadHostCounters } from './host-load.ts';

interface Sample {
  readonly atMs: number;
  readonly counters: HostCounters;
}

/** `unmeasured`: there are figures, but not for long enough yet. `untold`: the system tells none. */
export type MeasuredLoad =
  | { readonly kind: 'measured'; readonly averages: HostAverages }
  | { readonly kind: 'unmeasured' }
  | { readonly kind: 'untold' };

export type LoadHistory = ReturnType<typeof createLoadHistory>;

const everyMs = 1_000;
const longestMs = 3_600_000;
/** Younger samples are kept one by one, older ones only every `coarseMs`: a bounded history of an hour. */
const fineMs = 120_000;
const coarseMs = 10_000;

/**
 * Looks at the counters of the host once a second and keeps the history that averages over up to an hour need
 * (about 470 samples at most).
 */
export function createLoadHistory(deps: { readonly clock: Clock; readonly read: ReadHostCounters }) {
  let samples: readonly Sample[] = [];
  let isUntold = false;
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<void> | null = null;

  const look = async (): Promise<void> => {
    const counters = await deps.read();
    isUntold = counters === null;
    if (counters === null) return;
    const atMs = deps.clock.monotonic();
    samples = thinned([...samples, { atMs, counters }], atMs);
  };
  const sample = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  };

  return {
    /** Adds the counters of now to the history. */
    sample,

    /** Averages over the last `periodSeconds`, or over what is known of them. */
    over: (periodSeconds: number): MeasuredLoad => {
      if (isUntold) return { kind: 'untold' };
      const last = samples.at(-1);
      if (last === undefined) return { kind: 'unmeasured' };
      const fromMs = last.atMs - periodSeconds * 1000;
      const before = samples.findLast((one) => one.atMs <= fromMs) ?? samples[0];
      const averages = before === undefined ? null : averageBetween(before, last);
      return averages === null ? { kind: 'unmeasured' } : { kind: 'measured', averages };
    },

    /** Samples that are kept. */
    size: (): number => samples.length,

    start: (): void => {
      timer ??= setInterval(() => void sample(), everyMs);
      timer.unref();
      void sample();
    },
    stop: async (): Promise<void> => {
      if (timer !== null) clearInterval(timer);
      timer = null;
      await looking;
    },
  };
}

function thinned(samples: readonly Sample[], nowMs: number): readonly Sample[] {
  const kept: Sample[] = [];
  for (const sample of samples) {
    const previous = kept.at(-1);
    const ageMs = nowMs - sample.atMs;
    // One beyond the hour stays: the average over a whole hour begins at it.
    if (ageMs > longestMs + coarseMs) continue;
    const isFine = ageMs <= fineMs;
    if (isFine || previous === undefined || sample.atMs - previous.atMs >= coarseMs) kept.push(sample);
  }
  return kept;
}
