import type { Auditor } from '../../../contract/auditors/auditor.ts';
import type { Db, Dialect, ListRequest, Page } from '../../db/index.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { distinctIds, requireAllFound } from '../bulk.ts';
import { unknownReference } from '../references.ts';
import type { UserService } from '../users/user-service.ts';
import { createAuditorStore } from './auditor-store.ts';

export type AuditorService = ReturnType<typeof createAuditorService>;

/** Who may read everything: the role is the user's, so it is given and taken through the users. */
export function createAuditorService(deps: {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly users: Pick<UserService, 'standingByName' | 'setRoles'>;
}) {
  const { users } = deps;
  const store = createAuditorStore(deps.db);

  return {
    list: (list: ListRequest): Promise<Page<Auditor>> => store.list(list, deps.dialect),

    get: async (id: number): Promise<Auditor> => {
      const auditor = await store.get(id);
      if (!auditor) throw notFound('Auditor', id);
      return auditor;
    },

    create: async (userName: string, by: string): Promise<{ readonly id: number }> => {
      const user = await users.standingByName(userName);
      if (!user) throw unknownReference('auditor', `user \`${userName}\``);
      if (user.roles.includes('superuser')) {
        throw invalidField('auditor', 'is a superuser, who may do everything already; choose another user');
      }
      if (user.roles.includes('auditor')) throw invalidField('auditor', 'is an auditor already');
      await users.setRoles([{ id: user.id, roles: [...user.roles, 'auditor'] }], by);
      const id = await store.idOfUser(user.id);
      if (id === null) throw unknownReference('auditor', `user \`${userName}\``);
      return { id };
    },

    /** All or nothing. The users stay; one who held no other role may still log in, and do nothing. */
    remove: async (given: readonly number[], by: string): Promise<{ readonly ids: number[] }> => {
      const ids = distinctIds(given);
      const found = await store.usersOf(ids);
      requireAllFound(
        'Auditor',
        ids,
        found.map(({ id }) => id),
      );
      const standings = await Promise.all(found.map(({ user_name }) => users.standingByName(user_name)));
      const changes = standings
        .filter((user) => user !== null)
        .map((user) => ({ id: user.id, roles: user.roles.filter((role) => role !== 'auditor') }));
      await users.setRoles(changes, by);
      return { ids: [...ids] };
    },
  };
}
