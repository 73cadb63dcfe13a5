import { cancelled } from './problem-error.ts';

/**
 * The work's result, or a `cancelled` problem as soon as the signal says so: work that does not look at its signal
 * (a name lookup that hangs) keeps nobody waiting.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  // Whoever gave up hears nothing of a later failure; it must not count as unhandled either.
  work.catch(() => undefined);
  if (signal.aborted) throw cancelled();
  let giveUp: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(cancelled());
    signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (giveUp) signal.removeEventListener('abort', giveUp);
  }
}

/** The work's result, or `fallback` after the limit. The work goes on unobserved. */
export async function withinLimit<T, F>(work: Promise<T>, limitMs: number, fallback: F): Promise<T | F> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<F>((resolve) => {
    timer = setTimeout(() => resolve(fallback), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Doubles from `firstMs` to `mostMs`. `failures` counts from 1. */
export function backOffMs(failures: number, firstMs: number, mostMs: number): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(Math.max(0, failures - 1), 30));
}
