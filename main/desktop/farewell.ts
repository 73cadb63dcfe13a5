import { withinLimit } from '../platform/waiting.ts';

const usualLimitMs = 1_000;

/**
 * The window keeps some of what a person did for a moment, to tell it once. Before the app goes it is asked to tell now,
 * and waited for; a page that hangs or died holds up nobody for long.
 */
export function createFarewell(tell: () => boolean, limitMs = usualLimitMs) {
  let answered = (): void => undefined;
  return {
    /** Settled when the window has told all, or will not. */
    ask: async (): Promise<void> => {
      const told = new Promise<void>((resolve) => {
        answered = resolve;
      });
      if (tell()) await withinLimit(told, limitMs, undefined);
    },
    answered: (): void => answered(),
  };
}
