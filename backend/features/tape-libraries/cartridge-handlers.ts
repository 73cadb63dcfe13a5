import type { HandlersOf } from '../../http/handler.ts';
import type { CartridgeService } from './cartridge-service.ts';

type Names =
  | 'cartridges.list'
  | 'cartridges.get'
  | 'cartridges.ofCopy'
  | 'cartridges.create'
  | 'cartridges.update'
  | 'cartridges.assign'
  | 'cartridges.scan'
  | 'cartridges.deleteMany'
  | 'cartridges.delete'
  | 'cartridges.slots'
  | 'cartridges.move';

export function createCartridgeHandlers(cartridges: CartridgeService): HandlersOf<Names> {
  return {
    'cartridges.list': ({ list }) => cartridges.list(list),
    'cartridges.get': ({ params }) => cartridges.get(params.id),
    'cartridges.ofCopy': ({ params }) => cartridges.ofCopy(params.id),
    'cartridges.create': ({ body }) => cartridges.register(body),
    'cartridges.update': ({ params, body }) => cartridges.label(params.id, body),
    'cartridges.assign': ({ body }) => cartridges.assign(body),
    'cartridges.scan': ({ params }) => cartridges.scan(params.id),
    'cartridges.deleteMany': ({ body }) => cartridges.remove(body.ids),
    'cartridges.delete': ({ params }) => cartridges.remove([params.id]),
    'cartridges.slots': ({ params }) => cartridges.slots(params.id),
    'cartridges.move': ({ params, body }) => cartridges.move(params.id, body),
  };
}
