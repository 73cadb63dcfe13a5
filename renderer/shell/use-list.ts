import { useEffect } from 'react';
import type { EventKind } from '../../contract/events/events.ts';
import { problemOf } from '../bridge.ts';
import { t } from '../texts/index.ts';
import {
  createListStore,
  type ListPageAnswer,
  type ListQuery,
  type ListStore,
  type PageRequest,
  type RowId,
  selectOne,
} from '../ui/index.ts';
import { keepTable, keptTable } from './kept-tables.ts';
import { sectionName } from './section-name.ts';
import { shell, showNotice } from './shell-store.ts';
import { tellFailure } from './tell-failure.ts';
import { watchServer } from './watch-server.ts';

export interface ListSource<R> {
  /** Names the list within a connection; its state is kept under it over refresh, navigation and restart. */
  readonly name: string;
  readonly kinds: readonly EventKind[];
  /** How often the list is asked for again where the server tells nothing by itself. */
  readonly pollMs: number;
  readonly load: (
    connectionId: string,
    request: PageRequest,
    signal: AbortSignal,
  ) => Promise<ListPageAnswer<R>>;
  readonly idOf: (row: R) => RowId;
  readonly initial?: Partial<ListQuery>;
}

/** What a list is called and how it was made, for whoever has only its store. */
const sources = new WeakMap<object, ListMake>();

export interface ListMake {
  readonly name: string;
  readonly query: ListQuery;
}

/** Null for a list that does not belong to a section. */
export function makeOfList<R>(list: ListStore<R>): ListMake | null {
  return sources.get(list) ?? null;
}

const stores = new Map<string, ListStore<unknown>>();
/** How a list that was not opened yet shall be opened. */
const awaited = new Map<string, ListWish>();
const settleMs = 400;

/** After an act elsewhere in the window: the list, where it was opened, is asked for again. */
export function refreshList(connectionId: string, name: string): void {
  void stores.get(`${connectionId}/${name}`)?.refresh();
}

/** After rows have gone: they are selected no longer, and the list is asked for again. */
export async function forgetInList(connectionId: string, name: string, ids: readonly RowId[]): Promise<void> {
  const list = stores.get(`${connectionId}/${name}`);
  list?.forget(ids);
  await list?.refresh();
}

/** What a list shall show; without search and filters it shows all. */
export interface ListWish {
  readonly id?: RowId;
  readonly search?: string;
  readonly filters?: Readonly<Record<string, string>>;
}

/** Selects a row, and narrows the list to what was found with it. What would hide it from the list is taken away. */
export function selectInList(connectionId: string, name: string, wish: ListWish): void {
  const key = `${connectionId}/${name}`;
  const list = stores.get(key);
  if (list === undefined) awaited.set(key, wish);
  else fulfil(list, wish);
}

function fulfil<R>(list: ListStore<R>, { id, search = '', filters = {} }: ListWish): void {
  const { query } = list.store.getState();
  if (query.search !== search || !isSame(query.filters, filters)) list.setQuery({ search, filters });
  if (id === undefined) return;
  list.setSelection(selectOne(id));
  tellFailure(bringers.get(list)?.(id) ?? Promise.resolve());
}

/** Selects the row whose details are shown, and loads it where it is not. */
export async function bringToList<R>(list: ListStore<R>, id: RowId): Promise<void> {
  const { pages, selection } = list.store.getState();
  if (selection.current !== id) list.setSelection(selectOne(id));
  const isLoaded = [...pages.values()].flat().some((row) => list.idOf(row) === id);
  const isKnown = isLoaded || list.selectedRows().some((row) => list.idOf(row) === id);
  if (!isKnown) await bringers.get(list)?.(id);
}

/** Loads the list, and brings a row into view wherever it stands in it. */
const bringers = new WeakMap<object, (id: RowId) => Promise<void>>();
/** Rows that are brought when the list is opened. */
const toBring = new WeakMap<object, RowId>();

/**
 * A row beyond the page that was loaded is asked for by its id, and the list narrowed to it: at which place of the whole list
 * it stands only the server knows. Where it is no more, that is said.
 */
async function bring<R>(list: ListStore<R>, id: RowId, source: ListSource<R>, connectionId: string) {
  await list.refresh();
  const { load, selection, pages, query } = list.store.getState();
  const isStillWanted = selection.current === id || selection.current === null;
  // Why it could not be loaded stands in the list itself.
  if (!isStillWanted || load.kind === 'failed') return;
  if ([...pages.values()].flat().some((row) => list.idOf(row) === id)) {
    list.reveal(id);
    return;
  }
  const filters = { id: String(id) };
  const request = { ...query, search: '', filters, page: 1, limit: 1 };
  const { items } = await source.load(connectionId, request, new AbortController().signal);
  if (!items.some((row) => list.idOf(row) === id)) {
    showNotice({ level: 'info', message: t('shell.list.gone', { list: sectionName(source.name), id }) });
    return;
  }
  list.setQuery({ search: '', filters });
  list.setSelection(selectOne(id));
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** The list of a section. The same store again when the section is opened again: nothing a person set is lost. */
export function useList<R>(connectionId: string, source: ListSource<R>): ListStore<R> {
  const list = storeOf(connectionId, source);
  useEffect(() => {
    const id = toBring.get(list);
    toBring.delete(list);
    if (id === undefined) void list.refresh();
    else tellFailure(bring(list, id, source, connectionId));
    const { kinds, pollMs } = source;
    return watchServer(connectionId, { kinds, pollMs, settleMs, polled: 'untold' }, () => {
      void list.refresh('gentle');
    });
  }, [connectionId, list, source]);
  return list;
}

function storeOf<R>(connectionId: string, source: ListSource<R>): ListStore<R> {
  const key = `${connectionId}/${source.name}`;
  const known = stores.get(key);
  // The key names the row's type too; the map cannot say so.
  if (known !== undefined) return known as unknown as ListStore<R>;
  const made = createListStore<R>({
    load: (request, signal) => source.load(connectionId, request, signal),
    idOf: source.idOf,
    reasonOf: (error) => problemOf(error).message,
    initial: { ...source.initial, ...keptTable(shell.getState().settings, key) },
  });
  const wanted = awaited.get(key);
  if (wanted !== undefined) {
    awaited.delete(key);
    const { id, search = '', filters = {} } = wanted;
    // Nothing was loaded so far, so nothing has to be loaded again.
    made.store.setState(({ query }) => ({ query: { ...query, search, filters } }));
    if (id !== undefined) {
      made.setSelection(selectOne(id));
      toBring.set(made, id);
    }
  }
  keepTable(key, made);
  bringers.set(made, (id) => bring(made, id, source, connectionId));
  sources.set(made, {
    name: source.name,
    query: { search: '', sort: null, filters: {}, ...source.initial },
  });
  stores.set(key, made as unknown as ListStore<unknown>);
  return made;
}

/** The request of a page in the form of the API. */
export function listInput(request: PageRequest) {
  const { search, sort, filters, page, limit } = request;
  return {
    query: {
      page,
      limit,
      ...(search === '' ? {} : { search }),
      ...(sort === null ? {} : { sort: sort.field, order: sort.order }),
      ...filters,
    },
  };
}
