import type { HandlersOf } from '../../http/handler.ts';
import type { CatalogueCopyService } from './catalogue-copy-service.ts';

export function createCatalogueCopyHandlers(
  copies: CatalogueCopyService,
): HandlersOf<'catalogueCopy.get' | 'catalogueCopy.create'> {
  return {
    'catalogueCopy.get': async () => copies.last(),
    'catalogueCopy.create': ({ body }) => copies.make(body.folder),
  };
}
