import type { HandlersOf } from '../../http/handler.ts';
import type { ClientService } from './client-service.ts';
import type { JoinTokens } from './join-tokens.ts';

type Names =
  | 'clients.list'
  | 'clients.tree'
  | 'clients.unauthorized'
  | 'clients.get'
  | 'clients.update'
  | 'clients.deleteMany'
  | 'clients.createJoinToken'
  | 'clients.authorize';

export function createClientHandlers(
  clients: ClientService,
  joinTokens: Pick<JoinTokens, 'create'>,
): HandlersOf<Names> {
  return {
    'clients.list': ({ list, user }) => clients.list(list, user.clientGroupIds),
    'clients.unauthorized': ({ list, user }) => clients.unauthorized(list, user.clientGroupIds),
    'clients.tree': ({ body, user }) => clients.tree(body, user.clientGroupIds),
    'clients.get': ({ params, user }) => clients.get(params.id, user.clientGroupIds),
    'clients.update': ({ params, body, user }) => clients.update(params.id, body, user.clientGroupIds),
    'clients.deleteMany': ({ body, user }) => clients.remove(body.ids, user.clientGroupIds),
    'clients.createJoinToken': ({ user }) => joinTokens.create(user),
    'clients.authorize': ({ params, user }) => clients.authorize(params.id, user.clientGroupIds),
  };
}
