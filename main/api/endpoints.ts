import type { Api } from '../../contract/api.ts';

/** All declared endpoints with their schemas. Built at the first call: the window is shown without them. */
export async function endpoints(): Promise<Api> {
  const { api } = await import('../../contract/api.ts');
  return api;
}
