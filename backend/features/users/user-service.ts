import type { Role } from '../../../contract/permissions.ts';
import type { User, UserDraft, UserPatch } from '../../../contract/users/user.ts';
import { User as UserRecord } from '../../../contract/users/user.ts';
import { type Db, type ListRequest, listRecords, type Page, type Tx } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField, notFound, Refusal } from '../../platform/errors.ts';
import { distinctIds, requireAllFound } from '../bulk.ts';
import { requireFreeName } from '../free-name.ts';
import { unknownReference } from '../references.ts';
import { keepsSuperuser, type UserStanding, whyRolesAreRefused } from './user-rules.ts';
import { createUserStore } from './user-store.ts';

/** Who asks for a change. */
export interface Caller {
  readonly userName: string;
  readonly sessionId: string;
}

export interface UserService {
  list(list: ListRequest): Promise<Page<User>>;
  get(id: number): Promise<User>;
  create(draft: UserDraft, by: string): Promise<{ readonly id: number }>;
  /** A new password ends the user's sessions, except the caller's. */
  update(id: number, patch: UserPatch, caller: Caller): Promise<User>;
  /** All or nothing. */
  remove(ids: readonly number[]): Promise<{ readonly ids: number[] }>;
  /** The roles of the user of exactly this name. */
  standingByName(userName: string): Promise<UserStanding | null>;
  /** For the feature that gives and takes single roles; all or nothing. */
  setRoles(changes: readonly Pick<UserStanding, 'id' | 'roles'>[], by: string): Promise<void>;
}

const fields = Object.keys(UserRecord.shape) as (keyof User)[];

export function createUserService(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly passwords: { hash(password: string): Promise<string> };
}): UserService {
  const store = createUserStore(deps.db);

  const get = async (id: number): Promise<User> => {
    const user = await store.get(id);
    if (!user) throw notFound('User', id);
    return user;
  };

  return {
    list: async (list) => listRecords(await store.all(), list, fields),
    get,

    create: async (draft, by) => {
      requireRoles(draft.roles);
      await requireFree(deps.db, draft.user_name, null);
      const clientGroupIds = await resolveGroups(deps.db, draft.client_groups ?? []);
      const passwordHash = await deps.passwords.hash(draft.password);
      const id = await deps.db.transaction().execute(async (tx) => {
        // Hashing takes a moment: the name may be gone by now.
        await requireFree(tx, draft.user_name, null);
        const user = {
          userName: draft.user_name,
          passwordHash,
          enabled: draft.enabled ?? true,
          roles: draft.roles,
          clientGroupIds,
        };
        return createUserStore(tx).insert(user, { by, nowMs: deps.clock.now() });
      });
      return { id };
    },

    update: async (id, patch, caller) => {
      await get(id);
      if (patch.roles) requireRoles(patch.roles);
      const { client_groups: groups } = patch;
      const clientGroupIds = groups === undefined ? undefined : await resolveGroups(deps.db, groups ?? []);
      const passwordHash =
        patch.password === undefined ? undefined : await deps.passwords.hash(patch.password);
      await deps.db.transaction().execute(async (tx) => {
        const inside = createUserStore(tx);
        if (patch.user_name !== undefined) await requireFree(tx, patch.user_name, id);
        const standings = await inside.standings();
        const before = standings.find((user) => user.id === id);
        if (!before) throw notFound('User', id);
        const enabled = patch.enabled === null ? true : patch.enabled;
        const changed = { id, enabled: enabled ?? before.enabled, roles: patch.roles ?? before.roles };
        if (!keepsSuperuser(standings, { changed })) {
          throw lastSuperuser(changed.enabled ? 'roles' : 'enabled');
        }
        await inside.update(
          id,
          { userName: patch.user_name, passwordHash, enabled, roles: patch.roles, clientGroupIds },
          { by: caller.userName, nowMs: deps.clock.now() },
        );
        if (passwordHash !== undefined) await inside.endSessions(id, caller.sessionId);
      });
      return get(id);
    },

    remove: async (given) => {
      const ids = distinctIds(given);
      await deps.db.transaction().execute(async (tx) => {
        const inside = createUserStore(tx);
        const standings = await inside.standings();
        requireAllFound(
          'User',
          ids,
          standings.map(({ id }) => id),
        );
        if (!keepsSuperuser(standings, { gone: ids })) throw lastSuperuser('ids');
        await inside.remove(ids);
      });
      return { ids: [...ids] };
    },

    standingByName: async (userName) => {
      const id = await store.idByName(userName);
      return (await store.standings()).find((user) => user.id === id) ?? null;
    },

    setRoles: async (changes, by) => {
      await deps.db.transaction().execute(async (tx) => {
        const inside = createUserStore(tx);
        for (const { id, roles } of changes) {
          await inside.setRoles(id, roles, { by, nowMs: deps.clock.now() });
        }
      });
    },
  };
}

function requireRoles(roles: readonly Role[]): void {
  const refused = whyRolesAreRefused(roles);
  if (refused !== null) throw invalidField('roles', refused);
}

function requireFree(db: Db | Tx, name: string, own: number | null): Promise<void> {
  return requireFreeName(createUserStore(db), { what: 'user', field: 'user_name', name, own });
}

async function resolveGroups(db: Db, references: readonly (string | number)[]): Promise<readonly number[]> {
  const store = createUserStore(db);
  const ids: number[] = [];
  for (const reference of references) {
    const id = await store.groupByNameOrId(reference);
    if (id === null) throw unknownReference('client_groups', `client group \`${reference}\``);
    ids.push(id);
  }
  return distinctIds(ids);
}

function lastSuperuser(field: string): Refusal {
  return new Refusal('object.protected', {
    message: 'One enabled superuser must remain: make another user a superuser first.',
    errors: { [field]: 'would leave no enabled superuser; make another user a superuser first' },
  });
}
