import { CustomAnswer, type HandlersOf } from '../../http/handler.ts';
import type { PoolService } from './pool-service.ts';

type Names =
  | 'pools.list'
  | 'pools.destinationAvailable'
  | 'pools.get'
  | 'pools.create'
  | 'pools.update'
  | 'pools.deleteMany';

export function createPoolHandlers(pools: PoolService): HandlersOf<Names> {
  return {
    'pools.list': ({ list }) => pools.list(list),
    'pools.destinationAvailable': ({ query }) => pools.destinations(query.pool_name, query.action),
    'pools.get': ({ params }) => pools.get(params.id),
    'pools.create': ({ body }) => pools.create(body),
    'pools.update': ({ params, body }) => pools.update(params.id, body),
    'pools.deleteMany': async ({ body }) => {
      const outcome = await pools.remove(body.ids);
      if (outcome.failed.length === 0) return undefined;
      const total = outcome.removed.length + outcome.failed.length;
      return new CustomAnswer(outcome, {
        status: 207,
        isError: true,
        message: `${outcome.removed.length} of ${total} pools removed, ${outcome.failed.length} refused.`,
      });
    },
  };
}
