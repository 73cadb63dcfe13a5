import { cleanup } from '@testing-library/react';
import { afterAll } from 'vitest';

/**
 * A page ends with its timers. The simulated one does not: what a list still wanted to look at would come due in a
 * place where the browser's classes are Node's again, and fail the run outside of any test.
 */
const timers = new Set<ReturnType<typeof setTimeout>>();
const { setTimeout: setTimer, setInterval: setRepeated } = globalThis;

globalThis.setTimeout = Object.assign(
  (act: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
    const timer = setTimer(() => {
      timers.delete(timer);
      act(...given);
    }, ms);
    timers.add(timer);
    return timer;
  },
  setTimer,
) as typeof setTimeout;

globalThis.setInterval = ((act: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
  const timer = setRepeated(act, ms, ...given);
  timers.add(timer);
  return timer;
}) as typeof setInterval;

afterAll(() => {
  cleanup();
  for (const timer of timers) clearTimeout(timer);
});
