import { expect } from 'vitest';

/** Calls a running API: method and path below `/api/v1`, answers status and envelope. */
export type ListCaller = (
  method: 'GET',
  path: string,
) => Promise<{ readonly status: number; readonly body: { readonly data: unknown } | null }>;

/** Lists of objects that every server has at least one of. */
export const furnishedLists = [
  '/clients',
  '/client_groups',
  '/media_servers',
  '/pools',
  '/storage_local_catalogs',
  '/users',
] as const;

/**
 * The uniform rule of lists: every field of the record sorts, and filters by equality (a record is found by its own
 * value); a text is found by a part of it; pages do not overlap.
 */
export async function expectUniformList(call: ListCaller, path: string): Promise<void> {
  const list = async (query: string): Promise<readonly Record<string, unknown>[]> => {
    const answer = await call('GET', `${path}?${query}`);
    expect({ path, query, status: answer.status }).toEqual({ path, query, status: 200 });
    return answer.body?.data as Record<string, unknown>[];
  };
  const [first] = await list('');
  expect(first).toBeDefined();
  for (const [field, value] of Object.entries(first ?? {})) {
    await list(`sort=${field}&order=desc&page=1&limit=5`);
    if (isVolatile(field) || value === null) {
      await list(`${field}=${encodeURIComponent(String(value))}`);
      continue;
    }
    const text = Array.isArray(value) ? JSON.stringify(value) : String(value);
    const found = await list(`${field}=${encodeURIComponent(text)}`);
    expect({ field, ids: found.map(({ id }) => id) }).toMatchObject({
      field,
      ids: expect.arrayContaining([first?.id]),
    });
  }
  await list('search=e');
  expect(await list('page=4711&limit=500')).toEqual([]);
}

/** Figures that change between two calls: the time of the last activity, and the space of a disk in use. */
function isVolatile(field: string): boolean {
  return ['last_activity', 'free_space', 'used_space', 'last_success_login'].includes(field);
}
