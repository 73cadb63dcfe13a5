import type { HandlersOf } from '../../http/handler.ts';
import type { StrategyService } from './strategy-service.ts';

type Names =
  | 'strategies.list'
  | 'strategies.create'
  | 'strategies.deleteMany'
  | 'strategies.preview'
  | 'strategies.get'
  | 'strategies.update'
  | 'strategies.delete';

export function createStrategyHandlers(strategies: StrategyService): HandlersOf<Names> {
  return {
    'strategies.list': ({ list }) => strategies.list(list),
    'strategies.create': ({ body }) => strategies.create(body),
    'strategies.deleteMany': ({ body }) => strategies.remove(body.ids),
    'strategies.preview': async ({ query }) => strategies.preview(query),
    'strategies.get': ({ params, query }) => strategies.get(params.id, query.runs_days),
    'strategies.update': ({ params, body }) => strategies.update(params.id, body),
    'strategies.delete': ({ params }) => strategies.remove([params.id]),
  };
}
