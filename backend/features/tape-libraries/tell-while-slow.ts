import type { Tell } from './drive-care.ts';

/** Robots and drives may take minutes, and a new cartridge hours: until then nothing else tells a person that it goes on. */
const firstMs = 30_000;
const mostMs = 10 * 60_000;

/** Gives the end of the work, and tells that it still goes on as long as it does, ever more seldom. */
export async function tellWhileSlow<R>(work: Promise<R>, tell: Tell, doing: string): Promise<R> {
  let waitedMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number): void => {
    timer = setTimeout(() => {
      waitedMs += ms;
      tell('info', `Still ${doing}, for ${Math.round(waitedMs / 1000)} s.`);
      wait(Math.min(2 * ms, mostMs));
    }, ms);
  };
  wait(firstMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
