/** The arithmetic of a selection, by ids and never by row numbers. Pure. */
export type RowId = number | string;

export interface Selection {
  readonly ids: ReadonlySet<RowId>;
  /** The row that has the keyboard. */
  readonly current: RowId | null;
  /** Where a range begins. */
  readonly anchor: RowId | null;
}

export const nothingSelected: Selection = { ids: new Set(), current: null, anchor: null };

export function selectOne(id: RowId): Selection {
  return { ids: new Set([id]), current: id, anchor: id };
}

export function toggleOne(selection: Selection, id: RowId): Selection {
  const ids = new Set(selection.ids);
  if (!ids.delete(id)) ids.add(id);
  return { ids, current: id, anchor: id };
}

/** From the anchor to `id`, in the order in which the rows stand. Rows that are not loaded cannot be part of it. */
export function selectRange(selection: Selection, id: RowId, order: readonly RowId[]): Selection {
  const from = selection.anchor === null ? -1 : order.indexOf(selection.anchor);
  const to = order.indexOf(id);
  if (from < 0 || to < 0) return selectOne(id);
  const ids = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: new Set(ids), current: id, anchor: selection.anchor };
}

/** The row that an arrow key leads to; the end stays where it is. */
export function neighbour(current: RowId | null, order: readonly RowId[], step: number): RowId | null {
  if (order.length === 0) return null;
  const at = current === null ? -1 : order.indexOf(current);
  if (at < 0) return (step > 0 ? order[0] : order.at(-1)) ?? null;
  return order[Math.min(order.length - 1, Math.max(0, at + step))] ?? null;
}

/** What is left of a selection when rows are gone for good. */
export function withoutRows(selection: Selection, gone: ReadonlySet<RowId>): Selection {
  const ids = new Set([...selection.ids].filter((id) => !gone.has(id)));
  const kept = (id: RowId | null) => (id !== null && gone.has(id) ? null : id);
  return { ids, current: kept(selection.current), anchor: kept(selection.anchor) };
}
