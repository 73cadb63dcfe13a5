import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { orderOf } from './list-columns.ts';
import type { SearchOptions } from './list-search.ts';

/** Where the ids of the matching rows come from. */
export interface PageSource {
  count(): Promise<number>;
  ids(isReversed: boolean, limit: number, offset: number): Promise<readonly { readonly id: number }[]>;
}

/** Rows that regular work adds to the indexes of lists. Until then whoever lists reads the few others beside them. */
export interface LateIndexes {
  /** `table.column` of each such index. */
  readonly columns: ReadonlySet<string>;
  /** Those of which so few rows have the same that no other filter's index is better. */
  readonly narrow: ReadonlySet<string>;
  /** Of the rows that are in them, in the words of the indexes themselves. */
  readonly indexed: RawBuilder<boolean>;
  /** Of all others, found without these indexes. */
  readonly later: RawBuilder<boolean>;
}

/**
 * Which steps of a page need a late index; null: none. A filter by any other column has an index of its own, which is the
 * better one, except beside a narrow one.
 */
export function lateSteps(
  { list, columns }: SearchOptions,
  late: LateIndexes,
): { readonly isCounted: boolean } | null {
  const isOf = (some: ReadonlySet<string>, field: string): boolean => {
    const column = columns[field]?.column;
    return typeof column === 'string' && some.has(column);
  };
  const isLate = (field: string): boolean => isOf(late.columns, field);
  const filtered = Object.keys(list.filters);
  if (!filtered.every(isLate) && !filtered.some((field) => isOf(late.narrow, field))) return null;
  const isCounted = filtered.length > 0;
  return isCounted || (list.sort !== undefined && isLate(list.sort)) ? { isCounted } : null;
}

/** The rows of `matching` from the late indexes, and in their order the others, if there are any. */
export async function lateSource<DB, TB extends keyof DB, O>(
  matching: SelectQueryBuilder<DB, TB, O>,
  options: SearchOptions & { readonly late: LateIndexes; readonly plainCount: () => Promise<number> },
  directionOf: (isReversed: boolean) => RawBuilder<unknown>,
): Promise<PageSource> {
  const { late, list, columns, tieBreaker } = options;
  const indexed = matching.where(late.indexed);
  const later = matching.where(late.later);
  const isAnyLater =
    (await later.clearSelect().select(sql<number>`1`.as('any')).limit(1).execute()).length > 0;
  const countOf = async (query: typeof matching): Promise<number> => {
    const counted = await query.clearSelect().select(sql<number>`count(*)`.as('total')).execute();
    return Number((counted[0] as { readonly total: number } | undefined)?.total ?? 0);
  };
  const order = orderOf(list, columns);
  const idsOf = (query: typeof matching) => {
    const ids = query.clearSelect().select(sql<number>`${sql.ref(tieBreaker)}`.as('id'));
    return order ? ids.select(order.as('place')) : ids;
  };
  return {
    count: async () =>
      lateSteps(options, late)?.isCounted
        ? (await countOf(indexed)) + (isAnyLater ? await countOf(later) : 0)
        : options.plainCount(),
    ids: (isReversed, limit, offset) => {
      const direction = directionOf(isReversed);
      const all = isAnyLater ? idsOf(indexed).unionAll(idsOf(later)) : idsOf(indexed);
      // By their numbers: the order of a union is one of its columns.
      const sorted = order ? all.orderBy(sql`2 ${direction}`) : all;
      return sorted
        .orderBy(sql`1 ${direction}`)
        .limit(limit)
        .offset(offset)
        .execute() as Promise<unknown> as Promise<readonly { readonly id: number }[]>;
    },
  };
}
