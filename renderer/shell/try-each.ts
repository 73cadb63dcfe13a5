import { problemOf } from '../bridge.ts';

export interface RefusedRow<R> {
  readonly row: R;
  readonly reason: string;
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
