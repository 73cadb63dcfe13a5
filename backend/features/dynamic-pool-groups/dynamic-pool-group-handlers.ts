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
    'dynamicPoolGroups.list': async ({ list }) => {
      const { rows, total } = await groups.list(list);
      return { rows: [...rows], total };
    },
    'dynamicPoolGroups.get': ({ params }) => groups.get(params.id),
    'dynamicPoolGroups.create': ({ body }) => groups.create(body),
    'dynamicPoolGroups.update': ({ params, body }) => groups.update(params.id, body),
    'dynamicPoolGroups.deleteMany': ({ body }) => groups.remove(body.ids),
    'dynamicPoolGroups.delete': ({ params }) => groups.remove([params.id]),
    'dynamicPoolGroupRecords.list': async ({ list }) => {
      const { rows, total } = await members.list(list);
      return { rows: [...rows], total };
    },
    'dynamicPoolGroupRecords.get': ({ params }) => members.get(params.id),
    'dynamicPoolGroupRecords.create': ({ body }) => members.create(body),
    'dynamicPoolGroupRecords.deleteMany': ({ body }) => members.remove(body.ids),
    'dynamicPoolGroupRecords.delete': ({ params }) => members.remove([params.id]),
  };
}
