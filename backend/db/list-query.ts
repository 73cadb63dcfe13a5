import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { invalidField } from '../platform/errors.ts';
import { fromWireTime } from '../platform/wire-time.ts';
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
 * Runs `query` (its joins and selection are made) with search, filters, order and page of `list`.
 * Rows that are equal in the asked order are ordered by `tieBreaker` (a unique column), so pages never overlap.
 */
export async function listPage<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  options: {
    readonly list: ListRequest;
    readonly columns: ListColumns;
    readonly dialect: Dialect;
    readonly tieBreaker: string;
    /** Order when the caller asks for none: the tie breaker, ascending unless told. */
    readonly defaultOrder?: 'asc' | 'desc';
  },
): Promise<Page<O>> {
  const { list, columns, dialect, tieBreaker } = options;
  const conditions = [...filtersOf(list, columns), ...searchOf(list, columns, dialect)];
  const order = orderOf(list, columns);
  const matching = conditions.reduce((builder, condition) => builder.where(condition), query);
  const direction = sql.raw(list.order ?? (order ? 'asc' : (options.defaultOrder ?? 'asc')));
  const sorted = (order ? matching.orderBy(sql`${order} ${direction}`) : matching).orderBy(
    sql`${sql.ref(tieBreaker)} ${direction}`,
  );
  const page = pageOf(list);
  if (!page) {
    const rows = await sorted.execute();
    return { rows, total: rows.length };
  }
  const counted = await matching.clearSelect().select(sql<number>`count(*)`.as('total')).executeTakeFirst();
  const total = Number((counted as { total?: number } | undefined)?.total ?? 0);
  if (page.offset >= total) return { rows: [], total };
  return { rows: await sorted.limit(page.limit).offset(page.offset).execute(), total };
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

function searchOf(list: ListRequest, columns: ListColumns, dialect: Dialect): RawBuilder<boolean>[] {
  if (list.search === undefined || list.search === '') return [];
  const pattern = `%${escapeLike(list.search)}%`;
  const searched = Object.values(columns).filter((column) => column.search);
  if (searched.length === 0) return [];
  const hits = searched.map((column) => dialect.contains(reference(column), pattern));
  return [sql<boolean>`(${sql.join(hits, sql` or `)})`];
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
