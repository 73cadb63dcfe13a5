import type { HandlersOf } from '../../http/handler.ts';
import type { StorageService } from './storage-service.ts';

type Names =
  | 'storages.list'
  | 'storages.get'
  | 'storages.create'
  | 'storages.update'
  | 'storages.deleteMany'
  | 'storages.delete';

export function createStorageHandlers(storages: StorageService): HandlersOf<Names> {
  return {
    'storages.list': ({ list }) => storages.list(list),
    'storages.get': ({ params }) => storages.get(params.id),
    'storages.create': ({ body }) => storages.create(body),
    'storages.update': ({ params, body }) => storages.update(params.id, body),
    'storages.deleteMany': ({ body }) => storages.remove(body.ids),
    'storages.delete': ({ params }) => storages.remove([params.id]),
  };
}
