/** Work that many want done at the same moment, one after the other: in between, main answers whoever else asks. */
export interface Turns {
  /** At once when nobody else had a turn at this moment, otherwise when those before have had theirs. */
  readonly take: (work: () => void) => void;
  /** Whoever still waits has no turn any more. */
  readonly close: () => void;
}

export function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  let coming: NodeJS.Immediate | null = null;
  const next = (): void => {
    const work = waiting.shift();
    coming = work ? setImmediate(next) : null;
    work?.();
  };
  return {
    take: (work) => {
      waiting.push(work);
      if (coming === null) next();
    },
    close: () => {
      if (coming !== null) clearImmediate(coming);
      coming = null;
      waiting.length = 0;
    },
  };
}
