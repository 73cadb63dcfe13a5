import type { HandlersOf } from '../../http/handler.ts';
import type { ClientGroupService } from './client-group-service.ts';

type Names =
  | 'clientGroups.list'
  | 'clientGroups.get'
  | 'clientGroups.create'
  | 'clientGroups.update'
  | 'clientGroups.deleteMany'
  | 'clientGroups.delete';

export function createClientGroupHandlers(groups: ClientGroupService): HandlersOf<Names> {
  return {
    'clientGroups.list': ({ list, user }) => groups.list(list, user.clientGroupIds),
    'clientGroups.get': ({ params, user }) => groups.get(params.id, user.clientGroupIds),
    'clientGroups.create': ({ body }) => groups.create(body),
    'clientGroups.update': ({ params, body }) => groups.update(params.id, body),
    'clientGroups.deleteMany': ({ body }) => groups.remove(body.ids),
    'clientGroups.delete': ({ params }) => groups.remove([params.id]),
  };
}
