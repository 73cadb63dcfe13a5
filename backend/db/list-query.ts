import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { invalidField } from '../platform/errors.ts';
import { fromWireTime } from '../platform/wire-time.ts';
import type { Db, Tx } from './database.ts';
import type { Dialect } from './dialects.ts';
import { type ListRequest, pageOf } from './list-request.ts';

/**
 * A field of the record that a list may be sorted, filtered and searched by.
 *
 * - `column`: `table.column`, or an expression for what no column holds.
 * - `search`: the field takes part in the text search.
 * - `parse`: the wire form of a filter → the column's value (`undefined` = no row can match).
 */
export interface ListColumn {
  readonly column: string | RawBuilder<unknown>;
  readonly kind: 'text' | 'integer' | 'real' | 'boolean' | 'time';
  readonly search?: boolean;
  readonly parse?: (text: string) => unknown;
}

/** By the API's field name. Whatever is not in here is refused with 400, so nothing else reaches the SQL. */
export type ListColumns = Readonly<Record<string, ListColumn>>;

export interface Page<O> {
  readonly rows: readonly O[];
  readonly total: number;
}

/**
 * What finds the rows of a search by the trigrams of their texts: a table of its own in SQLite (FTS5), an index on the
 * joined texts in PostgreSQL.
 */
export interface TrigramTable {
  readonly table: string;
  /** The searched columns, `table.column`, in the order in which their texts are joined. */
  readonly columns: readonly string[];
  readonly db: Db | Tx;
  /** Every row of it may be shown to this caller. */
  readonly isAllVisible: boolean;
}

export interface ListOptions {
  readonly list: ListRequest;
  readonly columns: ListColumns;
  readonly dialect: Dialect;
  /** A unique column, `table.column`. */
  readonly tieBreaker: string;
  /** The query selects the tie breaker under the name `id`. */
  readonly selectsId?: boolean;
  /** Order when the caller asks for none: the tie breaker, ascending unless told. */
  readonly defaultOrder?: 'asc' | 'desc';
  readonly trigrams?: TrigramTable;
}

/**
 * Runs `query` (its joins and selection are made) with search, filters, order and page of `list`.
 * Rows that are equal in the asked order are ordered by the tie breaker, so pages never overlap.
 *
 * A page is found in three steps, so that it costs the same wherever it is: how many rows match, the ids of the page
 * from the nearer end of the order (an index has all that this needs), and only then the rows of these ids.
 */
export async function listPage<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  options: ListOptions,
): Promise<Page<O>> {
  const { list, columns } = options;
  const phrase = trigramPhrase(options);
  const conditions = [...filtersOf(list, columns), ...searchOf(options, phrase)];
  const matching = conditions.reduce((builder, condition) => builder.where(condition), query);
  const page = pageOf(list);
  if (!page) {
    const rows = await ordered(matching, options, orderOf(list, columns), false).execute();
    return { rows, total: rows.length };
  }
  const found = await findPage(matching, options, { page, phrase });
  if (found.ids.length === 0) return { rows: [], total: found.total };
  const wanted = query.where(sql<boolean>`${sql.ref(options.tieBreaker)} in (${sql.join(found.ids)})`);
  const byId = options.selectsId ? await rowsById(wanted) : await rowsByAddedId(wanted, options.tieBreaker);
  // One that was deleted a moment ago is missing, which is right.
  return { rows: found.ids.flatMap((id) => byId.get(id) ?? []), total: found.total };
}

async function rowsById<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
): Promise<ReadonlyMap<number, O>> {
  const rows = await query.execute();
  return new Map(rows.map((row) => [Number((row as unknown as { readonly id: number }).id), row]));
}

/** The rows as they are asked for, without the id that they were found by. */
async function rowsByAddedId<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  tieBreaker: string,
): Promise<ReadonlyMap<number, O>> {
  const rows = await query.select(sql<number>`${sql.ref(tieBreaker)}`.as(listId)).execute();
  return new Map(
    (rows as unknown as readonly Identified[]).map(({ [listId]: id, ...row }) => [Number(id), row as O]),
  );
}

const listId = 'list_page_id';
type Identified = { readonly [listId]: number };

interface FoundPage {
  readonly ids: readonly number[];
  readonly total: number;
}

async function findPage<DB, TB extends keyof DB, O>(
  matching: SelectQueryBuilder<DB, TB, O>,
  options: ListOptions,
  asked: {
    readonly page: { readonly offset: number; readonly limit: number };
    readonly phrase: string | null;
  },
): Promise<FoundPage> {
  const { list, columns, trigrams, tieBreaker } = options;
  const { page, phrase } = asked;
  const order = orderOf(list, columns);
  const isPlain = order === null && Object.keys(list.filters).length === 0;
  const source =
    phrase !== null && trigrams?.isAllVisible && isPlain
      ? trigramSource(trigrams, phrase)
      : {
          count: () =>
            matching
              .clearSelect()
              .select(sql<number>`count(*)`.as('total'))
              .executeTakeFirst() as Promise<Counted>,
          ids: (isReversed: boolean, limit: number, offset: number) =>
            ordered(
              matching.clearSelect().select(sql<number>`${sql.ref(tieBreaker)}`.as('id')),
              options,
              order,
              isReversed,
            )
              .limit(limit)
              .offset(offset)
              .execute() as Promise<unknown> as Promise<readonly { readonly id: number }[]>,
        };
  const total = Number((await source.count())?.total ?? 0);
  const left = Math.min(page.limit, total - page.offset);
  if (left <= 0) return { ids: [], total };
  const isFromEnd = page.offset > total / 2;
  const offset = isFromEnd ? total - page.offset - left : page.offset;
  const ids = (await source.ids(isFromEnd, left, offset)).map(({ id }) => Number(id));
  return { ids: isFromEnd ? ids.reverse() : ids, total };

  /** The table of trigrams is in the order of ids itself, and knows how many there are. */
  function trigramSource({ db, table }: TrigramTable, wanted: string) {
    const base = sql`from ${sql.table(table)} where ${sql.table(table)} match ${wanted}`;
    return {
      count: async () => (await sql<{ total: number }>`select count(*) as total ${base}`.execute(db)).rows[0],
      ids: async (isReversed: boolean, limit: number, offset: number) =>
        (
          await sql<{ id: number }>`select rowid as id ${base}
            order by rowid ${directionOf(options, null, isReversed)} limit ${limit} offset ${offset}`.execute(
            db,
          )
        ).rows,
    };
  }
}

