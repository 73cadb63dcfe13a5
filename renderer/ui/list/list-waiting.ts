import type { RowId } from './list-selection.ts';

export interface PageAnswer<R> {
  readonly items: readonly R[];
  readonly total: number;
}

/** Rows stay where they are and take their new values; `isSame`: the answer has just these rows in this order. */
export function holdOrder<R>(
  shown: readonly R[],
  answer: PageAnswer<R>,
  idOf: (row: R) => RowId,
): { readonly rows: readonly R[]; readonly isSame: boolean } {
  const fresh = new Map(answer.items.map((row) => [idOf(row), row]));
  const rows = shown.map((row) => fresh.get(idOf(row)) ?? row);
  const isSame =
    answer.items.length === shown.length &&
    answer.items.every((row, index) => {
      const there = shown[index];
      return there !== undefined && idOf(there) === idOf(row);
    });
  return { rows, isSame };
}

/** How many rows of the waiting answers are not drawn anywhere, or by how many the list grew if that is more. */
export function waitingRows<R>(
  pages: ReadonlyMap<number, readonly R[]>,
  waiting: ReadonlyMap<number, PageAnswer<R>>,
  shownTotal: number | null,
  idOf: (row: R) => RowId,
): number | null {
  if (waiting.size === 0) return null;
  const drawn = new Set([...pages.values()].flat().map(idOf));
  const first = waiting.get(1)?.items.filter((row) => !drawn.has(idOf(row))).length ?? 0;
  const total = Math.max(...[...waiting.values()].map((answer) => answer.total));
  return Math.max(first, total - (shownTotal ?? total), 0);
}
