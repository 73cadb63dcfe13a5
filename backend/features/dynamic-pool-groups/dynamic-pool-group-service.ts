import type {
  DynamicPoolGroup,
  DynamicPoolGroupDraft,
  DynamicPoolGroupPatch,
} from '../../../contract/dynamic-pool-groups/dynamic-pool-group.ts';
import type { Db, Dialect, ListRequest, Page } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { notFound } from '../../platform/errors.ts';
import type { Announce } from '../announce.ts';
import { distinctIds, requireAllFound } from '../bulk.ts';
import { requireFreeName } from '../free-name.ts';
import { changedFigures, completeFigures } from './dynamic-pool-group-rules.ts';
import { createDynamicPoolGroupStore, type DynamicPoolGroupStore } from './dynamic-pool-group-store.ts';

export interface DynamicPoolGroupService {
  list(list: ListRequest): Promise<Page<DynamicPoolGroup>>;
  get(id: number): Promise<DynamicPoolGroup>;
  create(draft: DynamicPoolGroupDraft): Promise<{ readonly id: number }>;
  update(id: number, patch: DynamicPoolGroupPatch): Promise<DynamicPoolGroup>;
  /** All or nothing. The memberships go too, the pools stay. */
  remove(ids: readonly number[]): Promise<{ readonly ids: number[] }>;
}

export function createDynamicPoolGroupService(deps: {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly announce: Announce;
}): DynamicPoolGroupService {
  const store = createDynamicPoolGroupStore(deps.db);
  // What a group does shows at its pools: whoever shows pools reads them again.
  const tell = () => deps.announce({ kind: 'pool', action: 'changed', id: null });

  const get = async (id: number): Promise<DynamicPoolGroup> => {
    const group = await store.get(id);
    if (!group) throw notFound('Dynamic pool group', id);
    return group;
  };
  const requireFree = (inside: DynamicPoolGroupStore, name: string, own: number | null): Promise<void> =>
    requireFreeName(inside, { what: 'dynamic pool group', field: 'name', name, own });

  return {
    list: (list) => store.list(list, deps.dialect),
    get,

    create: async (draft) => {
      const group = {
        name: draft.name,
        figures: completeFigures(draft),
        description: draft.description ?? null,
        createdMs: deps.clock.now(),
      };
      // Name and row in one step: of two callers with the same name one is told that it is taken.
      const id = await deps.db.transaction().execute(async (tx) => {
        const inside = createDynamicPoolGroupStore(tx);
        await requireFree(inside, group.name, null);
        return inside.insert(group);
      });
      tell();
      return { id };
    },

    update: async (id, patch) => {
      await get(id);
      await deps.db.transaction().execute(async (tx) => {
        const inside = createDynamicPoolGroupStore(tx);
        if (patch.name !== undefined) await requireFree(inside, patch.name, id);
        const figures = changedFigures(patch);
        await inside.update(id, { name: patch.name, figures, description: patch.description });
      });
      tell();
      return get(id);
    },

    remove: async (given) => {
      const ids = distinctIds(given);
      await deps.db.transaction().execute(async (tx) => {
        const inside = createDynamicPoolGroupStore(tx);
        requireAllFound('Dynamic pool group', ids, await inside.found(ids));
        await inside.remove(ids);
      });
      tell();
      return { ids: [...ids] };
    },
  };
}
