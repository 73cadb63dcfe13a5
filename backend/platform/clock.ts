import { readFileSync } from 'node:fs';

/**
 * The backend's idea of time. Injected everywhere, so that a test states the time instead of waiting for it.
 *
 * - `now()`: wall clock, epoch milliseconds.
 * - `monotonic()`: milliseconds since an arbitrary point, never set back; for durations.
 */
export interface Clock {
  now(): number;
  monotonic(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/**
 * The machine's wall clock plus the offset (milliseconds) that stands in `file`; the file is read again at least
 * every 200 ms. A file that is missing or does not hold a whole number counts as no offset: while somebody
 * rewrites it, the last good offset stays.
 */
export function clockWithOffsetFile(file: string, base: Clock = systemClock): Clock {
  const rereadMs = 100;
  let offsetMs = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  const reread = (): void => {
    readAt = base.monotonic();
    try {
      const text = readFileSync(file, 'utf8').trim();
      if (/^[+-]?\d{1,15}$/.test(text)) offsetMs = Number(text);
    } catch (error) {
      // A file that is not there (yet) is the normal clock; anything else must not stop a backup server either.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') offsetMs = 0;
    }
  };
  return {
    now: () => {
      if (base.monotonic() - readAt >= rereadMs) reread();
      return base.now() + offsetMs;
    },
    monotonic: base.monotonic,
  };
}

/** The clock that the environment asks for (`STRONGROOM_CLOCK_FILE`). */
export function clockOf(environment: Readonly<Record<string, string | undefined>>): Clock {
  const file = environment.STRONGROOM_CLOCK_FILE;
  return file ? clockWithOffsetFile(file) : systemClock;
}
