import type { HandlersOf } from '../../http/handler.ts';
import type { DirectoryService } from './directory-service.ts';

type Names =
  | 'directory.get'
  | 'directory.set'
  | 'directory.delete'
  | 'directory.check'
  | 'directoryMappings.list'
  | 'directoryMappings.create'
  | 'directoryMappings.deleteMany';

export function createDirectoryHandlers(directory: DirectoryService): HandlersOf<Names> {
  return {
    'directory.get': () => directory.get(),
    'directory.set': ({ body }) => directory.set(body),
    'directory.delete': async () => {
      await directory.remove();
      return undefined;
    },
    'directory.check': ({ body }) => directory.check(body),
    'directoryMappings.list': ({ list }) => directory.listMappings(list),
    'directoryMappings.create': ({ body }) => directory.addMapping(body),
    'directoryMappings.deleteMany': ({ body }) => directory.removeMappings(body.ids),
  };
}
