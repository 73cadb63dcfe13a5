import type { HandlersOf } from '../../http/handler.ts';
import type { UserService } from './user-service.ts';

type Names =
  | 'users.list'
  | 'users.get'
  | 'users.create'
  | 'users.update'
  | 'users.deleteMany'
  | 'users.delete';

export function createUserHandlers(users: UserService): HandlersOf<Names> {
  return {
    'users.list': ({ list }) => users.list(list),
    'users.get': ({ params }) => users.get(params.id),
    'users.create': ({ body, user }) => users.create(body, user.userName),
    'users.update': ({ params, body, user }) => users.update(params.id, body, user),
    'users.deleteMany': ({ body }) => users.remove(body.ids),
    'users.delete': ({ params }) => users.remove([params.id]),
  };
}
