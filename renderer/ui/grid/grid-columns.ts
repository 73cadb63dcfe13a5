import type { ReactNode } from 'react';
import type { ColumnState } from '../list/list-store.ts';

export interface Column<R> {
  readonly id: string;
  readonly header: string;
  readonly widthPx: number;
  /** The server can sort by it. */
  readonly sortable?: boolean;
  readonly align?: 'right';
  /** Not shown until somebody asks for it. */
  readonly hidden?: boolean;
  readonly cell: (row: R) => ReactNode;
  /** The whole value, for the tooltip of a cell that may be cut. */
  readonly title?: (row: R) => string | undefined;
}

export interface PlacedColumn<R> {
  readonly column: Column<R>;
  readonly widthPx: number;
  readonly isHidden: boolean;
}

export const leastWidthPx = 60;
const mostWidthPx = 2000;

/**
 * The columns as a person arranged them. The first one names the row: it stays first and shown. A column that the
 * arrangement does not know (a newer version brought it) keeps its place beside its neighbour.
 */
export function placeColumns<R>(
  columns: readonly Column<R>[],
  states: readonly ColumnState[],
): readonly PlacedColumn<R>[] {
  const stateOf = new Map(states.map((state) => [state.id, state]));
  const ids = columns.map((column) => column.id);
  const order = states.map((state) => state.id).filter((id) => ids.includes(id));
  for (const [index, id] of ids.entries()) {
    if (!stateOf.has(id)) order.splice(index === 0 ? 0 : order.indexOf(ids[index - 1] ?? '') + 1, 0, id);
  }
  const first = ids[0];
  const sorted = [first, ...order.filter((id) => id !== first)];
  return sorted.flatMap((id) => {
    const column = columns.find((one) => one.id === id);
    if (column === undefined) return [];
    const state = stateOf.get(column.id);
    return [
      {
        column,
        widthPx: state?.widthPx ?? column.widthPx,
        isHidden: column.id !== first && (state?.hidden ?? column.hidden ?? false),
      },
    ];
  });
}

export function resizeColumn<R>(
  placed: readonly PlacedColumn<R>[],
  id: string,
  widthPx: number,
): ColumnState[] {
  const fit = Math.min(mostWidthPx, Math.max(leastWidthPx, Math.round(widthPx)));
  return statesOf(placed).map((state) => (state.id === id ? { ...state, widthPx: fit } : state));
}

export function hideColumn<R>(
  placed: readonly PlacedColumn<R>[],
  id: string,
  hidden: boolean,
): ColumnState[] {
  return statesOf(placed).map((state) => (state.id === id ? { ...state, hidden } : state));
}

/** One step among the columns that are shown; neither onto nor away from the first place. */
export function moveColumn<R>(placed: readonly PlacedColumn<R>[], id: string, step: -1 | 1): ColumnState[] {
  const states = statesOf(placed);
  const from = states.findIndex((state) => state.id === id);
  let to = from + step;
  while (placed[to]?.isHidden) to += step;
  const [moved] = states.slice(from, from + 1);
  if (moved === undefined || from < 1 || to < 1 || to >= states.length) return states;
  states.splice(from, 1);
  states.splice(to, 0, moved);
  return states;
}

function statesOf<R>(placed: readonly PlacedColumn<R>[]): ColumnState[] {
  return placed.map(({ column, widthPx, isHidden }) => ({ id: column.id, widthPx, hidden: isHidden }));
}
