import {
  type Client,
  type ClientPatch,
  type ClientTree,
  type ClientTreeRequest,
  defaultClientGroupName,
} from '../../../contract/clients/client.ts';
import { defaultLimit } from '../../../contract/paging.ts';
import { defaultPoolName } from '../../../contract/pools/pool.ts';
import type { Db, Dialect, ListRequest, Page } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { notFound, Refusal } from '../../platform/errors.ts';
import type { Announce } from '../announce.ts';
import { distinctIds, refuseIfAny, requireAllFound } from '../bulk.ts';
import { unknownReference } from '../references.ts';
import { planClientChange, type ResolvedNames, whyClientStays } from './client-rules.ts';
import { createClientStore } from './client-store.ts';

/** `groups`: the client groups that the caller is limited to; null = all. Others do not exist for the caller. */
export interface ClientService {
  list(list: ListRequest, groups: readonly number[] | null): Promise<Page<Client>>;
  unauthorized(list: ListRequest, groups: readonly number[] | null): Promise<Page<Client>>;
  get(id: number, groups: readonly number[] | null): Promise<Client>;
  tree(request: ClientTreeRequest, groups: readonly number[] | null): Promise<ClientTree>;
  update(id: number, patch: ClientPatch, groups: readonly number[] | null): Promise<Client>;
  authorize(id: number, groups: readonly number[] | null): Promise<Client>;
  /** All or nothing; waiting clients may be removed too. */
  remove(ids: readonly number[], groups: readonly number[] | null): Promise<{ readonly ids: number[] }>;
}

export function createClientService(deps: {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly announce: Announce;
}): ClientService {
  const { dialect, announce } = deps;
  const store = createClientStore(deps.db, deps.clock.now);

  const get = async (id: number, groups: readonly number[] | null): Promise<Client> => {
    const client = await store.get(id, { groups, authorized: true });
    if (!client) throw notFound('Client', id);
    return client;
  };

  const resolveNames = async (
    patch: ClientPatch,
    groups: readonly number[] | null,
  ): Promise<ResolvedNames> => {
    const groupName = patch.group_id === null ? defaultClientGroupName : patch.group_id;
    const poolName = patch.ls_pool === null ? defaultPoolName : patch.ls_pool;
    const groupId = groupName === undefined ? undefined : await store.groupIdByName(groupName, groups);
    if (groupId === null) throw unknownReference('group_id', `client group named \`${groupName}\``);
    const poolId = poolName === undefined ? undefined : await store.poolIdByName(poolName);
    if (poolId === null) throw unknownReference('ls_pool', `pool named \`${poolName}\``);
    return { groupId, poolId };
  };

  return {
    list: (list, groups) => store.list(list, { groups, authorized: true }, dialect),
    unauthorized: (list, groups) => store.list(list, { groups, authorized: false }, dialect),
    get,

    tree: async (request, only) => {
      const wanted = request.clients ?? [];
      const existing = await store.existingGroups(
        wanted.map((entry) => entry.client_group_id),
        only,
      );
      const missing = wanted.find((entry) => !existing.includes(entry.client_group_id));
      if (missing) throw notFound('Client group', missing.client_group_id);
      const page = request.client_groups_page ?? 1;
      const limit = request.client_groups_limit ?? defaultLimit;
      const hostname = request.filter_clients_hostname || null;
      const found = await store.groups({ only, hostname, offset: (page - 1) * limit, limit }, dialect);
      if (hostname !== null && found.total === 0) {
        throw new Refusal('object.notFound', {
          message: `No client has \`${hostname}\` in its host name.`,
          errors: { filter_clients_hostname: 'matches no client' },
        });
      }
      const client_groups = await Promise.all(
        found.groups.map(async (group) => {
          const entry = wanted.find(({ client_group_id }) => client_group_id === group.id);
          const size = entry?.clients_limit ?? defaultLimit;
          const asked = entry ? { offset: (entry.clients_page - 1) * size, limit: size } : null;
          const members = await store.membersOf(group.id, asked, { hostname, dialect });
          return { ...group, clients_total: members.total, clients: [...members.rows] };
        }),
      );
      return { client_groups, total: found.total, page, limit };
    },

    update: async (id, patch, groups) => {
      await get(id, groups);
      await store.update(id, planClientChange(patch, await resolveNames(patch, groups)));
      const client = await get(id, groups);
      announce({ kind: 'client', action: 'changed', id, clientGroupId: client.client_group_id });
      return client;
    },

    authorize: async (id, groups) => {
      const client = await store.get(id, { groups, authorized: null });
      if (!client) throw notFound('Client', id);
      if (await store.get(id, { groups, authorized: true })) {
        throw new Refusal('state.notAllowed', {
          message: `The client ${client.client_name} is authorized already.`,
          errors: { id: 'is authorized already' },
        });
      }
      await store.authorize(id);
      announce({ kind: 'client', action: 'created', id, clientGroupId: client.client_group_id });
      return client;
    },

    remove: async (given, groups) => {
      const ids = distinctIds(given);
      const removed = await deps.db.transaction().execute(async (tx) => {
        const inside = createClientStore(tx, deps.clock.now);
        const uses = await inside.uses(ids);
        const visible = uses.filter(({ groupId }) => groups === null || groups.includes(groupId));
        requireAllFound(
          'Client',
          ids,
          visible.map(({ id }) => id),
        );
        refuseIfAny(visible.map(whyClientStays), 'object.inUse');
        await inside.remove(ids);
        return visible;
      });
      for (const { id, groupId } of removed) {
        announce({ kind: 'client', action: 'removed', id, clientGroupId: groupId });
      }
      return { ids: [...ids] };
    },
  };
}
