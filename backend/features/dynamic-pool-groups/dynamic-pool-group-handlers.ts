import type { HandlersOf } from '../../http/handler.ts';
import type { DynamicPoolGroupService } from './dynamic-pool-group-service.ts';
import type { DynamicPoolMemberService } from './dynamic-pool-member-service.ts';

type Names =
  | 'dynamicPoolGroups.list'
  | 'dynamicPoolGroups.get'
  | 'dynamicPoolGroups.create'
  | 'dynamicPoolGroups.update'
  | 'dynamicPoolGroups.deleteMany'
  | 'dynamicPoolGroups.delete'
  | 'dynamicPoolGroupRecords.list'
  | 'dynamicPoolGroupRecords.get'
  | 'dynamicPoolGroupRecords.create'
  | 'dynamicPoolGroupRecords.deleteMany'
  | 'dynamicPoolGroupRecords.delete';

export function createDynamicPoolGroupHandlers(
  groups: DynamicPoolGroupService,
  members: DynamicPoolMemberService,
): HandlersOf<Names> {
  return {
    'dynamicPoolGroups.list': ({ list }) => groups.list(list),
    'dynamicPoolGroups.get': ({ params }) => groups.get(params.id),
    'dynamicPoolGroups.create': ({ body }) => groups.create(body),
    'dynamicPoolGroups.update': ({ params, body }) => groups.update(params.id, body),
    'dynamicPoolGroups.deleteMany': ({ body }) => groups.remove(body.ids),
    'dynamicPoolGroups.delete': ({ params }) => groups.remove([params.id]),
    'dynamicPoolGroupRecords.list': ({ list }) => members.list(list),
    'dynamicPoolGroupRecords.get': ({ params }) => members.get(params.id),
    'dynamicPoolGroupRecords.create': ({ body }) => members.create(body),
    'dynamicPoolGroupRecords.deleteMany': ({ body }) => members.remove(body.ids),
    'dynamicPoolGroupRecords.delete': ({ params }) => members.remove([params.id]),
  };
}
