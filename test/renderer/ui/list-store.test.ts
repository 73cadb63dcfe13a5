import { describe, expect, test } from 'vitest';
import {
  createListStore,
  type PageRequest,
  pageSize,
  selectOne,
  selectRange,
} from '../../../renderer/ui/index.ts';

interface Row {
  readonly id: number;
  readonly name: string;
}

/** A server whose rows can be changed; it answers at once, or when a test says so. */
function fakeServer(rows: readonly Row[]) {
  const asked: PageRequest[] = [];
  const server = { rows, asked, fails: null as string | null, gate: null as Promise<void> | null };
  const list = createListStore<Row>({
    idOf: (row) => row.id,
    typingMs: 0,
    now: () => 5000,
    reasonOf: (error) => (error as Error).message,
    load: async (request, signal) => {
      asked.push(request);
      await server.gate;
      signal.throwIfAborted();
      if (server.fails !== null) throw new Error(server.fails);
      const found = server.rows.filter((row) => row.name.includes(request.search));
      const from = (request.page - 1) * request.limit;
      return { items: found.slice(from, from + request.limit), total: found.length };
    },
  });
  const shown = () => {
    const { total } = list.store.getState();
    return Array.from({ length: Math.min(total ?? 0, 1000) }, (_, index) => list.rowAt(index)?.id);
  };
  return { server, list, shown };
}

function closedGate() {
  let open: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

const numbered = (count: number, from = 1): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: from + index, name: `row ${from + index}` }));

describe('a list that the server pages', () => {
  test('loads the pages that are looked at, each once, and forgets those far away', async () => {
    const { server, list } = fakeServer(numbered(20_000));
    await list.refresh();
    list.show(0, 40);
    list.show(10, 50);
    await list.reach(9999);
    expect(server.asked.map((request) => request.page)).toEqual([1, 50]);
    for (let index = 0; index < 20_000; index += pageSize) {
      list.show(index, index + 40);
      await list.reach(index);
    }
    expect(list.store.getState().pages.size).toBeLessThan(20);
  });

  test('a fast scroll asks for where it ends, not for all that it passes', async () => {
    const { server, list } = fakeServer(numbered(20_000));
    await list.refresh();
    for (let index = 0; index <= 19_000; index += 500) list.show(index, index + 40);
    await expect.poll(() => list.rowAt(19_000)?.id).toBe(19_001);
    expect(server.asked.map((request) => request.page)).toEqual([1, 96]);
  });

  test('keeps filter, sort, selection and scroll over fifty refreshes (case 45)', async () => {
    const { server, list } = fakeServer(numbered(300));
    list.setQuery({ filters: { status: 'error' }, sort: { field: 'name', order: 'desc' } });
    await list.reach(0);
    list.setSelection(selectRange(selectOne(3), 5, [1, 2, 3, 4, 5]));
    list.setScroll(1234);
    for (let turn = 0; turn < 50; turn += 1) {
      server.rows = [{ id: 1000 + turn, name: 'newer' }, ...server.rows];
      await list.refresh('gentle');
    }
    const state = list.store.getState();
    expect(state.query).toEqual({
      search: '',
      filters: { status: 'error' },
      sort: { field: 'name', order: 'desc' },
    });
    expect([...state.selection.ids]).toEqual([3, 4, 5]);
    expect(state.scrollPx).toBe(1234);
    expect(list.selectedRows().map((row) => row.id)).toEqual([3, 4, 5]);
  });

  test('a selected row stays selected, and can be acted on, when it is scrolled out of memory', async () => {
    const { list } = fakeServer(numbered(10_000));
    await list.refresh();
    list.setSelection(selectOne(7));
    for (let index = 0; index < 10_000; index += pageSize) {
      list.show(index, index);
      await list.reach(index);
    }
    expect(list.store.getState().pages.has(1)).toBe(false);
    expect(list.selectedRows()).toEqual([{ id: 7, name: 'row 7' }]);
  });

  test('a row that is gone is selected no longer', async () => {
    const { server, list } = fakeServer(numbered(5));
    await list.refresh();
    list.setSelection(selectRange(selectOne(1), 3, [1, 2, 3]));
    server.rows = server.rows.filter((row) => row.id !== 2);
    await list.refresh();
    expect(list.selectedRows().map((row) => row.id)).toEqual([1, 3]);
    list.forget([1]);
    expect(list.selectedRows().map((row) => row.id)).toEqual([3]);
  });

  test('another search begins with nothing selected, another order does not', async () => {
    const { list } = fakeServer(numbered(30));
    await list.refresh();
    list.setSelection(selectOne(4));
    list.setQuery({ sort: { field: 'name', order: 'asc' } });
    expect(list.store.getState().selection.ids.has(4)).toBe(true);
    list.setQuery({ search: 'row 1' });
    expect(list.store.getState().selection.ids.size).toBe(0);
  });

  test('the old rows stay until the new search is answered, and an overtaken answer is dropped', async () => {
    const { server, list, shown } = fakeServer(numbered(30));
    await list.refresh();
    const { open, promise } = closedGate();
    server.gate = promise;
    list.setQuery({ search: 'row 1' });
    list.setQuery({ search: 'row 29' });
    expect(shown()).toHaveLength(30);
    expect(list.store.getState().load.kind).toBe('loading');
    open();
    await expect.poll(shown).toEqual([29]);
    expect(list.store.getState().load.kind).toBe('ready');
  });

  test('rows of an older search do not stay when the new one fails', async () => {
    const { server, list } = fakeServer(numbered(30));
    await list.refresh();
    server.fails = 'no answer';
    list.setQuery({ search: 'x' });
    await expect.poll(() => list.store.getState().load.kind).toBe('failed');
    expect(list.store.getState().total).toBeNull();
  });

  test('a failed refresh keeps the rows and says since when they are old', async () => {
    const { server, list, shown } = fakeServer(numbered(3));
    await list.refresh();
    server.fails = 'no answer';
    await list.refresh();
    expect(list.store.getState().load).toEqual({ kind: 'failed', reason: 'no answer', since: 5000 });
    expect(shown()).toEqual([1, 2, 3]);
    server.fails = null;
    await list.refresh();
    expect(list.store.getState().load.kind).toBe('ready');
  });

  test('a change that is told of during a refresh is not missed', async () => {
    const { server, list, shown } = fakeServer(numbered(2));
    await list.refresh();
    const { open, promise } = closedGate();
    server.gate = promise;
    const first = list.refresh('gentle');
    void list.refresh('gentle');
    void list.refresh('gentle');
    server.gate = null;
    server.rows = numbered(3);
    open();
    await first;
    expect(shown()).toEqual([1, 2, 3]);
    expect(server.asked).toHaveLength(3);
  });
});

