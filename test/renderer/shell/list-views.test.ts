import { describe, expect, test } from 'vitest';
import { mostViews, Settings, type TableView } from '../../../contract/desktop/settings.ts';
import {
  fullReason,
  isAsIn,
  lookOf,
  nameFault,
  showLook,
  shownView,
  withView,
} from '../../../renderer/shell/list-views.ts';
import { createListStore } from '../../../renderer/ui/index.ts';
import { installBridge } from '../support/fake-bridge.ts';

const view = (name: string, change: Partial<TableView> = {}): TableView => ({
  name,
  search: '',
  sort: { field: 'id', order: 'desc' },
  filters: {},
  columns: [],
  ...change,
});

describe('a view of a list', () => {
  test('brings back columns, order, search and filters, after a restart too', () => {
    const list = createListStore<{ id: number }>({
      idOf: (row) => row.id,
      load: async () => ({ items: [], total: 0 }),
    });
    const failed = view('Failed', {
      search: 'db',
      filters: { status: 'error', task_type: 'restore' },
      columns: [
        { id: 'speed', hidden: true },
        { id: 'status', widthPx: 99 },
      ],
    });
    const kept = Settings.parse(
      JSON.parse(JSON.stringify({ ...installBridge().settings(), views: { Tasks: [failed] } })),
    );
    showLook(list, kept.views.Tasks?.[0] ?? view('none'));
    expect({ name: 'Failed', ...lookOf(list.store.getState()) }).toEqual(failed);
  });

  test('is told from others by what it shows, whatever the order of its filters', () => {
    const one = view('One', { filters: { a: '1', b: '2' } });
    expect(isAsIn(one, view('x', { filters: { b: '2', a: '1' } }))).toBe(true);
    for (const change of [
      { filters: { a: '1' } },
      { search: 'x' },
      { sort: null },
      { columns: [{ id: 'a', hidden: true }] },
    ])
      expect(isAsIn(one, { ...one, ...change })).toBe(false);
  });

  test('stays the shown one while it is changed, and is found again without having been chosen', () => {
    const views = [view('One'), view('Two', { search: 'x' })];
    expect(shownView(views, null, view('', { search: 'x' }))?.name).toBe('Two');
    expect(shownView(views, 'One', view('', { search: 'x' }))?.name).toBe('One');
    expect(shownView(views, 'gone', view('', { search: 'y' }))).toBeUndefined();
  });

  test('has a name of its own, whatever its letters, of 80 characters at most', () => {
    const views = [view('Failed'), view('Mine')];
    expect(nameFault(views, '')).toBe('must not be empty');
    expect(nameFault(views, 'fAILED')).toBe('is taken by another view');
    expect(nameFault(views, 'x'.repeat(81))).toBe('must have 80 characters at most');
    expect(nameFault(views, 'failed', 'Failed')).toBeNull();
    expect(nameFault(views, 'Mine', 'Failed')).toBe('is taken by another view');
    expect(nameFault(views, 'x'.repeat(80))).toBeNull();
  });

  test('changes in its place, and there are not more than the settings hold', () => {
    const views = [view('One'), view('Two')];
    expect(withView(views, 'One', { name: 'First' }).map(({ name }) => name)).toEqual(['First', 'Two']);
    const full = Array.from({ length: mostViews }, (_, index) => view(`v${index}`));
    expect(fullReason(full.slice(1))).toBeNull();
    expect(fullReason(full)).toContain(String(mostViews));
  });
});
