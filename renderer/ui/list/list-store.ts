import { createStore } from 'zustand/vanilla';
import { nothingSelected, type RowId, type Selection } from './list-selection.ts';

export interface ListQuery {
  readonly search: string;
  readonly sort: { readonly field: string; readonly order: 'asc' | 'desc' } | null;
  readonly filters: Readonly<Record<string, string>>;
}

export interface ListPageAnswer<R> {
  readonly items: readonly R[];
  readonly total: number;
}

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

export interface ListState<R> {
  readonly query: ListQuery;
  /** By page number; a page that is not here has not been looked at. */
  readonly pages: ReadonlyMap<number, readonly R[]>;
  readonly total: number | null;
  readonly load: LoadState;
  readonly selection: Selection;
}

export interface ListStoreDeps<R> {
  readonly load: (request: PageRequest, signal: AbortSignal) => Promise<ListPageAnswer<R>>;
  readonly idOf: (row: R) => RowId;
  readonly initial?: Partial<ListQuery>;
  readonly now?: () => number;
  readonly reasonOf?: (error: unknown) => string;
}

export const pageSize = 200;

export type ListStore<R> = ReturnType<typeof createListStore<R>>;

/**
 * A list that the server sorts, filters and pages. Only pages that were looked at are held; a refresh replaces the
 * rows in place, so neither selection nor scroll position move.
 */
export function createListStore<R>(deps: ListStoreDeps<R>) {
  const now = deps.now ?? Date.now;
  const store = createStore<ListState<R>>(() => ({
    query: { search: '', sort: null, filters: {}, ...deps.initial },
    pages: new Map(),
    total: null,
    load: { kind: 'loading' },
    selection: nothingSelected,
  }));
  let running = new AbortController();
  const inFlight = new Set<number>();
  let wanted: readonly number[] = [1];

  async function loadPage(page: number): Promise<void> {
    if (inFlight.has(page)) return;
    inFlight.add(page);
    const { signal } = running;
    try {
      const answer = await deps.load({ ...store.getState().query, page, limit: pageSize }, signal);
      if (signal.aborted) return;
      store.setState((state) => {
        const pages = new Map(state.pages);
        pages.set(page, answer.items);
        return { pages, total: answer.total, load: { kind: 'ready' } };
      });
    } catch (error) {
      if (signal.aborted) return;
      store.setState((state) => ({
        load: {
          kind: 'failed',
          reason: deps.reasonOf?.(error) ?? String(error),
          since: state.load.kind === 'failed' ? state.load.since : now(),
        },
      }));
    } finally {
      if (!signal.aborted) inFlight.delete(page);
    }
  }

  const restart = (query: ListQuery): void => {
    running.abort();
    running = new AbortController();
    inFlight.clear();
    wanted = [1];
    store.setState({ query, pages: new Map(), total: null, load: { kind: 'loading' } });
    void loadPage(1);
  };

  return {
    store,
    /** Rows in the order of the list; undefined where a page is not loaded. */
    rowAt: (index: number): R | undefined =>
      store.getState().pages.get(Math.floor(index / pageSize) + 1)?.[index % pageSize],
    /** The grid shows these rows: their pages are loaded, pages far away are forgotten. */
    show: (first: number, last: number): void => {
      const from = Math.floor(first / pageSize) + 1;
      const to = Math.floor(last / pageSize) + 1;
      wanted = Array.from({ length: to - from + 1 }, (_, index) => from + index);
      const { pages } = store.getState();
      for (const page of wanted) if (!pages.has(page)) void loadPage(page);
      if (pages.size > 12) {
        const near = [...pages].filter(([page]) => page >= from - 3 && page <= to + 3);
        store.setState({ pages: new Map(near) });
      }
    },
    setQuery: (change: Partial<ListQuery>): void => restart({ ...store.getState().query, ...change }),
    setSelection: (selection: Selection): void => store.setState({ selection }),
    /** Loads what is shown again, without emptying it. */
    refresh: async (): Promise<void> => {
      await Promise.all(wanted.map(loadPage));
    },
    /** Rows whose ids are selected and loaded. */
    selectedRows: (): readonly R[] => {
      const { pages, selection } = store.getState();
      return [...pages.values()].flat().filter((row) => selection.ids.has(deps.idOf(row)));
    },
    idOf: deps.idOf,
    close: (): void => running.abort(),
  };
}
