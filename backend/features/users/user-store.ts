import type { Role } from '../../../contract/permissions.ts';
import { roles } from '../../../contract/permissions.ts';
import type { User } from '../../../contract/users/user.ts';
import { type Db, foldCase, removeRows, type Tx } from '../../db/index.ts';
import { toWireTime, toWireTimeOrNull } from '../../platform/wire-time.ts';
import type { UserStanding } from './user-rules.ts';

export interface UserChange {
  readonly userName?: string | undefined;
  readonly passwordHash?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly roles?: readonly Role[] | undefined;
  readonly clientGroupIds?: readonly number[] | undefined;
}

/** Who gives the roles, and when. */
export interface Assignment {
  readonly by: string;
  readonly nowMs: number;
}

export function createUserStore(db: Db | Tx) {
  /** The list of auditors goes with the role, however that was given. */
  const followAuditor = async (id: number, held: readonly Role[], assignment: Assignment): Promise<void> => {
    if (!held.includes('auditor')) {
      await db.deleteFrom('auditors').where('user_id', '=', id).execute();
      return;
    }
    await db
      .insertInto('auditors')
      .values({ user_id: id, assigned_by: assignment.by, created_ms: assignment.nowMs })
      .onConflict((conflict) => conflict.column('user_id').doNothing())
      .execute();
  };
  const setRoles = async (id: number, held: readonly Role[], assignment: Assignment): Promise<void> => {
    await db.deleteFrom('user_roles').where('user_id', '=', id).execute();
    if (held.length > 0) {
      await db
        .insertInto('user_roles')
        .values(held.map((role) => ({ user_id: id, role })))
        .execute();
    }
    await followAuditor(id, held, assignment);
  };
  const setGroups = async (id: number, groups: readonly number[]): Promise<void> => {
    await db.deleteFrom('user_client_groups').where('user_id', '=', id).execute();
    if (groups.length === 0) return;
    await db
      .insertInto('user_client_groups')
      .values(groups.map((client_group_id) => ({ user_id: id, client_group_id })))
      .execute();
  };
  const load = async (id: number | null): Promise<readonly User[]> => {
    const [users, heldRoles, groups] = await Promise.all([
      db
        .selectFrom('users')
        .selectAll()
        .$if(id !== null, (query) => query.where('id', '=', id ?? 0))
        .orderBy('id')
        .execute(),
      db.selectFrom('user_roles').selectAll().execute(),
      db
        .selectFrom('user_client_groups')
        .innerJoin('client_groups', 'client_groups.id', 'user_client_groups.client_group_id')
        .select(['user_client_groups.user_id', 'client_groups.name'])
        .orderBy('client_groups.name_key')
        .execute(),
    ]);
    return users.map((user) => ({
      id: user.id,
      user_name: user.user_name,
      roles: roles.filter((role) => heldRoles.some((held) => held.user_id === user.id && held.role === role)),
      client_groups: groups.filter((group) => group.user_id === user.id).map((group) => group.name),
      enabled: user.enabled === 1,
      last_success_login: toWireTimeOrNull(user.last_success_login_ms),
      last_fail_login: toWireTimeOrNull(user.last_fail_login_ms),
      created: toWireTime(user.created_ms),
    }));
  };

  return {
    setRoles,
    all: () => load(null),
    get: async (id: number): Promise<User | null> => (await load(id))[0] ?? null,

    standings: async (): Promise<readonly UserStanding[]> => {
      const [users, held] = await Promise.all([
        db.selectFrom('users').select(['id', 'enabled']).execute(),
        db.selectFrom('user_roles').selectAll().execute(),
      ]);
      return users.map((user) => ({
        id: user.id,
        enabled: user.enabled === 1,
        roles: roles.filter((role) => held.some((row) => row.user_id === user.id && row.role === role)),
      }));
    },

    idByName: async (name: string): Promise<number | null> => {
      const row = await db
        .selectFrom('users')
        .select('id')
        .where('user_name', '=', name.normalize('NFC'))
        .executeTakeFirst();
      return row?.id ?? null;
    },

    /** The user whose name differs at most in case. */
    idOfTakenName: async (name: string): Promise<number | null> => {
      const row = await db
        .selectFrom('users')
        .select('id')
        .where('user_name_key', '=', foldCase(name))
        .executeTakeFirst();
      return row?.id ?? null;
    },

    groupByNameOrId: async (reference: string | number): Promise<number | null> => {
      const row = await db
        .selectFrom('client_groups')
        .select('id')
        .where(typeof reference === 'number' ? 'id' : 'name', '=', reference)
        .executeTakeFirst();
      return row?.id ?? null;
    },

    insert: async (
      user: Required<{ [K in keyof UserChange]: NonNullable<UserChange[K]> }>,
      assignment: Assignment,
    ) => {
      const row = await db
        .insertInto('users')
        .values({
          user_name: user.userName.normalize('NFC'),
          user_name_key: foldCase(user.userName),
          password_hash: user.passwordHash,
          enabled: user.enabled ? 1 : 0,
          created_ms: assignment.nowMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await setRoles(row.id, user.roles, assignment);
      await setGroups(row.id, user.clientGroupIds);
      return row.id;
    },

    update: async (id: number, change: UserChange, assignment: Assignment): Promise<void> => {
      const { userName, passwordHash, enabled } = change;
      const values = {
        ...(userName === undefined
          ? {}
          : { user_name: userName.normalize('NFC'), user_name_key: foldCase(userName) }),
        ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
        ...(enabled === undefined ? {} : { enabled: enabled ? (1 as const) : (0 as const) }),
      };
      if (Object.keys(values).length > 0) {
        await db.updateTable('users').set(values).where('id', '=', id).execute();
      }
      if (change.roles) await setRoles(id, change.roles, assignment);
      if (change.clientGroupIds) await setGroups(id, change.clientGroupIds);
    },

    /** Ends the sessions of a user, except the one that asked for it. */
    endSessions: async (userId: number, except: string): Promise<void> => {
      await db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '!=', except).execute();
    },

    remove: (ids: readonly number[]) => removeRows(db, 'users', ids),
  };
}
