import type { HandlersOf } from '../../http/handler.ts';
import type { TapeLibraryService } from './tape-library-service.ts';

type Names =
  | 'tapeLibraries.list'
  | 'tapeLibraries.get'
  | 'tapeLibraries.candidates'
  | 'tapeLibraries.candidateInfo'
  | 'tapeLibraries.create'
  | 'tapeLibraries.tree'
  | 'tapeLibraries.update'
  | 'tapeLibraries.sync'
  | 'tapeLibraries.deleteMany'
  | 'tapeLibraries.delete';

export function createTapeLibraryHandlers(libraries: TapeLibraryService): HandlersOf<Names> {
  return {
    'tapeLibraries.list': ({ list }) => libraries.list(list),
    'tapeLibraries.get': ({ params }) => libraries.get(params.id),
    'tapeLibraries.candidates': ({ query }) => libraries.candidates(query),
    'tapeLibraries.candidateInfo': ({ body }) => libraries.candidateInfo(body),
    'tapeLibraries.create': ({ body }) => libraries.create(body),
    'tapeLibraries.tree': ({ body }) => libraries.tree(body),
    'tapeLibraries.update': ({ params, body }) => libraries.update(params.id, body),
    'tapeLibraries.sync': ({ params }) => libraries.sync(params.id),
    'tapeLibraries.deleteMany': ({ body }) => libraries.remove(body.ids),
    'tapeLibraries.delete': ({ params }) => libraries.remove([params.id]),
  };
}