type Counted = { readonly total: number } | undefined;

function directionOf(options: ListOptions, order: RawBuilder<unknown> | null, isReversed: boolean) {
  const { list, defaultOrder } = options;
  const direction = list.order ?? (order ? 'asc' : (defaultOrder ?? 'asc'));
  return sql.raw((direction === 'asc') === isReversed ? 'desc' : 'asc');
}

function ordered<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  options: ListOptions,
  order: RawBuilder<unknown> | null,
  isReversed: boolean,
): SelectQueryBuilder<DB, TB, O> {
  const direction = directionOf(options, order, isReversed);
  const sorted = order ? query.orderBy(sql`${order} ${direction}`) : query;
  return sorted.orderBy(sql`${sql.ref(options.tieBreaker)} ${direction}`);
}

function reference(column: ListColumn): RawBuilder<unknown> {
  return typeof column.column === 'string' ? sql.ref(column.column) : column.column;
}

function columnOf(columns: ListColumns, field: string): ListColumn | undefined {
  return Object.hasOwn(columns, field) ? columns[field] : undefined;
}

function filtersOf(list: ListRequest, columns: ListColumns): RawBuilder<boolean>[] {
  return Object.entries(list.filters).map(([field, text]) => {
    const column = columnOf(columns, field);
    if (!column) throw unknownField(field, columns);
    const value = column.parse ? column.parse(text) : parseFilter(field, column, text);
    if (value === undefined) return sql<boolean>`1 = 0`;
    if (value === null) return sql<boolean>`${reference(column)} is null`;
    return sql<boolean>`${reference(column)} = ${value}`;
  });
}

function parseFilter(field: string, column: ListColumn, text: string): unknown {
  // A missing value is written as the API shows it; a text may really read `null`.
  if (text === 'null' && column.kind !== 'text') return null;
  switch (column.kind) {
    case 'text':
      return text;
    case 'integer':
      if (!/^-?\d{1,15}$/.test(text)) throw invalidField(field, 'must be a whole number');
      return Number(text);
    case 'real':
      if (!Number.isFinite(Number(text)) || text.trim() === '') throw invalidField(field, 'must be a number');
      return Number(text);
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw invalidField(field, 'must be true or false');
      return text === 'true' ? 1 : 0;
    case 'time': {
      const epochMs = fromWireTime(text);
      if (epochMs === null) throw invalidField(field, 'must be a date like 2030-01-31T23:59:59');
      return epochMs;
    }
  }
}

function searchOf(options: ListOptions, phrase: string | null): RawBuilder<boolean>[] {
  const { list, columns, dialect, trigrams, tieBreaker } = options;
  if (list.search === undefined || list.search === '') return [];
  if (phrase !== null && trigrams) {
    const table = sql.table(trigrams.table);
    return [
      sql<boolean>`${sql.ref(tieBreaker)} in (select rowid from ${table} where ${table} match ${phrase})`,
    ];
  }
  const pattern = `%${escapeLike(list.search)}%`;
  if (trigrams && dialect.kind === 'postgres' && !list.search.includes('\n')) {
    const texts = trigrams.columns.map((column) => sql`coalesce(${sql.ref(column)}, '')`);
    return [sql<boolean>`(${sql.join(texts, sql` || chr(10) || `)}) ilike ${pattern} escape '\\'`];
  }
  const searched = Object.values(columns).filter((column) => column.search);
  if (searched.length === 0) return [];
  const hits = searched.map((column) => dialect.contains(reference(column), pattern));
  return [sql<boolean>`(${sql.join(hits, sql` or `)})`];
}

/**
 * The search as a phrase of trigrams; null when they cannot answer it as a search of the texts themselves would: texts
 * of less than three characters, line ends (which part the texts of a row), and letters whose case only we fold.
 */
function trigramPhrase({ list, dialect, trigrams }: ListOptions): string | null {
  const { search } = list;
  if (!trigrams || dialect.kind !== 'sqlite' || search === undefined) return null;
  if (!/^[\x20-\x7e]{3,}$/.test(search)) return null;
  return `"${search.replaceAll('"', '""')}"`;
}

/** `%` and `_` stand for themselves. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

function orderOf(list: ListRequest, columns: ListColumns): RawBuilder<unknown> | null {
  if (list.sort === undefined) return null;
  const column = columnOf(columns, list.sort);
  if (!column) {
    throw invalidField('sort', `must be one of ${Object.keys(columns).join(', ')}`);
  }
  return reference(column);
}

function unknownField(field: string, columns: ListColumns): Error {
  return invalidField(field, `is not a field to filter by; there are ${Object.keys(columns).join(', ')}`);
}
