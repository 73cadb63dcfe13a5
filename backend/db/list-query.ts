import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { filtersOf, orderOf } from './list-columns.ts';
import { type LateIndexes, lateSource, lateSteps, type PageSource } from './list-late.ts';
import { pageOf } from './list-request.ts';
import { laterFound, type SearchOptions, searchOf, trigramPhrase } from './list-search.ts';

export interface Page<O> {
  readonly rows: readonly O[];
  readonly total: number;
}

export interface ListOptions extends SearchOptions {
  /** The query selects the tie breaker under the name `id`. */
  readonly selectsId?: boolean;
  /** Order when the caller asks for none: the tie breaker, ascending unless told. */
  readonly defaultOrder?: 'asc' | 'desc';
  /** Number of rows when nothing narrows them, where that is known faster than by counting them. */
  readonly countAll?: (() => Promise<number>) | undefined;
  /** Indexes that new rows are added to later. */
  readonly late?: LateIndexes | undefined;
}

/**
 * Runs `query` (its joins and selection are made) with search, filters, order and page of `list`.
 * Rows that are equal in the asked order are ordered by the tie breaker, so pages never overlap.
 *
 * A page is found in three steps, so that it costs the same wherever it is: how many rows match, the ids of the page
 * from the nearer end of the order (an index has all that this needs), and only then the rows of these ids.
 *
 * `finding` selects the same rows as `query` from as few tables as can be; the first two steps use it. With it every
 * column of another table needs its `of`.
 */
export async function listPage<DB, TB extends keyof DB, O, F extends keyof DB>(
  query: SelectQueryBuilder<DB, TB, O>,
  options: ListOptions,
  finding?: SelectQueryBuilder<DB, F, object>,
): Promise<Page<O>> {
  const { list, columns } = options;
  const search = searchOf(options);
  const conditions = [...filtersOf(list, columns), ...(search ? [search] : [])];
  const page = pageOf(list);
  if (!page) {
    const rows = await ordered(narrowed(query, conditions), options, false).execute();
    return { rows, total: rows.length };
  }
  const isAll = conditions.length === 0;
  const found = finding
    ? await findPage(narrowed(finding, conditions), options, { page, isAll })
    : await findPage(narrowed(query, conditions), options, { page, isAll });
  if (found.ids.length === 0) return { rows: [], total: found.total };
  const wanted = query.where(sql<boolean>`${sql.ref(options.tieBreaker)} in (${sql.join(found.ids)})`);
  const byId = options.selectsId ? await rowsById(wanted) : await rowsByAddedId(wanted, options.tieBreaker);
  // One that was deleted a moment ago is missing, which is right.
  return { rows: found.ids.flatMap((id) => byId.get(id) ?? []), total: found.total };
}

function narrowed<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  conditions: readonly RawBuilder<boolean>[],
): SelectQueryBuilder<DB, TB, O> {
  return conditions.reduce((builder, condition) => builder.where(condition), query);
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
    /** Nothing narrows the rows. */
    readonly isAll: boolean;
  },
): Promise<FoundPage> {
  const { page } = asked;
  const source = trigramSource(options) ?? (await rowSource(matching, options, asked.isAll));
  const total = Number(await source.count());
  const left = Math.min(page.limit, total - page.offset);
  if (left <= 0) return { ids: [], total };
  const isFromEnd = page.offset > total / 2;
  const offset = isFromEnd ? total - page.offset - left : page.offset;
  const ids = (await source.ids(isFromEnd, left, offset)).map(({ id }) => Number(id));
  return { ids: isFromEnd ? ids.reverse() : ids, total };
}

async function rowSource<DB, TB extends keyof DB, O>(
  matching: SelectQueryBuilder<DB, TB, O>,
  options: ListOptions,
  isAll: boolean,
): Promise<PageSource> {
  const plain = querySource(matching, options, isAll);
  const { late } = options;
  if (late === undefined || lateSteps(options, late) === null) return plain;
  const from = { ...options, late, plainCount: plain.count };
  return lateSource(matching, from, (isReversed) => directionOf(options, isReversed));
}

function querySource<DB, TB extends keyof DB, O>(
  matching: SelectQueryBuilder<DB, TB, O>,
  options: ListOptions,
  isAll: boolean,
): PageSource {
  const { tieBreaker, countAll } = options;
  return {
    count: async () => {
      if (isAll && countAll) return countAll();
      const counted = (await matching
        .clearSelect()
        .select(sql<number>`count(*)`.as('total'))
        .executeTakeFirst()) as { readonly total: number } | undefined;
      return counted?.total ?? 0;
    },
    ids: (isReversed, limit, offset) =>
      ordered(
        matching.clearSelect().select(sql<number>`${sql.ref(tieBreaker)}`.as('id')),
        options,
        isReversed,
      )
        .limit(limit)
        .offset(offset)
        .execute() as Promise<unknown> as Promise<readonly { readonly id: number }[]>,
  };
}

/** The table of trigrams is in the order of ids itself, and knows how many there are. */
function trigramSource(options: ListOptions): PageSource | null {
  const { list, trigrams } = options;
  const phrase = trigramPhrase(options);
  const isPlain = list.sort === undefined && Object.keys(list.filters).length === 0;
  if (phrase === null || !trigrams?.isAll || !isPlain) return null;
  const { db } = trigrams;
  const table = sql.table(trigrams.table);
  const base = sql`from ${table} where ${table} match ${phrase}`;
  const later = laterFound(options);
  const total = later
    ? sql`select (select count(*) ${base}) + (select count(*) ${later}) as total`
    : sql`select count(*) as total ${base}`;
  const found = later
    ? sql`select rowid as id ${base} union all select id ${later}`
    : sql`select rowid as id ${base}`;
  return {
    count: async () => (await sql<{ total: number }>`${total}`.execute(db)).rows[0]?.total ?? 0,
    ids: async (isReversed, limit, offset) =>
      (
        await sql<{ id: number }>`${found}
          order by id ${directionOf(options, isReversed)} limit ${limit} offset ${offset}`.execute(db)
      ).rows,
  };
}

function directionOf({ list, defaultOrder }: ListOptions, isReversed: boolean): RawBuilder<unknown> {
  const unasked = list.sort === undefined ? (defaultOrder ?? 'asc') : 'asc';
  return sql.raw(((list.order ?? unasked) === 'asc') === isReversed ? 'desc' : 'asc');
}

function ordered<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  options: ListOptions,
  isReversed: boolean,
): SelectQueryBuilder<DB, TB, O> {
  const order = orderOf(options.list, options.columns);
  const direction = directionOf(options, isReversed);
  const sorted = order ? query.orderBy(sql`${order} ${direction}`) : query;
  return sorted.orderBy(sql`${sql.ref(options.tieBreaker)} ${direction}`);
}
