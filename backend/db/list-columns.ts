import { type RawBuilder, sql } from 'kysely';
import { invalidField } from '../platform/errors.ts';
import { fromWireTime } from '../platform/wire-time.ts';
import type { Dialect } from './dialects.ts';
import type { ListRequest } from './list-request.ts';

/**
 * A field of the record that a list may be sorted, filtered and searched by.
 *
 * - `column`: `table.column`, or an expression for what no column holds.
 * - `of`: the column is one of the row that `key` of the listed table refers to by `id`. Such rows are few and the
 *   listed ones many, so it is looked into first and joined only to the rows of the page.
 * - `search`: the field takes part in the text search.
 * - `parse`: the wire form of a filter → the column's value (`undefined` = no row can match).
 * - `equals`: the rows that a filter means, where that is more than a comparison of the column.
 */
export interface ListColumn {
  readonly column: string | RawBuilder<unknown>;
  readonly of?: Reference;
  readonly kind: 'text' | 'integer' | 'real' | 'boolean' | 'time';
  readonly search?: boolean;
  readonly parse?: (text: string) => unknown;
  readonly equals?: (text: string) => RawBuilder<boolean>;
}

export interface Reference {
  readonly key: string;
  readonly from: RawBuilder<unknown>;
  readonly id: string;
}

/** By the API's field name. Whatever is not in here is refused with 400, so nothing else reaches the SQL. */
export type ListColumns = Readonly<Record<string, ListColumn>>;

/** The conditions that the filters of `list` are. */
export function filtersOf(list: ListRequest, columns: ListColumns): RawBuilder<boolean>[] {
  return Object.entries(list.filters).map(([field, text]) => {
    const column = columnOf(columns, field);
    if (!column) throw unknownField(field, columns);
    if (column.equals) return column.equals(text);
    const value = column.parse ? column.parse(text) : parseFilter(field, column, text);
    if (value === undefined) return sql<boolean>`1 = 0`;
    return where(column, (reference) =>
      value === null ? sql<boolean>`${reference} is null` : sql<boolean>`${reference} = ${value}`,
    );
  });
}

/** What the rows are sorted by; null when the caller asks for no order. */
export function orderOf(list: ListRequest, columns: ListColumns): RawBuilder<unknown> | null {
  if (list.sort === undefined) return null;
  const column = columnOf(columns, list.sort);
  if (!column) throw invalidField('sort', `must be one of ${Object.keys(columns).join(', ')}`);
  const { of } = column;
  if (!of) return expression(column);
  return sql`(select ${expression(column)} from ${of.from} where ${sql.ref(of.id)} = ${sql.ref(of.key)})`;
}

/** The rows whose value of the column contains `text`. */
export function columnContains(column: ListColumn, text: string, dialect: Dialect): RawBuilder<boolean> {
  return where(column, (reference) => dialect.contains(reference, text));
}

function where(
  column: ListColumn,
  condition: (reference: RawBuilder<unknown>) => RawBuilder<boolean>,
): RawBuilder<boolean> {
  const { of } = column;
  const meant = condition(expression(column));
  if (!of) return meant;
  return sql<boolean>`${sql.ref(of.key)} in (select ${sql.ref(of.id)} from ${of.from} where ${meant})`;
}

function expression(column: ListColumn): RawBuilder<unknown> {
  return typeof column.column === 'string' ? sql.ref(column.column) : column.column;
}

function columnOf(columns: ListColumns, field: string): ListColumn | undefined {
  return Object.hasOwn(columns, field) ? columns[field] : undefined;
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

function unknownField(field: string, columns: ListColumns): Error {
  return invalidField(field, `is not a field to filter by; there are ${Object.keys(columns).join(', ')}`);
}
