import { problemOf } from '../bridge.ts';

export interface RefusedRow<R> {
  readonly row: R;
  readonly reason: string;
}

/** How many reasons one notice tells. */
const toldMost = 3;

/** The first of the reasons, each as a sentence of its own. */
export function firstReasons<R>(
  refused: readonly RefusedRow<R>[],
  sentence: (one: RefusedRow<R>) => string,
): string {
  return refused.slice(0, toldMost).map(sentence).join(' ');
}

/** Each for itself: one that is refused keeps no other from being tried. Answers those that were refused. */
export async function tryEach<R>(
  rows: readonly R[],
  act: (row: R) => Promise<unknown>,
): Promise<readonly RefusedRow<R>[]> {
  const refused: RefusedRow<R>[] = [];
  for (const row of rows) {
    try {
      await act(row);
    } catch (error) {
      refused.push({ row, reason: problemOf(error).message });
    }
  }
  return refused;
}
