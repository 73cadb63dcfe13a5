import { Columns3 } from 'lucide-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useStore } from 'zustand';
import { t } from '../../texts/index.ts';
import { shortcutKey } from '../keys.ts';
import { type RowId, type Selection, selectOne, selectRange, toggleOne } from '../list/list-selection.ts';
import { type ListStore, pageSize, rowOf } from '../list/list-store.ts';
import { ChoiceMenu, ContextMenu, type MenuPoint } from '../menu.tsx';
import { Cells } from './grid-cells.tsx';
import { type Column, hideColumn, moveColumn, placeColumns, resizeColumn } from './grid-columns.ts';
import { GridHeader, headerButtons } from './grid-header.tsx';
import { useRowHeight } from './row-height.ts';
import { bodyPx } from './rows-in-view.ts';
import { useScrollKept } from './scroll-kept.ts';
import { useLater } from './use-later.ts';
import { useRows } from './use-rows.ts';
import { fillSlots, useSlots } from './use-slots.ts';

export interface DataGridProps<R> {
  readonly label: string;
  readonly list: ListStore<R>;
  readonly columns: readonly Column<R>[];
  readonly onOpen?: (row: R) => void;
  /** Buttons that act on the selected rows: the menu of a row. */
  readonly rowActions?: ReactNode;
}

/**
 * A table of any length: only what can be seen is drawn. One tab stop for the rows; arrows, Space, Shift and Ctrl,
 * Home and End, J and K move and select, Enter opens, Shift+F10 shows what can be done.
 */
