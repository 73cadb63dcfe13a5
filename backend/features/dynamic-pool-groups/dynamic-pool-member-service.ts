import type {
  DynamicPoolMember,
  DynamicPoolMemberDraft,
} from '../../../contract/dynamic-pool-groups/dynamic-pool-group.ts';
import type { Db, Dialect, ListRequest, Page } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import type { Announce } from '../announce.ts';
import { distinctIds, requireAllFound } from '../bulk.ts';
import { unknownReference } from '../references.ts';
import { whyPoolCannotJoin } from './dynamic-pool-group-rules.ts';
import { createDynamicPoolMemberStore } from './dynamic-pool-member-store.ts';

export interface DynamicPoolMemberService {
  list(list: ListRequest): Promise<Page<DynamicPoolMember>>;
  get(id: number): Promise<DynamicPoolMember>;
  create(draft: DynamicPoolMemberDraft): Promise<{ readonly id: number }>;
  /** All or nothing. */
  remove(ids: readonly number[]): Promise<{ readonly ids: number[] }>;
}

export function createDynamicPoolMemberService(deps: {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly announce: Announce;
}): DynamicPoolMemberService {
  const store = createDynamicPoolMemberStore(deps.db);
  const tell = () => deps.announce({ kind: 'pool', action: 'changed', id: null });

  return {
    list: (list) => store.list(list, deps.dialect),

    get: async (id) => {
      const member = await store.get(id);
      if (!member) throw notFound('Pool of a dynamic pool group', id);
      return member;
    },

    create: async (draft) => {
      const groupId = draft.dynamic_pool_group;
      const id = await deps.db.transaction().execute(async (tx) => {
        const inside = createDynamicPoolMemberStore(tx);
        if (!(await inside.holdGroup(groupId))) {
          throw unknownReference('dynamic_pool_group', `dynamic pool group ${groupId}`);
        }
        const pool = await inside.poolByName(draft.pool);
        if (pool === null) throw unknownReference('pool', `pool named \`${draft.pool}\``);
        const reason = whyPoolCannotJoin(pool, await inside.typeOfGroup(groupId));
        if (reason !== null) throw invalidField('pool', reason);
        const enabled = draft.enabled ?? true;
        return inside.insert({ groupId, poolId: pool.id, enabled, createdMs: deps.clock.now() });
      });
      tell();
      return { id };
    },

    remove: async (given) => {
      const ids = distinctIds(given);
      await deps.db.transaction().execute(async (tx) => {
        const inside = createDynamicPoolMemberStore(tx);
        requireAllFound('Pool of a dynamic pool group', ids, await inside.found(ids));
        await inside.remove(ids);
      });
      tell();
      return { ids: [...ids] };
    },
  };
}
