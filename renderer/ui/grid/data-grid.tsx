import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type PointerEvent,
  type ReactNode,
  useId,
  useRef,
  useState,
} from 'react';
import { useStore } from 'zustand';
import { neighbour, type RowId, selectOne, selectRange, toggleOne } from '../list/list-selection.ts';
import type { ListStore } from '../list/list-store.ts';
import { pageSize } from '../list/list-store.ts';

export interface Column<R> {
  readonly id: string;
  readonly header: string;
  readonly widthPx: number;
  /** The server can sort by it. */
  readonly sortable?: boolean;
  readonly align?: 'right';
  readonly cell: (row: R) => ReactNode;
  /** The whole value, for the tooltip of a cell that may be cut. */
  readonly title?: (row: R) => string | undefined;
}

export interface DataGridProps<R> {
  readonly label: string;
  readonly list: ListStore<R>;
  readonly columns: readonly Column<R>[];
  readonly onOpen?: (row: R) => void;
  readonly rowPx?: number;
}

const least = 60;

/**
 * A table of any length: only what can be seen is drawn. One tab stop; arrows, Space, Shift and Ctrl, Home and End,
 * J and K move and select, Enter opens.
 */
export function DataGrid<R>(props: DataGridProps<R>) {
  const { list, columns } = props;
  const base = useId();
  const scroll = useRef<HTMLDivElement>(null);
  const { total, selection, query, pages } = useStore(list.store);
  const [widths, setWidths] = useState<Readonly<Record<string, number>>>({});
  const rowPx = props.rowPx ?? rowHeight();
  const count = total ?? 0;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan: 12,
    onChange: (instance) => {
      const items = instance.getVirtualItems();
      const [first, last] = [items[0], items.at(-1)];
      if (first !== undefined && last !== undefined) list.show(first.index, last.index);
    },
  });
  const widthOf = (column: Column<R>) => widths[column.id] ?? column.widthPx;
  const order = () => [...pages].sort(([a], [b]) => a - b).flatMap(([, items]) => items.map(list.idOf));
  const indexOf = (id: RowId): number => {
    for (const [page, items] of pages) {
      const at = items.findIndex((row) => list.idOf(row) === id);
      if (at >= 0) return (page - 1) * pageSize + at;
    }
    return -1;
  };
  const goTo = (id: RowId | null, event: { readonly shiftKey: boolean }) => {
    if (id === null) return;
    list.setSelection(event.shiftKey ? selectRange(selection, id, order()) : selectOne(id));
    const index = indexOf(id);
    if (index >= 0) rows.scrollToIndex(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      goTo(neighbour(selection.current, order(), step), event);
    } else if (event.key === ' ' && selection.current !== null) {
      event.preventDefault();
      list.setSelection(toggleOne(selection, selection.current));
    } else if (event.key === 'Enter' && selection.current !== null) {
      const row = list.rowAt(indexOf(selection.current));
      if (row !== undefined) props.onOpen?.(row);
    } else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      const all = order();
      list.setSelection({ ids: new Set(all), current: all[0] ?? null, anchor: all[0] ?? null });
    }
  };
  const onClick = (event: MouseEvent, row: R) => {
    const id = list.idOf(row);
    if (event.shiftKey) list.setSelection(selectRange(selection, id, order()));
    else if (event.ctrlKey || event.metaKey) list.setSelection(toggleOne(selection, id));
    else list.setSelection(selectOne(id));
  };
  const sortBy = (field: string) => {
    const isUp = query.sort?.field === field && query.sort.order === 'asc';
    list.setQuery({ sort: { field, order: isUp ? 'desc' : 'asc' } });
  };
  const resize = (event: PointerEvent, column: Column<R>) => {
    const startX = event.clientX;
    const startWidth = widthOf(column);
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const move = (at: globalThis.PointerEvent) => {
      const width = Math.max(least, startWidth + at.clientX - startX);
      setWidths((before) => ({ ...before, [column.id]: width }));
    };
    handle.addEventListener('pointermove', move as EventListener);
    const end = () => handle.removeEventListener('pointermove', move as EventListener);
    handle.addEventListener('pointerup', end, { once: true });
    handle.addEventListener('pointercancel', end, { once: true });
  };
  return (
    <div className="grid">
      <div
        className="grid-scroll"
        ref={scroll}
        role="grid"
        aria-label={props.label}
        aria-rowcount={count + 1}
        aria-colcount={columns.length}
        aria-multiselectable="true"
        aria-activedescendant={selection.current === null ? undefined : `${base}-${selection.current}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div className="grid-header" role="row" aria-rowindex={1}>
          {columns.map((column, index) => (
            <div
              key={column.id}
              role="columnheader"
              aria-colindex={index + 1}
              aria-sort={sortOf(query.sort, column)}
              tabIndex={-1}
              className={`grid-head-cell${column.align === 'right' ? ' align-right' : ''}`}
              style={{ width: widthOf(column) }}
            >
              {column.sortable === false ? (
                <span>{column.header}</span>
              ) : (
                <button type="button" tabIndex={-1} onClick={() => sortBy(column.id)}>
                  {column.header}
                  {query.sort?.field === column.id && <SortArrow order={query.sort.order} />}
                </button>
              )}
              <span className="grid-resize" aria-hidden onPointerDown={(event) => resize(event, column)} />
            </div>
          ))}
        </div>
        <div className="grid-body" role="rowgroup" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((item) => {
            const row = list.rowAt(item.index);
            const id = row === undefined ? null : list.idOf(row);
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid itself has the keyboard; rows are its descendants
              <div
                key={id ?? `empty-${item.index}`}
                id={id === null ? undefined : `${base}-${id}`}
                role="row"
                tabIndex={-1}
                aria-rowindex={item.index + 2}
                aria-selected={id !== null && selection.ids.has(id)}
                aria-busy={row === undefined}
                data-current={id !== null && id === selection.current}
                className="grid-row"
                style={{ transform: `translateY(${item.start}px)`, height: rowPx }}
                onClick={row === undefined ? undefined : (event) => onClick(event, row)}
                onDoubleClick={row === undefined ? undefined : () => props.onOpen?.(row)}
              >
                <Cells row={row} columns={columns} widths={widths} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

const Cells = memo(function Cells<R>(props: {
  readonly row: R | undefined;
  readonly columns: readonly Column<R>[];
  readonly widths: Readonly<Record<string, number>>;
}) {
  const { row, columns, widths } = props;
  return columns.map((column, index) => (
    <div
      key={column.id}
      role="gridcell"
      tabIndex={-1}
      aria-colindex={index + 1}
      className={`grid-cell${column.align === 'right' ? ' align-right' : ''}`}
      style={{ width: widths[column.id] ?? column.widthPx }}
      title={row === undefined ? undefined : column.title?.(row)}
    >
      {row === undefined ? <div className="skeleton" style={{ margin: '9px 0' }} /> : column.cell(row)}
    </div>
  ));
}) as <R>(props: {
  readonly row: R | undefined;
  readonly columns: readonly Column<R>[];
  readonly widths: Readonly<Record<string, number>>;
}) => ReactNode;

const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  j: 1,
  ArrowUp: -1,
  k: -1,
  PageDown: 15,
  PageUp: -15,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

function SortArrow(props: { readonly order: 'asc' | 'desc' }) {
  return props.order === 'asc' ? <ArrowUp size={12} aria-hidden /> : <ArrowDown size={12} aria-hidden />;
}

function sortOf<R>(
  sort: { readonly field: string; readonly order: 'asc' | 'desc' } | null,
  column: Column<R>,
) {
  if (column.sortable === false) return undefined;
  if (sort?.field !== column.id) return 'none';
  return sort.order === 'asc' ? 'ascending' : 'descending';
}

/** The height that the chosen density gives. */
function rowHeight(): number {
  const text = getComputedStyle(document.documentElement).getPropertyValue('--row');
  return Number.parseInt(text, 10) || 28;
}
