import type { Settings, TableState } from '../../contract/desktop/settings.ts';
import { command, on } from '../bridge.ts';
import type { KeptList, ListStore } from '../ui/index.ts';
import { saveSettings } from './shell-store.ts';

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
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = () => {
    clearTimeout(timer);
    waiting.delete(key);
    saveSettings({ tables: { [key]: tableState(list) } });
  };
  list.store.subscribe((now, before) => {
    const isSame =
      now.query === before.query &&
      now.columns === before.columns &&
      now.selection === before.selection &&
      now.scrollPx === before.scrollPx;
    if (isSame) return;
    clearTimeout(timer);
    timer = setTimeout(save, settleMs);
    waiting.set(key, save);
  });
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
