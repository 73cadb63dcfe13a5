import type { HandlersOf } from '../../http/handler.ts';
import type { VirtualLibraryService } from './virtual-library-service.ts';

type Names =
  | 'virtualLibraries.list'
  | 'virtualLibraries.get'
  | 'virtualLibraries.create'
  | 'virtualLibraries.update'
  | 'virtualLibraries.deleteMany'
  | 'virtualLibraries.delete';

export function createVirtualLibraryHandlers(libraries: VirtualLibraryService): HandlersOf<Names> {
  return {
    'virtualLibraries.list': ({ list }) => libraries.list(list),
    'virtualLibraries.get': ({ params }) => libraries.get(params.id),
    'virtualLibraries.create': ({ body }) => libraries.create(body),
    'virtualLibraries.update': ({ params, body }) => libraries.update(params.id, body),
    'virtualLibraries.deleteMany': ({ body }) => libraries.remove(body.ids),
    'virtualLibraries.delete': ({ params }) => libraries.remove([params.id]),
  };
}
