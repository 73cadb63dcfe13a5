import { act, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Button, type Column, createListStore, DataGrid } from '../../../renderer/ui/index.ts';
import { giveElementsASize } from '../support/drawn.tsx';

giveElementsASize();

interface Row {
  readonly id: number;
  readonly name: string;
}

const columns: readonly Column<Row>[] = [
  { id: 'name', header: 'Name', widthPx: 200, cell: (row) => row.name },
  { id: 'id', header: 'Id', widthPx: 80, align: 'right', cell: (row) => row.id },
  { id: 'note', header: 'Note', widthPx: 80, sortable: false, cell: () => 'a note' },
];

async function drawGrid(count: number) {
  const rows = Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `row ${index + 1}` }));
  const list = createListStore<Row>({
    idOf: (row) => row.id,
    load: async ({ page, limit }) => ({
      items: rows.slice((page - 1) * limit, page * limit),
      total: rows.length,
    }),
  });
  await list.refresh();
  const onOpen = vi.fn();
  const onDelete = vi.fn();
  const view = render(
    <DataGrid
      label="Things"
      list={list}
      columns={columns}
      onOpen={onOpen}
      rowActions={
        <>
          <Button onClick={onDelete}>Delete</Button>
          <Button disabledBecause="Not now">Pause</Button>
        </>
      }
    />,
  );
  return {
    list,
    onOpen,
    onDelete,
    view,
    user: userEvent.setup(),
    grid: screen.getByRole('grid', { name: 'Things' }),
  };
}

const selected = () =>
  screen
    .getAllByRole('row', { selected: true })
    .map((row) => within(row).getAllByRole('gridcell')[0]?.textContent);

test('a grid of 200,000 rows draws only what fits (case 47)', async () => {
  const { grid, list } = await drawGrid(200_000);
  expect(grid.getAttribute('aria-rowcount')).toBe('200001');
  expect(screen.getAllByRole('row').length).toBeLessThan(60);
  expect(list.store.getState().pages.size).toBe(1);
});

test('every cell is announced with its column, every header with its order (case 51)', async () => {
  await drawGrid(3);
  const headers = screen.getAllByRole('columnheader');
  expect(headers.map((header) => header.textContent)).toEqual(['Name', 'Id', 'Note']);
  expect(headers.map((header) => header.getAttribute('aria-sort'))).toEqual(['none', 'none', null]);
  const row = screen.getAllByRole('row')[1];
  expect(row?.getAttribute('aria-rowindex')).toBe('2');
  const cells = within(row as HTMLElement).getAllByRole('gridcell');
  expect(cells.map((cell) => [cell.getAttribute('aria-colindex'), cell.textContent])).toEqual([
    ['1', 'row 1'],
    ['2', '1'],
    ['3', 'a note'],
  ]);
});

test('arrows, J and K, Home, End and Page keys move; Shift takes a range, Space toggles, Enter opens', async () => {
  const { user, onOpen } = await drawGrid(150);
  await user.tab();
  await user.tab();
  expect(document.activeElement).toBe(screen.getByRole('grid'));
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(selected()).toEqual(['row 2']);
  await user.keyboard('j');
  expect(selected()).toEqual(['row 3']);
  await user.keyboard('k');
  expect(selected()).toEqual(['row 2']);
  await user.keyboard('{Shift>}{ArrowDown}{ArrowDown}{/Shift}');
  expect(selected()).toEqual(['row 2', 'row 3', 'row 4']);
  await user.keyboard(' ');
  expect(selected()).toEqual(['row 2', 'row 3']);
  await user.keyboard('{Home}{Enter}');
  expect(onOpen).toHaveBeenCalledWith({ id: 1, name: 'row 1' });
  await user.keyboard('{End}{Enter}');
  expect(onOpen).toHaveBeenLastCalledWith({ id: 150, name: 'row 150' });
  await user.keyboard('{Control>}a{/Control}');
  expect(screen.getAllByRole('row', { selected: true }).length).toBeGreaterThan(10);
});

test('the end of a long list is reached though it was never loaded', async () => {
  const { user, list, grid } = await drawGrid(10_000);
  act(() => grid.focus());
  await user.keyboard('{End}');
  await expect.poll(() => [...list.store.getState().selection.ids]).toEqual([10_000]);
});

