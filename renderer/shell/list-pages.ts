/** As many as a server gives at once. */
const perPage = 500;

export type AskPage<R> = (query: {
  readonly page: number;
  readonly limit: number;
}) => Promise<{ readonly items: readonly R[]; readonly total: number }>;

export interface ListPages<R> {
  readonly items: readonly R[];
  /** How many there are beyond these. */
  readonly rest: number;
  /** How many pages these are. */
  readonly shown: number;
}

/** The first pages of a list, one after the other: a server gets no more than one question about a list at a time. */
export async function pagesOf<R>(wanted: number, ask: AskPage<R>): Promise<ListPages<R>> {
  const items: R[] = [];
  let total = 0;
  let page = 0;
  while (page < wanted && (page === 0 || items.length < total)) {
    page += 1;
    const answer = await ask({ page, limit: perPage });
    items.push(...answer.items);
    total = answer.total;
    // A server that counts more than it lists has no end.
    if (answer.items.length === 0) break;
  }
  return { items, rest: Math.max(0, total - items.length), shown: page };
}
