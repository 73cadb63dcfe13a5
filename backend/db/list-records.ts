import { invalidField } from '../platform/errors.ts';
import { foldCase } from './dialects.ts';
import type { Page } from './list-query.ts';
import { type ListRequest, pageOf } from './list-request.ts';

/**
 * The list parameters for records that are already in memory: short lists (pools, storages, media servers) with
 * fields that no column holds, like free space. `fields` are the record's fields; anything else is a 400.
 */
export function listRecords<R extends Readonly<Record<string, unknown>>>(
  records: readonly R[],
  list: ListRequest,
  fields: readonly (keyof R & string)[],
): Page<R> {
  const checked = (field: string, name: string): string => {
    if ((fields as readonly string[]).includes(field)) return field;
    throw invalidField(name, `must be one of ${fields.join(', ')}`);
  };
  for (const field of Object.keys(list.filters)) {
    if (!(fields as readonly string[]).includes(field)) {
      throw invalidField(field, `is not a field to filter by; there are ${fields.join(', ')}`);
    }
  }
  const wanted = list.search === undefined ? '' : foldCase(list.search);
  const matching = records.filter(
    (record) =>
      Object.entries(list.filters).every(([field, text]) => wireText(record[field]) === text) &&
      (wanted === '' ||
        fields.some((field) => {
          const value: unknown = record[field];
          return typeof value === 'string' && foldCase(value).includes(wanted);
        })),
  );
  const sort = list.sort === undefined ? null : checked(list.sort, 'sort');
  const sign = list.order === 'desc' ? -1 : 1;
  const sorted = sort
    ? [...matching].sort((left, right) => sign * compare(left[sort], right[sort]))
    : inGivenOrder(matching, sign);
  const page = pageOf(list);
  return {
    rows: page ? sorted.slice(page.offset, page.offset + page.limit) : sorted,
    total: matching.length,
  };
}

function inGivenOrder<R>(records: readonly R[], sign: number): readonly R[] {
  return sign === 1 ? records : [...records].reverse();
}

function wireText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Missing values first, numbers by value, texts by code point as the database does. */
function compare(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (left === null || left === undefined) return -1;
  if (right === null || right === undefined) return 1;
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return wireText(left) < wireText(right) ? -1 : 1;
}
