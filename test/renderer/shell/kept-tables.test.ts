import { describe, expect, test, vi } from 'vitest';
import { Settings, type TableState } from '../../../contract/desktop/settings.ts';
import {
  keepTable,
  keepTablesNow,
  keepTablesOnLeaving,
  keepTree,
  keptTable,
  keptTree,
} from '../../../renderer/shell/kept-tables.ts';
import { shell } from '../../../renderer/shell/shell-store.ts';
import { createListStore, selectOne, selectRange } from '../../../renderer/ui/index.ts';
import { installBridge } from '../support/fake-bridge.ts';

interface Row {
  readonly id: number;
}

function makeList(kept = {}) {
  return createListStore<Row>({
    idOf: (row) => row.id,
    initial: kept,
    typingMs: 0,
    load: async () => ({ items: Array.from({ length: 5 }, (_, index) => ({ id: index + 1 })), total: 5 }),
  });
}

describe('a table', () => {
  test('is after a restart as it was left: filter, sort, selection, columns and place (case 45)', async () => {
    const bridge = installBridge();
    const list = makeList();
    keepTable('prague/Tasks', list);
    list.setQuery({ filters: { status: 'error' }, search: 'x', sort: { field: 'created', order: 'desc' } });
    await list.reach(0);
    list.setSelection(selectRange(selectOne(2), 3, [1, 2, 3]));
    list.setColumns([{ id: 'status', widthPx: 90, hidden: true }]);
    list.setScroll(512);
    keepTablesNow();
    await expect.poll(() => bridge.settings().tables['prague/Tasks']).toBeDefined();
    // What main writes and reads again is what the schema lets through.
    const settings = Settings.parse(JSON.parse(JSON.stringify(bridge.settings())));
    const again = makeList(keptTable(settings, 'prague/Tasks')).store.getState();
    expect(again.query).toEqual({
      filters: { status: 'error' },
      search: 'x',
      sort: { field: 'created', order: 'desc' },
    });
    expect([...again.selection.ids]).toEqual([2, 3]);
    expect(again.columns).toEqual([{ id: 'status', widthPx: 90, hidden: true }]);
    expect(again.scrollPx).toBe(512);
  });

  test('is written a moment after the last change, once', async () => {
    const bridge = installBridge();
    const list = makeList();
    keepTable('prague/Copies', list);
    for (let at = 1; at <= 20; at += 1) list.setScroll(at);
    await expect.poll(() => bridge.callsOf('settings.set'), { timeout: 5000 }).toHaveLength(1);
    expect(bridge.settings().tables['prague/Copies']?.scrollPx).toBe(20);
  });

  test.each([
    ['loses the focus', () => window.dispatchEvent(new Event('blur'))],
    ['goes', () => window.dispatchEvent(new Event('pagehide'))],
    [
      'is hidden',
      () => {
        vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
        document.dispatchEvent(new Event('visibilitychange'));
      },
    ],
  ])('is written at once when the window %s: cleared filters do not come back', (_how, leave) => {
    const bridge = installBridge();
    const stop = keepTablesOnLeaving();
    try {
      const list = makeList({ filters: { status: 'error' } });
      keepTable('prague/Audit', list);
      list.setQuery({ filters: {} });
      expect(bridge.callsOf('settings.set')).toHaveLength(0);
      leave();
      const [sent] = bridge.callsOf('settings.set') as { readonly tables: Record<string, TableState> }[];
      expect(sent?.tables['prague/Audit']?.filters).toEqual({});
    } finally {
      stop();
      vi.restoreAllMocks();
    }
  });

  test('is told before the app quits, and only then that all was told (case 45)', () => {
    const bridge = installBridge();
    const stop = keepTablesOnLeaving();
    try {
      const list = makeList();
      keepTable('prague/Users', list);
      list.setQuery({ search: 'eve' });
      bridge.tell('leaving', {});
      expect(bridge.calls.map(({ name }) => name)).toEqual(['settings.set', 'window.left']);
      expect(bridge.callsOf('settings.set')).toMatchObject([
        { tables: { 'prague/Users': { search: 'eve' } } },
      ]);
    } finally {
      stop();
    }
  });

  test('does not keep a selection that the settings cannot hold', () => {
    const bridge = installBridge();
    const list = makeList();
    keepTable('prague/Pools', list);
    const ids = Array.from({ length: 1500 }, (_, index) => index);
    list.setSelection({ ids: new Set(ids), current: 0, anchor: 0 });
    keepTablesNow();
    const [sent] = bridge.callsOf('settings.set') as { readonly tables: Record<string, TableState> }[];
    expect(sent?.tables['prague/Pools']?.selection).toEqual([]);
  });

  test('that was never touched begins as it was made', () => {
    expect(keptTable(installBridge().settings(), 'lab/Tasks')).toEqual({});
  });
});

test('a tree is after a restart as it was left: search, what was opened, selection (case 45)', async () => {
  const bridge = installBridge();
  const left = { search: 'db', turned: [3, 'pool/here/Main'], selection: [7] };
  keepTree('prague/Clients tree', { ...left, turned: [] });
  keepTree('prague/Clients tree', left);
  keepTablesNow();
  await expect.poll(() => bridge.callsOf('settings.set')).toHaveLength(1);
  const settings = Settings.parse(JSON.parse(JSON.stringify(bridge.settings())));
  expect(keptTree(settings, 'prague/Clients tree')).toEqual(left);
  expect(keptTree(settings, 'brno/Clients tree')).toEqual({});
});

test('a tree that is looked at again at once is as it was left, before the settings are saved', () => {
  const bridge = installBridge();
  keepTree('prague/Clients tree', { search: 'db', turned: [3], selection: [7] });
  expect(keptTree(shell.getState().settings, 'prague/Clients tree')).toEqual({
    search: 'db',
    turned: [3],
    selection: [7],
  });
  expect(bridge.callsOf('settings.set')).toEqual([]);
  keepTablesNow();
});

test('what was opened in a tree is kept as far as the settings go', async () => {
  const bridge = installBridge();
  keepTree('prague/Clients tree', { turned: Array.from({ length: 1001 }, (_, at) => at) });
  keepTablesNow();
  await expect
    .poll(() => bridge.callsOf('settings.set'))
    .toEqual([{ tables: { 'prague/Clients tree': {} } }]);
});
