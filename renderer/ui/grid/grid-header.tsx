import { ArrowDown, ArrowUp } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { t, textsOf } from '../../texts/index.ts';
import type { ListQuery } from '../list/list-store.ts';
import { ContextMenu, type MenuAction, MenuActions, type MenuPoint } from '../menu.tsx';
import { leastWidthPx, type PlacedColumn } from './grid-columns.ts';

export interface GridHeaderProps<R> {
  /** Those that are shown, in their order. */
  readonly columns: readonly PlacedColumn<R>[];
  readonly sort: ListQuery['sort'];
  readonly onSort: (field: string, order: 'asc' | 'desc') => void;
  /** `isLast` false while a pointer still drags. */
  readonly onResize: (id: string, widthPx: number, isLast: boolean) => void;
  readonly onMove: (id: string, step: -1 | 1) => void;
  readonly onHide: (id: string) => void;
  /** Arrow down leaves the headers for the rows. */
  readonly onLeave: () => void;
}

const words = textsOf('ui').grid;
const keyStepPx = 16;

/** The headers: one tab stop, arrows between them, Enter sorts, Shift with an arrow resizes, a menu for the rest. */
export function GridHeader<R>(props: GridHeaderProps<R>) {
  const { columns } = props;
  const [current, setCurrent] = useState(0);
  const [menu, setMenu] = useState<{ readonly id: string; readonly at: MenuPoint } | null>(null);
  const at = Math.min(current, columns.length - 1);
  const sortBy = (field: string) => {
    const isUp = props.sort?.field === field && props.sort.order === 'asc';
    props.onSort(field, isUp ? 'desc' : 'asc');
  };
  const openMenu = (id: string, button: HTMLElement) => {
    const { left, bottom } = button.getBoundingClientRect();
    setMenu({ id, at: { x: left, y: bottom } });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>, placed: PlacedColumn<R>, index: number) => {
    const { id } = placed.column;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step !== undefined && event.shiftKey) {
      props.onResize(id, placed.widthPx + step * keyStepPx, true);
    } else if (step !== undefined) {
      const next = Math.min(columns.length - 1, Math.max(0, index + step));
      setCurrent(next);
      headerButtons(event.currentTarget)[next]?.focus();
    } else if (event.key === 'ArrowDown') {
      props.onLeave();
    } else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      openMenu(id, event.currentTarget);
    } else {
      return;
    }
    event.preventDefault();
  };
  return (
    <div className="grid-header" role="row" aria-rowindex={1}>
      {columns.map((placed, index) => {
        const { column } = placed;
        const isSortable = column.sortable !== false;
        return (
          <div
            key={column.id}
            role="columnheader"
            aria-colindex={index + 1}
            aria-sort={isSortable ? sortOf(props.sort, column.id) : undefined}
            className={`grid-head-cell${column.align === 'right' ? ' align-right' : ''}`}
            style={{ width: placed.widthPx }}
            onContextMenu={(event) => {
              event.preventDefault();
              setMenu({ id: column.id, at: { x: event.clientX, y: event.clientY } });
            }}
          >
            <button
              type="button"
              data-grid-header
              tabIndex={index === at ? 0 : -1}
              aria-haspopup={isSortable ? undefined : 'menu'}
              onFocus={() => setCurrent(index)}
              onClick={(event) => (isSortable ? sortBy(column.id) : openMenu(column.id, event.currentTarget))}
              onKeyDown={(event) => onKeyDown(event, placed, index)}
            >
              <span className="grid-head-text">{column.header}</span>
              {props.sort?.field === column.id && <SortArrow order={props.sort.order} />}
            </button>
            <span
              className="grid-resize"
              aria-hidden
              onPointerDown={(event) => drag(event, placed, props.onResize)}
            />
          </div>
        );
      })}
      {menu !== null && (
        <ContextMenu
          label={t('ui.grid.columnMenu', {
            column: columns.find((one) => one.column.id === menu.id)?.column.header ?? '',
          })}
          at={menu.at}
          onClose={() => setMenu(null)}
          returnTo={() => document.querySelector<HTMLElement>('[data-grid-header][tabindex="0"]')}
        >
          <MenuActions actions={actionsOf(menu.id, props)} />
        </ContextMenu>
      )}
    </div>
  );
}

export function headerButtons(inside: HTMLElement): readonly HTMLElement[] {
  return [...(inside.closest('[role="grid"]')?.querySelectorAll<HTMLElement>('[data-grid-header]') ?? [])];
}

function actionsOf<R>(id: string, props: GridHeaderProps<R>): readonly MenuAction[] {
  const index = props.columns.findIndex((placed) => placed.column.id === id);
  const isSortable = props.columns[index]?.column.sortable !== false;
  const isFirst = index === 0 ? words.firstStays : null;
  const unsortable = isSortable ? null : words.cannotSort;
  return [
    { id: 'up', label: words.sortUp, run: () => props.onSort(id, 'asc'), disabledBecause: unsortable },
    {
      id: 'down',
      label: words.sortDown,
      run: () => props.onSort(id, 'desc'),
      disabledBecause: unsortable,
    },
    {
      id: 'left',
      label: words.moveLeft,
      run: () => props.onMove(id, -1),
      disabledBecause: isFirst ?? (index === 1 ? words.isFirst : null),
    },
    {
      id: 'right',
      label: words.moveRight,
      run: () => props.onMove(id, 1),
      disabledBecause: isFirst ?? (index === props.columns.length - 1 ? words.isLast : null),
    },
    { id: 'hide', label: words.hide, run: () => props.onHide(id), disabledBecause: isFirst },
  ];
}

function drag<R>(
  event: PointerEvent<HTMLElement>,
  placed: PlacedColumn<R>,
  onResize: GridHeaderProps<R>['onResize'],
): void {
  event.preventDefault();
  const handle = event.currentTarget;
  const startX = event.clientX;
  const { id } = placed.column;
  let width = placed.widthPx;
  handle.setPointerCapture(event.pointerId);
  const move = (moved: globalThis.PointerEvent) => {
    width = Math.max(leastWidthPx, placed.widthPx + moved.clientX - startX);
    onResize(id, width, false);
  };
  const end = () => {
    handle.removeEventListener('pointermove', move);
    onResize(id, width, true);
  };
  handle.addEventListener('pointermove', move);
  handle.addEventListener('lostpointercapture', end, { once: true });
}

function SortArrow(props: { readonly order: 'asc' | 'desc' }) {
  return props.order === 'asc' ? <ArrowUp size={12} aria-hidden /> : <ArrowDown size={12} aria-hidden />;
}

function sortOf(sort: ListQuery['sort'], id: string): 'none' | 'ascending' | 'descending' {
  if (sort?.field !== id) return 'none';
  return sort.order === 'asc' ? 'ascending' : 'descending';
}