export function DataGrid<R>(props: DataGridProps<R>) {
  const { list } = props;
  const base = useId();
  const scroll = useRef<HTMLDivElement>(null);
  const { total, selection, query, pages, columns: states, waiting, wanted } = useStore(list.store);
  const [dragged, setDragged] = useState<{ readonly id: string; readonly widthPx: number } | null>(null);
  const [menuAt, setMenuAt] = useState<MenuPoint | null>(null);
  const rowPx = useRowHeight();
  const count = total ?? 0;
  const { inView, reachPx, scrollTo } = useRows(scroll, { count, rowPx });
  const { first, last } = inView;
  const slots = useSlots(last - first + 1);
  const now = useMemo(() => ({ inView, pages }), [inView, pages]);
  const rest = useLater(now);
  useEffect(() => {
    if (first <= last) list.show(first, last);
  }, [list, first, last]);
  useScrollKept(list, scroll, rowPx);
  const placed = useMemo(() => placeColumns(props.columns, states), [props.columns, states]);
  const shown = useMemo(
    () =>
      placed
        .filter((one) => !one.isHidden)
        .map((one) => (one.column.id === dragged?.id ? { ...one, widthPx: dragged.widthPx } : one)),
    [placed, dragged],
  );
  const widthPx = shown.reduce((sum, one) => sum + one.widthPx, 0);

  const order = () => [...pages].sort(([a], [b]) => a - b).flatMap(([, items]) => items.map(list.idOf));
  const indexOf = (id: RowId | null): number => {
    if (id === null) return -1;
    for (const [page, items] of pages) {
      const at = items.findIndex((row) => list.idOf(row) === id);
      if (at >= 0) return (page - 1) * pageSize + at;
    }
    return -1;
  };
  const wantedAt = indexOf(wanted);
  useEffect(() => {
    if (wantedAt < 0) return;
    scrollTo(wantedAt);
    list.reveal(null);
  }, [list, wantedAt, scrollTo]);
  const goTo = (index: number, isRange: boolean) => {
    const to = Math.min(count - 1, Math.max(0, index));
    scrollTo(to);
    const take = (row: R | undefined) => {
      if (row === undefined) return;
      const now: Selection = list.store.getState().selection;
      const id = list.idOf(row);
      list.setSelection(isRange ? selectRange(now, id, order()) : selectOne(id));
    };
    const row = list.rowAt(to);
    if (row === undefined) void list.reach(to).then(take);
    else take(row);
  };
  const openMenu = (at: MenuPoint) => props.rowActions !== undefined && setMenuAt(at);
  const menuOfCurrent = () => {
    const row = scroll.current?.querySelector('[data-current="true"]')?.getBoundingClientRect();
    openMenu({ x: (row?.left ?? 0) + 24, y: row?.bottom ?? 0 });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // What is pressed on a header is not meant for the rows; shortcuts of the window hear of it.
    if (event.target instanceof Element && event.target.closest('[data-grid-header]') !== null) return;
    const at = indexOf(selection.current);
    const screenful = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 0) / rowPx) - 2);
    const isCommand = event.ctrlKey || event.metaKey;
    const to = isCommand || event.altKey ? undefined : target(event, at, screenful, count);
    if (to !== undefined && to < 0 && !event.shiftKey) {
      if (scroll.current !== null) headerButtons(scroll.current)[0]?.focus();
    } else if (to !== undefined) {
      goTo(to, event.shiftKey);
    } else if (event.key === ' ' && selection.current !== null) {
      list.setSelection(toggleOne(selection, selection.current));
    } else if (event.key === 'Enter' && selection.current !== null) {
      const row = list.rowAt(at);
      if (row !== undefined) props.onOpen?.(row);
    } else if (shortcutKey(event) === 'a' && isCommand) {
      const all = order();
      list.setSelection({
        ids: new Set(all),
        current: selection.current ?? all[0] ?? null,
        anchor: all[0] ?? null,
      });
    } else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      menuOfCurrent();
    } else {
      return;
    }
    event.preventDefault();
  };
  const onClick = (event: MouseEvent, row: R) => {
    const id = list.idOf(row);
    if (event.shiftKey) list.setSelection(selectRange(selection, id, order()));
    else if (event.ctrlKey || event.metaKey) list.setSelection(toggleOne(selection, id));
    else list.setSelection(selectOne(id));
  };
  const onContextMenu = (event: MouseEvent, row: R) => {
    event.preventDefault();
    if (!selection.ids.has(list.idOf(row))) list.setSelection(selectOne(list.idOf(row)));
    openMenu({ x: event.clientX, y: event.clientY });
  };
  return (
    <div className="grid">
      {waiting !== null && (
        <div className="grid-waiting" role="status">
          <span>{waiting === 0 ? t('ui.grid.orderChanged') : t('ui.grid.newRows', { count: waiting })}</span>
          <button
            type="button"
            className="button button-primary"
            onClick={() => {
              scroll.current?.scrollTo({ top: 0 });
              list.showWaiting();
            }}
          >
            {t('ui.grid.show')}
          </button>
        </div>
      )}
      <div className="grid-columns">
        <ChoiceMenu
          label={t('ui.grid.chooseColumns')}
          trigger={<Columns3 size={16} aria-hidden />}
          choices={placed
            .slice(1)
            .map((one) => ({ id: one.column.id, label: one.column.header, isOn: !one.isHidden }))}
          onChange={(id, isOn) => list.setColumns(hideColumn(placed, id, !isOn))}
          actions={[{ id: 'reset', label: t('ui.grid.asMade'), run: () => list.setColumns([]) }]}
        />
      </div>
      <div
        className="grid-scroll"
        ref={scroll}
        role="grid"
        aria-label={props.label}
        aria-rowcount={count + 1}
        aria-colcount={shown.length}
        aria-multiselectable="true"
        aria-activedescendant={selection.current === null ? undefined : `${base}-${selection.current}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <GridHeader
          columns={shown}
          sort={query.sort}
          onSort={(field, sortOrder) => list.setQuery({ sort: { field, order: sortOrder } })}
          onResize={(id, widthPx, isLast) => {
            setDragged(isLast ? null : { id, widthPx });
            if (isLast) list.setColumns(resizeColumn(placed, id, widthPx));
          }}
          onMove={(id, step) => list.setColumns(moveColumn(placed, id, step))}
          onHide={(id) => list.setColumns(hideColumn(placed, id, true))}
          onLeave={() => scroll.current?.focus()}
        />
        <div
          className="grid-body"
          role="rowgroup"
          style={{ height: bodyPx({ count, rowPx }), minWidth: widthPx }}
        >
          {fillSlots({ now: inView, rest: rest.inView, slots, count }).map((filled) => {
            const { slot, index, startPx, isSeen, restIndex } = filled;
            const row = rowOf(isSeen ? pages : rest.pages, index);
            const id = row === undefined ? null : list.idOf(row);
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid itself has the keyboard; rows are its descendants
              <div
                key={slot}
                id={id === null ? undefined : `${base}-${id}`}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={id !== null && selection.ids.has(id)}
                aria-busy={row === undefined}
                data-current={id !== null && id === selection.current}
                className="grid-row"
                style={{ transform: `translateY(${startPx + index * rowPx}px)`, height: rowPx }}
                onClick={row === undefined ? undefined : (event) => onClick(event, row)}
                onContextMenu={row === undefined ? undefined : (event) => onContextMenu(event, row)}
                onDoubleClick={row === undefined ? undefined : () => props.onOpen?.(row)}
              >
                <Cells
                  row={row}
                  rest={restIndex === null ? undefined : rowOf(rest.pages, restIndex)}
                  columns={shown}
                  reachPx={reachPx}
                />
              </div>
            );
          })}
        </div>
      </div>
      {menuAt !== null && (
        <ContextMenu
          label={t('ui.grid.rowMenu', { table: props.label })}
          at={menuAt}
          onClose={() => setMenuAt(null)}
          returnTo={() => scroll.current}
        >
          {props.rowActions}
        </ContextMenu>
      )}
    </div>
  );
}

/** Where a key leads from a row, unclamped; -1 is the headers; undefined: the key does not move. */
function target(event: KeyboardEvent, at: number, screenful: number, count: number): number | undefined {
  const isLetter = event.key.length === 1 && !event.shiftKey;
  switch (isLetter ? shortcutKey(event) : event.key) {
    case 'ArrowDown':
    case 'j':
      return at + 1;
    case 'ArrowUp':
      return at < 0 ? 0 : at - 1;
    case 'k':
      return Math.max(0, at - 1);
    case 'PageDown':
      return at + screenful;
    case 'PageUp':
      return Math.max(0, at - screenful);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
