/** What a list endpoint was asked for, in the API's field names. Parsed from the query by the HTTP room. */
export interface ListRequest {
  /** From 1. With `limit` alone the first page is meant; with neither all rows are. */
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  readonly sort?: string | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  readonly search?: string | undefined;
  /** Equality filters: field → text as it stood in the query. */
  readonly filters: Readonly<Record<string, string>>;
}

export const everything: ListRequest = { filters: {} };

/** Rows on a page when the caller gives only `page`. */
const defaultLimit = 20;

/** First row and number of rows of the asked page; `null` = all rows. */
export function pageOf(list: ListRequest): { readonly offset: number; readonly limit: number } | null {
  if (list.page === undefined && list.limit === undefined) return null;
  const limit = list.limit ?? defaultLimit;
  return { offset: ((list.page ?? 1) - 1) * limit, limit };
}
