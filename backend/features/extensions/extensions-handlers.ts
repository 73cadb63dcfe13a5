import { api } from '../../../contract/api.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { listExtensions } from '../../../contract/extensions/extensions-endpoints.ts';
import type { HandlersOf } from '../../http/handler.ts';

export function createExtensionsHandlers(): HandlersOf<'extensions.list'> {
  const endpoints: readonly Endpoint[] = Object.values(api);
  const names = new Set<string>([
    ...listExtensions,
    ...endpoints.flatMap(({ extension }) => (extension ? [extension] : [])),
  ]);
  return { 'extensions.list': async () => ({ names: [...names].sort() }) };
}
