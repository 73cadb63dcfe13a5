import type { Role } from '../../../contract/permissions.ts';
import { roles } from '../../../contract/permissions.ts';
import type { Db } from '../../db/index.ts';

export interface Account {
  readonly id: number;
  readonly userName: string;
  readonly passwordHash: string;
  readonly enabled: boolean;
  readonly lastSuccessLoginMs: number | null;
  readonly lastFailLoginMs: number | null;
}

export interface SessionRow {
  readonly id: string;
  readonly userId: number;
  readonly refreshHash: string;
  readonly expiresMs: number;
  readonly previousSuccessMs: number | null;
  readonly previousFailMs: number | null;
}

/** The user behind a session, with the logins before it. */
export interface Holder {
  readonly id: number;
  readonly userName: string;
  readonly previousSuccessMs: number | null;
  readonly previousFailMs: number | null;
}

export type AuthStore = ReturnType<typeof createAuthStore>;

export function createAuthStore(db: Db) {
  return {
    accountByName: async (userName: string): Promise<Account | null> => {
      const row = await db
        .selectFrom('users')
        .selectAll()
        .where('user_name', '=', userName.normalize('NFC'))
        .executeTakeFirst();
      if (!row) return null;
      return {
        id: row.id,
        userName: row.user_name,
        passwordHash: row.password_hash,
        enabled: row.enabled === 1,
        lastSuccessLoginMs: row.last_success_login_ms,
        lastFailLoginMs: row.last_fail_login_ms,
      };
    },

    /** The superuser that was there first: the owner of the service database. */
    firstSuperuserName: async (): Promise<string | null> => {
      const row = await db
        .selectFrom('users')
        .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
        .select('users.user_name')
        .where('user_roles.role', '=', 'superuser')
        .where('users.enabled', '=', 1)
        .orderBy('users.id')
        .limit(1)
        .executeTakeFirst();
      return row?.user_name ?? null;
    },

    rolesOf: async (userId: number): Promise<readonly Role[]> => {
      const rows = await db.selectFrom('user_roles').select('role').where('user_id', '=', userId).execute();
      const held = new Set(rows.map((row) => row.role));
      return roles.filter((role) => held.has(role));
    },

    clientGroupsOf: async (userId: number): Promise<readonly number[]> => {
      const rows = await db
        .selectFrom('user_client_groups')
        .select('client_group_id')
        .where('user_id', '=', userId)
        .execute();
      return rows.map((row) => row.client_group_id);
    },

    /** The enabled user of a session that has not run out. */
    sessionUser: async (sessionId: string, nowMs: number): Promise<Holder | null> => {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .select(['users.id', 'users.user_name', 'sessions.previous_success_ms', 'sessions.previous_fail_ms'])
        .where('sessions.id', '=', sessionId)
        .where('sessions.expires_ms', '>', nowMs)
        .where('users.enabled', '=', 1)
        .executeTakeFirst();
      if (!row) return null;
      return {
        id: row.id,
        userName: row.user_name,
        previousSuccessMs: row.previous_success_ms,
        previousFailMs: row.previous_fail_ms,
      };
    },

    /** Opens the session, and notes the success on the account. */
    openSession: async (session: SessionRow, nowMs: number): Promise<void> => {
      await db.transaction().execute(async (tx) => {
        await tx.deleteFrom('sessions').where('expires_ms', '<=', nowMs).execute();
        await tx
          .insertInto('sessions')
          .values({
            id: session.id,
            user_id: session.userId,
            refresh_hash: session.refreshHash,
            created_ms: nowMs,
            expires_ms: session.expiresMs,
            previous_success_ms: session.previousSuccessMs,
            previous_fail_ms: session.previousFailMs,
          })
          .execute();
        await tx
          .updateTable('users')
          .set({ last_success_login_ms: nowMs })
          .where('id', '=', session.userId)
          .execute();
      });
    },

    /**
     * Puts the new refresh token in the place of the used one, in one guarded step: of two callers with the same
     * token only one wins. `false`: the token shown is not the one that counts.
     */
    rotateRefresh: async (
      sessionId: string,
      change: { readonly from: string; readonly to: string; readonly expiresMs: number },
    ): Promise<boolean> => {
      const result = await db
        .updateTable('sessions')
        .set({ refresh_hash: change.to, expires_ms: change.expiresMs })
        .where('id', '=', sessionId)
        .where('refresh_hash', '=', change.from)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },

    endSession: async (sessionId: string): Promise<boolean> => {
      const result = await db.deleteFrom('sessions').where('id', '=', sessionId).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },

    /** All tokens are worthless after a restart, so their sessions go too. */
    endAllSessions: async (): Promise<void> => {
      await db.deleteFrom('sessions').execute();
    },

    /**
     * `null`: there is no such account. Then another row is written as it was, so that the time an answer takes does
     * not tell which accounts exist.
     */
    noteFailedLogin: async (userId: number | null, nowMs: number): Promise<void> => {
      const update = db.updateTable('users');
      if (userId !== null) {
        await update.set({ last_fail_login_ms: nowMs }).where('id', '=', userId).execute();
        return;
      }
      await update
        .set(({ ref }) => ({ last_fail_login_ms: ref('last_fail_login_ms') }))
        .where('id', '=', ({ selectFrom }) => selectFrom('users').select(({ fn }) => fn.min('id').as('id')))
        .execute();
    },
  };
}
