import type { HandlersOf } from '../../http/handler.ts';
import type { BandwidthService } from './bandwidth-service.ts';

type Names =
  | 'clientBandwidth.list'
  | 'clientBandwidth.get'
  | 'clientBandwidth.create'
  | 'clientBandwidth.update'
  | 'clientBandwidth.deleteMany'
  | 'clientBandwidth.delete';

export function createBandwidthHandlers(limits: BandwidthService): HandlersOf<Names> {
  return {
    'clientBandwidth.list': ({ list, user }) => limits.list(list, user.clientGroupIds),
    'clientBandwidth.get': ({ params, user }) => limits.get(params.id, user.clientGroupIds),
    'clientBandwidth.create': ({ body, user }) => limits.create(body, user.clientGroupIds),
    'clientBandwidth.update': ({ params, body, user }) => limits.update(params.id, body, user.clientGroupIds),
    'clientBandwidth.deleteMany': ({ body, user }) => limits.remove(body.ids, user.clientGroupIds),
    'clientBandwidth.delete': ({ params, user }) => limits.remove([params.id], user.clientGroupIds),
  };
}