test('a click leaves the focus with the grid, where the current row is told (case 51)', async () => {
  const { user, grid } = await drawGrid(10);
  await user.click(screen.getByText('row 2'));
  expect(document.activeElement).toBe(grid);
  await user.keyboard('{ArrowDown}');
  expect(selected()).toEqual(['row 3']);
});

test('the pointer selects one, adds with Ctrl, takes a range with Shift, opens with a double click', async () => {
  const { user, onOpen } = await drawGrid(10);
  const row = (name: string) => screen.getByText(name);
  await user.click(row('row 2'));
  await user.keyboard('{Control>}');
  await user.click(row('row 5'));
  await user.keyboard('{/Control}');
  expect(selected()).toEqual(['row 2', 'row 5']);
  await user.keyboard('{Shift>}');
  await user.click(row('row 7'));
  await user.keyboard('{/Shift}');
  expect(selected()).toEqual(['row 5', 'row 6', 'row 7']);
  await user.dblClick(row('row 3'));
  expect(onOpen).toHaveBeenCalledWith({ id: 3, name: 'row 3' });
});

test('shortcuts of the window are heard on a header too, and its keys are none of the rows', async () => {
  const { user, list } = await drawGrid(3);
  const heard = vi.fn();
  const onKey = (event: KeyboardEvent) => heard(event.key);
  document.addEventListener('keydown', onKey);
  screen.getByRole('button', { name: 'Name' }).focus();
  await user.keyboard('{Control>}k{/Control}j');
  document.removeEventListener('keydown', onKey);
  expect(heard.mock.calls.flat()).toEqual(['Control', 'k', 'j']);
  expect(list.store.getState().selection.current).toBeNull();
});

