import { describe, expect, test } from 'vitest';
import {
  hideColumn,
  leastWidthPx,
  moveColumn,
  placeColumns,
  resizeColumn,
} from '../../../renderer/ui/grid/grid-columns.ts';

const columns = ['name', 'size', 'date', 'pool'].map((id) => ({
  id,
  header: id,
  widthPx: 100,
  cell: () => id,
}));
const ids = (states: Parameters<typeof placeColumns>[1]) =>
  placeColumns(columns, states).map((placed) => placed.column.id);

describe('the arrangement of columns', () => {
  test('without one, they stand as they were made', () => {
    expect(ids([])).toEqual(['name', 'size', 'date', 'pool']);
  });

  test('moves a column past hidden ones, never before the first', () => {
    const hidden = hideColumn(placeColumns(columns, []), 'date', true);
    const moved = moveColumn(placeColumns(columns, hidden), 'size', 1);
    expect(ids(moved)).toEqual(['name', 'date', 'pool', 'size']);
    expect(ids(moveColumn(placeColumns(columns, []), 'size', -1))).toEqual(['name', 'size', 'date', 'pool']);
    expect(ids(moveColumn(placeColumns(columns, []), 'name', 1))).toEqual(['name', 'size', 'date', 'pool']);
    expect(ids(moveColumn(placeColumns(columns, []), 'pool', 1))).toEqual(['name', 'size', 'date', 'pool']);
  });

  test('the first column names the row and cannot be hidden or moved, even by a damaged file', () => {
    const placed = placeColumns(columns, [{ id: 'size' }, { id: 'name', hidden: true }]);
    expect(placed[0]).toMatchObject({ column: { id: 'name' }, isHidden: false });
  });

  test('a column of a newer version stands beside its neighbour, one of an older version is dropped', () => {
    expect(ids([{ id: 'pool' }, { id: 'gone' }, { id: 'size' }, { id: 'name' }])).toEqual([
      'name',
      'pool',
      'size',
      'date',
    ]);
  });

  test('widths have a least and a most', () => {
    const narrow = resizeColumn(placeColumns(columns, []), 'size', 3);
    expect(narrow.find((state) => state.id === 'size')?.widthPx).toBe(leastWidthPx);
    const wide = resizeColumn(placeColumns(columns, []), 'size', 1e6);
    expect(wide.find((state) => state.id === 'size')?.widthPx).toBe(2000);
  });
});
