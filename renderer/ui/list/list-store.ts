import { createStore } from 'zustand/vanilla';
import { nothingSelected, type RowId, type Selection, withoutRows } from './list-selection.ts';
import { holdOrder, type PageAnswer, waitingRows } from './list-waiting.ts';

export interface ListQuery {
  readonly search: string;
  readonly sort: { readonly field: string; readonly order: 'asc' | 'desc' } | null;
  readonly filters: Readonly<Record<string, string>>;
}

export type ListPageAnswer<R> = PageAnswer<R>;

export interface PageRequest extends ListQuery {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
}

export type LoadState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready' }
  /** `since` epoch ms; rows from before, if there are any, stay and are stale. */
  | { readonly kind: 'failed'; readonly reason: string; readonly since: number };

/** A column as a person arranged it; their order in the list is their order in the table. */
export interface ColumnState {
  readonly id: string;
  readonly widthPx?: number | undefined;
  readonly hidden?: boolean | undefined;
}

export interface ListState<R> {
  readonly query: ListQuery;
  /** By page number; a page that is not here has not been looked at. */
  readonly pages: ReadonlyMap<number, readonly R[]>;
  readonly total: number | null;
  readonly load: LoadState;
  readonly selection: Selection;
  /** Empty: as the table was made. */
  readonly columns: readonly ColumnState[];
  readonly scrollPx: number;
  /** New rows that wait to be shown because the list is held; 0: only the order changed; null: nothing waits. */
  readonly waiting: number | null;
  /** A row that shall come into view. */
  readonly wanted: RowId | null;
}

/** What a list was left with, to begin with it again. */
export interface KeptList extends Partial<ListQuery> {
  readonly columns?: readonly ColumnState[];
  readonly scrollPx?: number;
  readonly selection?: readonly RowId[];
}

export interface ListStoreDeps<R> {
  readonly load: (request: PageRequest, signal: AbortSignal) => Promise<ListPageAnswer<R>>;
  readonly idOf: (row: R) => RowId;
  readonly initial?: KeptList;
  readonly now?: () => number;
  /** How long typing into the search must pause before the server is asked. */
  readonly typingMs?: number;
  readonly reasonOf?: (error: unknown) => string;
}

/** `gentle`: what is held keeps its place. */
export type Refreshing = 'all' | 'gentle';

interface PageLoad {
  readonly done: Promise<void>;
  readonly stop: AbortController;
}

interface RefreshUnderWay {
  readonly signal: AbortSignal;
  again: Refreshing | null;
  done: Promise<void>;
}

export const pageSize = 200;
const pagesKept = 12;
/** A fast scroll passes hundreds of pages; only those that stay in view this long are asked for. */
const lookMs = 40;

export type ListStore<R> = ReturnType<typeof createListStore<R>>;

/**
 * A list that the server sorts, filters and pages. Only pages that were looked at are held; a refresh replaces the
 * rows in place, so neither selection nor scroll position move.
 */