describe('a list that is held', () => {
  test('changes cells in place and lets new rows wait until they are asked for', async () => {
    const { server, list, shown } = fakeServer(numbered(3));
    await list.refresh();
    list.hold('scroll', true);
    server.rows = [
      { id: 9, name: 'new' },
      { id: 3, name: 'changed' },
      { id: 1, name: 'row 1' },
      { id: 2, name: 'row 2' },
    ];
    await list.refresh('gentle');
    expect(shown()).toEqual([1, 2, 3]);
    expect(list.rowAt(2)?.name).toBe('changed');
    expect(list.store.getState().waiting).toBe(1);
    list.showWaiting();
    expect(shown()).toEqual([9, 3, 1, 2]);
    expect(list.store.getState().waiting).toBeNull();
  });

  test('shows what waited when nothing holds it any more', async () => {
    const { server, list, shown } = fakeServer(numbered(2));
    await list.refresh();
    list.hold('scroll', true);
    list.hold('pointer', true);
    server.rows = [{ id: 3, name: 'new' }, ...server.rows];
    await list.refresh('gentle');
    list.hold('scroll', false);
    expect(shown()).toEqual([1, 2]);
    list.hold('pointer', false);
    expect(shown()).toEqual([3, 1, 2]);
  });

  test('follows at once after an act of the person', async () => {
    const { server, list, shown } = fakeServer(numbered(3));
    await list.refresh();
    list.setSelection(selectRange(selectOne(1), 2, [1, 2, 3]));
    server.rows = numbered(1, 3);
    await list.refresh();
    expect(shown()).toEqual([3]);
    expect(list.selectedRows()).toEqual([]);
  });

  test('nothing waits when nothing changed', async () => {
    const { list } = fakeServer(numbered(3));
    await list.refresh();
    list.hold('scroll', true);
    await list.refresh('gentle');
    expect(list.store.getState().waiting).toBeNull();
  });
});
