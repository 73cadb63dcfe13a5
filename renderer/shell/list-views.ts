import { mostViews, type TableView } from '../../contract/desktop/settings.ts';
import { t, textsOf } from '../texts/index.ts';
import type { ListState, ListStore } from '../ui/index.ts';

const words = textsOf('shell').views;

type Look = Omit<TableView, 'name'>;

/** How a list is looked at now. */
export function lookOf<R>({ query, columns }: Pick<ListState<R>, 'query' | 'columns'>): Look {
  return {
    search: query.search.slice(0, 500),
    sort: query.sort,
    filters: { ...query.filters },
    columns: columns.map((column) => ({ ...column })),
  };
}

export function showLook<R>(list: ListStore<R>, { search, sort, filters, columns }: Look): void {
  list.setColumns(columns);
  list.setQuery({ search, sort, filters });
}

/** The view that the list shows: the one that was chosen while it is there, else one that is just like the list. */
export function shownView(
  views: readonly TableView[],
  chosen: string | null,
  look: Look,
): TableView | undefined {
  return views.find(({ name }) => name === chosen) ?? views.find((view) => isAsIn(view, look));
}

export function isAsIn(view: Look, look: Look): boolean {
  return JSON.stringify(comparable(view)) === JSON.stringify(comparable(look));
}

/** The order of filters means nothing. */
function comparable({ search, sort, filters, columns }: Look) {
  return [
    search,
    sort === null ? null : [sort.field, sort.order],
    Object.entries(filters).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    columns.map(({ id, widthPx, hidden }) => [id, widthPx ?? null, hidden ?? false]),
  ];
}

/** Why a name cannot be given to a view, or null. `before`: the name that it has so far. */
export function nameFault(
  views: readonly TableView[],
  name: string,
  before: string | null = null,
): string | null {
  if (name === '') return words.empty;
  if (name.length > 80) return words.tooLong;
  const isTaken = views.some((view) => view.name !== before && sameName(view.name, name));
  return isTaken ? words.taken : null;
}

function sameName(one: string, other: string): boolean {
  return one.toLocaleLowerCase() === other.toLocaleLowerCase();
}

/** Why there can be no further view, or null. */
export function fullReason(views: readonly TableView[]): string | null {
  return views.length < mostViews ? null : t('shell.views.tooMany', { most: mostViews });
}

/** The views with one of them changed, in its place. */
export function withView(views: readonly TableView[], name: string, change: Partial<TableView>): TableView[] {
  return views.map((view) => (view.name === name ? { ...view, ...change } : view));
}