export function createListStore<R>(deps: ListStoreDeps<R>) {
  const { idOf } = deps;
  const now = deps.now ?? Date.now;
  const store = createStore<ListState<R>>(() => initialState(deps.initial ?? {}));
  /** Selected rows as last seen, so that an act on them does not depend on what is scrolled into view. */
  const remembered = new Map<RowId, R>();
  const holds = new Set<string>();
  const held = new Map<number, ListPageAnswer<R>>();
  let running = new AbortController();
  const inFlight = new Map<number, PageLoad>();
  let looking: ReturnType<typeof setTimeout> | null = null;
  let wanted: readonly number[] = [1];
  /** The rows shown answer an older query; they stay until the first answer to the new one. */
  let isOlder = false;

  const remember = (): void => {
    const { pages, selection } = store.getState();
    for (const id of remembered.keys()) if (!selection.ids.has(id)) remembered.delete(id);
    if (selection.ids.size === 0) return;
    for (const rows of pages.values()) {
      for (const row of rows) if (selection.ids.has(idOf(row))) remembered.set(idOf(row), row);
    }
  };

  /** Puts answers in place; while the list is held, gentle ones only change cells and the rest waits. */
  const accept = (answers: ReadonlyMap<number, ListPageAnswer<R>>, how: 'page' | Refreshing): void => {
    store.setState((state) => {
      const isHeld = how === 'gentle' && holds.size > 0 && state.total !== null && !isOlder;
      // After a refresh, pages out of view may repeat rows that moved; they are asked for when they come into view.
      const pages = new Map(
        (how === 'page' && !isOlder) || isHeld ? state.pages : onlyThese(state.pages, answers),
      );
      isOlder = false;
      if (how === 'all') held.clear();
      let total = state.total;
      for (const [page, answer] of answers) {
        const shown = pages.get(page);
        if (isHeld && shown !== undefined) {
          const { rows, isSame } = holdOrder(shown, answer, idOf);
          pages.set(page, rows);
          if (isSame && answer.total === state.total) held.delete(page);
          else held.set(page, answer);
        } else {
          pages.set(page, answer.items);
          held.delete(page);
          total = answer.total;
        }
      }
      const waiting = waitingRows(pages, held, total, idOf);
      return { pages, total, load: { kind: 'ready' }, waiting };
    });
    forgetGone();
    remember();
  };

  /** Where the whole list is loaded, a selected row that is in none of its pages is gone. */
  const forgetGone = (): void => {
    const { pages, total, selection } = store.getState();
    if (selection.ids.size === 0 || total === null || held.size > 0) return;
    const loaded = new Set([...pages.values()].flat().map(idOf));
    if (loaded.size < total) return;
    const gone = new Set([...selection.ids].filter((id) => !loaded.has(id)));
    if (gone.size > 0) select(withoutRows(selection, gone));
  };

  const hold = (reason: string, isHeld: boolean): void => {
    if (isHeld) holds.add(reason);
    else if (holds.delete(reason) && holds.size === 0 && held.size > 0) showWaiting();
  };

  /** Several selected rows are about to be acted on: nothing may move under them. */
  const select = (selection: Selection): void => {
    store.setState({ selection });
    hold('selection', selection.ids.size > 1);
  };

  const fail = (error: unknown): void => {
    const emptied = isOlder ? { pages: new Map(), total: null } : {};
    isOlder = false;
    store.setState((state) => ({
      ...emptied,
      load: {
        kind: 'failed',
        reason: deps.reasonOf?.(error) ?? String(error),
        since: state.load.kind === 'failed' ? state.load.since : now(),
      },
    }));
  };

  const ask = (page: number, signal: AbortSignal) =>
    deps.load({ ...store.getState().query, page, limit: pageSize }, signal);

  /** One page that the grid came to; asked for once, however often it is looked at meanwhile. */
  function loadPage(page: number): Promise<void> {
    const already = inFlight.get(page);
    if (already !== undefined) return already.done;
    const stop = new AbortController();
    const signal = AbortSignal.any([running.signal, stop.signal]);
    const done = ask(page, signal)
      .then((answer) => {
        if (!signal.aborted) accept(new Map([[page, answer]]), 'page');
      })
      .catch((error: unknown) => {
        if (!signal.aborted) fail(error);
      })
      .finally(() => {
        if (inFlight.get(page)?.stop === stop) inFlight.delete(page);
      });
    inFlight.set(page, { done, stop });
    return done;
  }

  /** Loads what is in view now, and gives up what was only scrolled past. */
  const loadMissing = (): void => {
    looking = null;
    for (const [page, { stop }] of inFlight) {
      if (wanted.includes(page)) continue;
      stop.abort();
      inFlight.delete(page);
    }
    const { pages } = store.getState();
    for (const page of wanted) if (!pages.has(page)) void loadPage(page);
  };

  let refreshing: RefreshUnderWay | null = null;

  /** All pages in view at once, so that no row is drawn twice while they arrive. */
  async function loadWanted(how: Refreshing): Promise<void> {
    const { signal } = running;
    const pages = [...wanted];
    try {
      const answers = await Promise.all(pages.map((page) => ask(page, signal)));
      if (signal.aborted) return;
      accept(new Map(pages.map((page, index) => [page, answers[index] ?? emptyAnswer])), how);
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  /**
   * Loads what is shown again, without emptying it: `all` after an act of the person, `gentle` when something else
   * changed the list. Asked while one is under way, another follows: the answer may be from before the change.
   */
  function refresh(how: Refreshing = 'all'): Promise<void> {
    if (refreshing !== null && !refreshing.signal.aborted) {
      if (refreshing.again !== 'all') refreshing.again = how;
      return refreshing.done;
    }
    const mine: RefreshUnderWay = { signal: running.signal, again: null, done: idle };
    const work = async () => {
      let next: Refreshing | null = how;
      while (next !== null && !mine.signal.aborted) {
        mine.again = null;
        await loadWanted(next);
        next = mine.again;
      }
      if (refreshing === mine) refreshing = null;
    };
    refreshing = mine;
    mine.done = work();
    return mine.done;
  }

  const showWaiting = (): void => {
    const answers = new Map(held);
    held.clear();
    store.setState({ waiting: null });
    if (answers.size > 0) accept(answers, 'page');
    void refresh();
  };

  const restart = (query: ListQuery, pauseMs: number): void => {
    running.abort();
    running = new AbortController();
    inFlight.clear();
    held.clear();
    wanted = [1];
    isOlder = true;
    store.setState({ query, load: { kind: 'loading' }, scrollPx: 0, waiting: null });
    const { signal } = running;
    const begin = () => {
      if (!signal.aborted) void loadPage(1);
    };
    if (pauseMs === 0) begin();
    else setTimeout(begin, pauseMs);
  };

  return {
    store,
    /** Rows in the order of the list; undefined where a page is not loaded. */
    rowAt: (index: number): R | undefined => rowOf(store.getState().pages, index),
    /** The grid shows these rows: their pages are loaded, pages far away are forgotten. */
    show: (first: number, last: number): void => {
      const from = Math.floor(first / pageSize) + 1;
      const to = Math.floor(last / pageSize) + 1;
      wanted = Array.from({ length: to - from + 1 }, (_, index) => from + index);
      const { pages } = store.getState();
      if (wanted.some((page) => !pages.has(page))) looking ??= setTimeout(loadMissing, lookMs);
      if (pages.size > pagesKept) {
        const near = [...pages].filter(([page]) => page >= from - 3 && page <= to + 3);
        store.setState({ pages: new Map(near) });
      }
    },
    /** The row at a place, loaded if need be; undefined when there is none. */
    reach: async (index: number): Promise<R | undefined> => {
      const page = Math.floor(index / pageSize) + 1;
      wanted = [page];
      if (!store.getState().pages.has(page)) await loadPage(page);
      return store.getState().pages.get(page)?.[index % pageSize];
    },
    /** Another search or filter is another list, so its selection begins empty; another order is not. */
    setQuery: (change: Partial<ListQuery>): void => {
      const before = store.getState().query;
      if (change.search !== undefined || change.filters !== undefined) {
        select(nothingSelected);
        remembered.clear();
      }
      restart({ ...before, ...change }, change.search === undefined ? 0 : (deps.typingMs ?? 150));
    },
    setSelection: (selection: Selection): void => {
      select(selection);
      remember();
    },
    /** The row comes into view, if it is loaded. */
    reveal: (wanted: RowId | null): void => store.setState({ wanted }),
    setColumns: (columns: readonly ColumnState[]): void => store.setState({ columns }),
    setScroll: (scrollPx: number): void => store.setState({ scrollPx }),
    /** While there is a reason, rows keep their places: told of changes, the list only changes cells. */
    hold,
    showWaiting,
    refresh,
    /** Rows that are gone for good are selected no longer. */
    forget: (ids: readonly RowId[]): void => {
      select(withoutRows(store.getState().selection, new Set(ids)));
      remember();
    },
    /** Selected rows, as they were last seen. */
    selectedRows: (): readonly R[] => [...remembered.values()],
    idOf,
    close: (): void => {
      running.abort();
      if (looking !== null) clearTimeout(looking);
    },
  };
}

/** Rows in the order of the list; undefined where a page is not loaded. */
export function rowOf<R>(pages: ListState<R>['pages'], index: number): R | undefined {
  return pages.get(Math.floor(index / pageSize) + 1)?.[index % pageSize];
}

const idle = Promise.resolve();
const emptyAnswer = { items: [], total: 0 } as const;

function onlyThese<R>(
  pages: ReadonlyMap<number, readonly R[]>,
  answers: ReadonlyMap<number, unknown>,
): readonly (readonly [number, readonly R[]])[] {
  return [...pages].filter(([page]) => answers.has(page));
}

function initialState<R>(kept: KeptList): ListState<R> {
  const { search = '', sort = null, filters = {}, columns = [], scrollPx = 0, selection = [] } = kept;
  const only = selection.length === 1 ? (selection[0] ?? null) : null;
  return {
    query: { search, sort, filters },
    pages: new Map(),
    total: null,
    load: { kind: 'loading' },
    selection: { ids: new Set(selection), current: only, anchor: only },
    columns,
    scrollPx,
    waiting: null,
    wanted: null,
  };
}
