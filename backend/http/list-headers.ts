import { type ListRequest, pageOf } from '../db/index.ts';

/** `Link` (RFC 8288) with the next and the previous page; `null` when all rows were asked for. */
export function linkHeader(url: string, list: ListRequest, total: number): string | null {
  const page = pageOf(list);
  if (!page) return null;
  const number = list.page ?? 1;
  const links: string[] = [];
  const link = (target: number, relation: string): void => {
    const address = new URL(url);
    address.searchParams.set('page', String(target));
    address.searchParams.set('limit', String(page.limit));
    links.push(`<${address.href}>; rel="${relation}"`);
  };
  if (page.offset + page.limit < total) link(number + 1, 'next');
  if (number > 1) link(Math.max(1, Math.min(number - 1, Math.ceil(total / page.limit))), 'prev');
  return links.length === 0 ? null : links.join(', ');
}
