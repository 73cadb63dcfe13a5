import type { Settings, TableState } from '../../contract/desktop/settings.ts';
import { command, on } from '../bridge.ts';
import type { KeptList, ListStore, RowId } from '../ui/index.ts';
import { saveSettings, shell } from './shell-store.ts';

const settleMs = 600;
/** What the settings hold of a selection at most; a larger one begins empty after a restart. */
const selectionMost = 1000;

/** How a table was left, from the settings. */
export function keptTable(settings: Settings, key: string): KeptList {
  const kept = settings.tables[key];
  if (kept === undefined) return {};
  const { search, sort, filters, columns, selection, scrollPx } = kept;
  return {
    ...(search === undefined ? {} : { search }),
    ...(sort === undefined ? {} : { sort }),
    ...(filters === undefined ? {} : { filters }),
    ...(columns === undefined ? {} : { columns }),
    ...(selection === undefined ? {} : { selection }),
    ...(scrollPx === undefined ? {} : { scrollPx }),
  };
}

const waiting = new Map<string, () => void>();

/** Keeps what a person does to a table, a moment after they did it and at the latest when the window goes. */
export function keepTable<R>(key: string, list: ListStore<R>): void {
  list.store.subscribe((now, before) => {
    const isSame =
      now.query === before.query &&
      now.columns === before.columns &&
      now.selection === before.selection &&
      now.scrollPx === before.scrollPx;
    if (!isSame) keepSoon(key, () => tableState(list));
  });
}

/** How a tree was left; a larger one than the settings hold begins as it is made. */
export interface KeptTree {
  readonly search?: string;
  /** What a person opened or closed, in the words of the tree. */
  readonly turned?: readonly RowId[];
  readonly selection?: readonly RowId[];
}

export function keptTree(settings: Settings, key: string): KeptTree {
  const { search, turned, selection } = settings.tables[key] ?? {};
  return {
    ...(search === undefined ? {} : { search }),
    ...(turned === undefined ? {} : { turned }),
    ...(selection === undefined ? {} : { selection }),
  };
}

/** Known in the window at once: who comes back before the moment is over finds the tree as it was left, too. */
export function keepTree(key: string, { search, turned, selection }: KeptTree): void {
  const state: TableState = {
    ...(search === undefined ? {} : { search: search.slice(0, 500) }),
    ...(turned === undefined || turned.length > selectionMost ? {} : { turned: [...turned] }),
    ...(selection === undefined ? {} : { selection: [...selection] }),
  };
  shell.setState(({ settings }) => ({
    settings: { ...settings, tables: { ...settings.tables, [key]: state } },
  }));
  keepSoon(key, () => state);
}

const timers = new Map<string, ReturnType<typeof setTimeout>>();

function keepSoon(key: string, state: () => TableState): void {
  const save = () => {
    clearTimeout(timers.get(key));
    timers.delete(key);
    waiting.delete(key);
    saveSettings({ tables: { [key]: state() } });
  };
  clearTimeout(timers.get(key));
  timers.set(key, setTimeout(save, settleMs));
  waiting.set(key, save);
}

/**
 * Keeps what is still waiting as soon as the person looks elsewhere, and when the app is about to quit: a window that loses
 * the focus or is hidden may be ended from outside before the moment is over, and then it is too late to tell.
 */
export function keepTablesOnLeaving(): () => void {
  const onVisibility = () => {
    if (document.visibilityState === 'hidden') keepTablesNow();
  };
  window.addEventListener('blur', keepTablesNow);
  window.addEventListener('pagehide', keepTablesNow);
  document.addEventListener('visibilitychange', onVisibility);
  // Main waits for the answer before it ends, so nothing of this depends on who is faster.
  const stopLeaving = on('leaving', () => {
    keepTablesNow();
    void command('window.left');
  });
  return () => {
    stopLeaving();
    window.removeEventListener('blur', keepTablesNow);
    window.removeEventListener('pagehide', keepTablesNow);
    document.removeEventListener('visibilitychange', onVisibility);
  };
}

export function keepTablesNow(): void {
  for (const save of waiting.values()) save();
}

function tableState<R>(list: ListStore<R>): TableState {
  const { query, columns, selection, scrollPx } = list.store.getState();
  return {
    search: query.search.slice(0, 500),
    sort: query.sort,
    filters: { ...query.filters },
    columns: columns.map((column) => ({ ...column })),
    selection: selection.ids.size > selectionMost ? [] : [...selection.ids],
    scrollPx,
  };
}