test('the headers are reached, sorted and left by keyboard alone (case 51)', async () => {
  const { user, list, grid } = await drawGrid(5);
  act(() => grid.focus());
  await user.keyboard('{ArrowDown}{ArrowUp}');
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Name' }));
  await user.keyboard('{Enter}');
  expect(list.store.getState().query.sort).toEqual({ field: 'name', order: 'asc' });
  expect(screen.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending');
  await user.keyboard('{Enter}');
  expect(screen.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('descending');
  await user.keyboard('{ArrowRight}');
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Id' }));
  await user.keyboard('{Shift>}{ArrowRight}{/Shift}');
  expect(list.store.getState().columns.find((column) => column.id === 'id')?.widthPx).toBe(96);
  await user.keyboard('{ArrowDown}');
  expect(document.activeElement).toBe(grid);
});

test('a column is moved and hidden from its menu, and comes back from the list of columns', async () => {
  const { user } = await drawGrid(2);
  const names = () =>
    screen.getAllByRole('columnheader', { hidden: true }).map((header) => header.textContent);
  act(() => screen.getByRole('button', { name: 'Note' }).focus());
  await user.keyboard('{Shift>}{F10}{/Shift}');
  await user.click(screen.getByRole('menuitem', { name: 'Move left' }));
  expect(names()).toEqual(['Name', 'Note', 'Id']);
  act(() => screen.getByRole('button', { name: 'Id' }).focus());
  await user.keyboard('{Shift>}{F10}{/Shift}');
  await user.click(screen.getByRole('menuitem', { name: 'Hide this column' }));
  expect(names()).toEqual(['Name', 'Note']);
  await user.click(screen.getByRole('button', { name: 'Choose columns' }));
  await user.click(screen.getByRole('menuitemcheckbox', { name: 'Id' }));
  await user.keyboard('{Escape}');
  expect(names()).toEqual(['Name', 'Note', 'Id']);
});

test("a row's menu offers what the toolbar offers, by pointer and by keyboard", async () => {
  const { user, list, grid, onDelete } = await drawGrid(3);
  await user.pointer({ keys: '[MouseRight]', target: screen.getByText('row 3') });
  expect([...list.store.getState().selection.ids]).toEqual([3]);
  expect(screen.getByRole('menuitem', { name: 'Pause' }).getAttribute('aria-disabled')).toBe('true');
  // The arrows come to it as to the others, and there its reason is read; it does nothing.
  await user.keyboard('{End}');
  const pause = screen.getByRole('menuitem', { name: 'Pause' });
  expect(document.activeElement).toBe(pause);
  expect(pause.getAttribute('aria-description')).toBe(pause.title);
  expect(pause.title).not.toBe('');
  await user.keyboard('{Enter}');
  expect(screen.getByRole('menuitem', { name: 'Pause' })).toBe(pause);
  await user.click(screen.getByRole('menuitem', { name: 'Delete' }));
  expect(onDelete).toHaveBeenCalledOnce();
  act(() => grid.focus());
  await user.keyboard('{Shift>}{F10}{/Shift}');
  expect(screen.getByRole('menu', { name: 'Things menu' })).toBeTruthy();
  await user.keyboard('{Escape}');
  expect(document.activeElement).toBe(grid);
});

test('a scrolled grid begins where it was left (case 45)', async () => {
  const { list, view } = await drawGrid(2000);
  const grid = screen.getByRole('grid');
  act(() => grid.scrollTo({ top: 900 }));
  view.unmount();
  expect(list.store.getState().scrollPx).toBe(900);
  render(<DataGrid label="Things" list={list} columns={columns} />);
  expect(screen.getByRole('grid').scrollTop).toBe(900);
});

test('the first column is held in its place only while the table is scrolled sideways', async () => {
  const { grid } = await drawGrid(200);
  expect(grid.hasAttribute('data-sideways')).toBe(false);
  grid.scrollLeft = 40;
  act(() => grid.scrollTo({ top: 0 }));
  expect(grid.hasAttribute('data-sideways')).toBe(true);
  grid.scrollLeft = 0;
  act(() => grid.scrollTo({ top: 0 }));
  expect(grid.hasAttribute('data-sideways')).toBe(false);
});

test('a row that arrives fills the element that stood empty for it, and rows stand in their order', async () => {
  const { grid } = await drawGrid(20_000);
  const drawn = () => within(grid).getAllByRole('row').slice(1);
  const first = drawn();
  act(() => grid.scrollTo({ top: 100_000 }));
  const empty = drawn().filter((row) => row.getAttribute('aria-busy') === 'true');
  expect(empty.map((row) => Number(row.getAttribute('aria-rowindex'))).sort((a, b) => a - b)[0]).toBe(3573);
  expect(first.filter((row) => row.isConnected).length).toBeGreaterThan(first.length / 2);
  await waitFor(() => {
    expect(drawn().some((row) => row.getAttribute('aria-busy') === 'true')).toBe(false);
    expect(drawn()[0]?.getAttribute('aria-rowindex')).toBe('3565');
  });
  expect(empty.every((row) => drawn().includes(row))).toBe(true);
  const indexes = drawn().map((row) => Number(row.getAttribute('aria-rowindex')));
  expect(indexes).toEqual(indexes.map((_, at) => (indexes[0] ?? 0) + at));
  expect(drawn().map((row) => within(row).getAllByRole('gridcell')[0]?.textContent)).toEqual(
    indexes.map((index) => `row ${index - 1}`),
  );
});

test('what can be seen is drawn at once, what cannot once a frame was shown and nothing else is to be done', async () => {
  const rests: IdleRequestCallback[] = [];
  const rest = () =>
    act(() => rests.splice(0).forEach((act) => void act({ didTimeout: false, timeRemaining: () => 9 })));
  vi.stubGlobal('requestIdleCallback', (act: IdleRequestCallback) => rests.push(act));
  onTestFinished(() => void vi.unstubAllGlobals());
  const { grid, list } = await drawGrid(20_000);
  act(() => list.setColumns([{ id: 'name', widthPx: 1100 }]));
  await waitFor(() => expect(rests.length).toBe(1));
  rest();
  await act(() => list.reach(3571));
  act(() => grid.scrollTo({ top: 100_000 }));
  const texts = (index: number) => {
    const row = grid.querySelector<HTMLElement>(`[aria-rowindex="${index}"]`);
    return row === null
      ? null
      : within(row)
          .getAllByRole('gridcell')
          .map((cell) => cell.textContent);
  };
  // Beyond the right edge there still is what was there before.
  expect(texts(3580)?.[0]).toBe('row 3579');
  expect(texts(3580)?.[1]).not.toBe('3579');
  expect(texts(3566)).toBeNull();
  await waitFor(() => expect(rests.length).toBe(1));
  rest();
  expect(texts(3580)).toEqual(['row 3579', '3579', 'a note']);
  expect(texts(3566)).toEqual(['row 3565', '3565', 'a note']);
});
