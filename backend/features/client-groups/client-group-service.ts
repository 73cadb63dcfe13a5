import type {
  ClientGroup,
  ClientGroupDraft,
  ClientGroupPatch,
} from '../../../contract/client-groups/client-group.ts';
import type { Db, Dialect, ListRequest, Page } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { notFound, Refusal } from '../../platform/errors.ts';
import type { Announce } from '../announce.ts';
import { distinctIds, refuseIfAny, requireAllFound } from '../bulk.ts';
import { requireFreeName } from '../free-name.ts';
import { isDefaultGroup, whyGroupStays } from './client-group-rules.ts';
import { type ClientGroupStore, createClientGroupStore } from './client-group-store.ts';

/** `only`: the groups that the caller is limited to; null = all. */
export interface ClientGroupService {
  list(list: ListRequest, only: readonly number[] | null): Promise<Page<ClientGroup>>;
  get(id: number, only: readonly number[] | null): Promise<ClientGroup>;
  create(draft: ClientGroupDraft): Promise<{ readonly id: number }>;
  update(id: number, patch: ClientGroupPatch): Promise<ClientGroup>;
  /** All or nothing. */
  remove(ids: readonly number[]): Promise<{ readonly ids: number[] }>;
}

export function createClientGroupService(deps: {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly announce: Announce;
}): ClientGroupService {
  const store = createClientGroupStore(deps.db);

  const requireFree = (inside: ClientGroupStore, name: string, own: number | null): Promise<void> =>
    requireFreeName(inside, { what: 'client group', field: 'name', name, own });
  const get = async (id: number, only: readonly number[] | null): Promise<ClientGroup> => {
    const group = await store.get(id, only);
    if (!group) throw notFound('Client group', id);
    return group;
  };

  return {
    list: (list, only) => store.list(list, only, deps.dialect),
    get,

    create: async (draft) => {
      const group = { name: draft.name, shared: draft.shared ?? false, createdMs: deps.clock.now() };
      // Name and row in one step: of two callers with the same name one is told that it is taken.
      const id = await deps.db.transaction().execute(async (tx) => {
        const inside = createClientGroupStore(tx);
        await requireFree(inside, group.name, null);
        return inside.insert(group);
      });
      deps.announce({ kind: 'client', action: 'changed', id: null });
      return { id };
    },

    update: async (id, patch) => {
      const group = await get(id, null);
      if (patch.name !== undefined && patch.name !== group.name) {
        if (isDefaultGroup(group)) {
          throw new Refusal('object.protected', {
            message: `The group ${group.name} always exists under this name.`,
            errors: { name: 'cannot be changed: new clients come into this group' },
          });
        }
      }
      const shared = patch.shared === null ? false : patch.shared;
      await deps.db.transaction().execute(async (tx) => {
        const inside = createClientGroupStore(tx);
        if (patch.name !== undefined) await requireFree(inside, patch.name, id);
        await inside.update(id, { name: patch.name, shared });
      });
      deps.announce({ kind: 'client', action: 'changed', id: null });
      return get(id, null);
    },

    remove: async (given) => {
      const ids = distinctIds(given);
      await deps.db.transaction().execute(async (tx) => {
        const inside = createClientGroupStore(tx);
        const uses = await inside.uses(ids);
        requireAllFound(
          'Client group',
          ids,
          uses.map(({ id }) => id),
        );
        refuseIfAny(uses.filter(isDefaultGroup).map(whyGroupStays), 'object.protected');
        refuseIfAny(uses.map(whyGroupStays), 'object.inUse');
        await inside.remove(ids);
      });
      deps.announce({ kind: 'client', action: 'changed', id: null });
      return { ids: [...ids] };
    },
  };
}
