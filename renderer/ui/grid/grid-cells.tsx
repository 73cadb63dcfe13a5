import { memo, type ReactNode } from 'react';
import type { Column, PlacedColumn } from './grid-columns.ts';

export interface CellsProps<R> {
  readonly row: R | undefined;
  /** What the cells that cannot be seen still show. */
  readonly rest: R | undefined;
  readonly columns: readonly PlacedColumn<R>[];
  readonly reachPx: number;
}

/** The cells of a row; those that begin beyond `reachPx` cannot be seen, and show what there was time for. */
export const Cells = memo(function Cells<R>(props: CellsProps<R>) {
  let leftPx = 0;
  return props.columns.map((placed, index) => {
    const isSeen = leftPx < props.reachPx;
    leftPx += placed.widthPx;
    return (
      <Cell
        key={placed.column.id}
        row={isSeen ? props.row : props.rest}
        column={placed.column}
        widthPx={placed.widthPx}
        at={index + 1}
      />
    );
  });
}) as <R>(props: CellsProps<R>) => ReactNode;

interface CellProps<R> {
  readonly row: R | undefined;
  readonly column: Column<R>;
  readonly widthPx: number;
  /** From 1. */
  readonly at: number;
}

const Cell = memo(function Cell<R>({ row, column, widthPx, at }: CellProps<R>) {
  return (
    <div
      role="gridcell"
      aria-colindex={at}
      className={column.align === 'right' ? 'grid-cell align-right' : 'grid-cell'}
      style={{ width: widthPx }}
      title={row === undefined ? undefined : column.title?.(row)}
    >
      {row === undefined ? <div className="skeleton" style={{ margin: '9px 0' }} /> : column.cell(row)}
    </div>
  );
}) as <R>(props: CellProps<R>) => ReactNode;
