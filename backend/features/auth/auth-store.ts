import type { Role } from '../../../contract/permissions.ts';
import { roles } from '../../../contract/permissions.ts';
import type { Db } from '../../db/index.ts';
import { readRoles, sidOfKey } from './domain-account-store.ts';

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
  /** A user of this server, or an account of the domain. */
  readonly holder: { readonly userId: number } | { readonly domainAccountId: number };
  readonly refreshHash: string;
  readonly expiresMs: number;
  readonly previousSuccessMs: number | null;
  readonly previousFailMs: number | null;
}

/** The user behind a session, with the logins before it. */
export interface Holder {
  /** Accounts of the domain have the negative of theirs, so that no two holders share an id. */
  readonly id: number;
  /** The account of the domain; null for a user of this server. */
  readonly domain: DomainHolder | null;
  readonly userName: string;
  readonly previousSuccessMs: number | null;
  readonly previousFailMs: number | null;
  /** When the session runs out. */
  readonly sessionEndsMs: number;
}

export interface DomainHolder {
  readonly id: number;
  readonly name: string;
  readonly sid: string;
  readonly roles: readonly Role[];
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

    /** The enabled user, or account of the domain, of a session that has not run out. */
    sessionUser: async (sessionId: string, nowMs: number): Promise<Holder | null> => {
      const row = await db
        .selectFrom('sessions')
        .leftJoin('users', 'users.id', 'sessions.user_id')
        .leftJoin('directory_accounts', 'directory_accounts.id', 'sessions.directory_account_id')
        .select([
          'users.id',
          'users.user_name',
          'sessions.previous_success_ms',
          'sessions.previous_fail_ms',
          'sessions.expires_ms',
        ])
        .select([
          'directory_accounts.id as account_id',
          'directory_accounts.user_name as account_name',
          'directory_accounts.domain',
          'directory_accounts.account_key',
          'directory_accounts.roles',
        ])
        .where('sessions.id', '=', sessionId)
        .where('sessions.expires_ms', '>', nowMs)
        .where(({ eb, or }) => or([eb('users.enabled', '=', 1), eb('directory_accounts.id', 'is not', null)]))
        .executeTakeFirst();
      if (!row) return null;
      const previous = {
        previousSuccessMs: row.previous_success_ms,
        previousFailMs: row.previous_fail_ms,
        sessionEndsMs: row.expires_ms,
      };
      if (row.id !== null && row.user_name !== null) {
        return { id: row.id, userName: row.user_name, domain: null, ...previous };
      }
      const { account_id: accountId, account_name: name, account_key: key, roles: held, domain } = row;
      if (accountId === null || name === null || key === null || held === null) return null;
      const account = { id: accountId, name, sid: sidOfKey(key), roles: readRoles(held) };
      return { id: -accountId, userName: `${domain}\\${name}`, domain: account, ...previous };
    },

    /** Opens the session, and notes the success on the account. */
    openSession: async (session: SessionRow, nowMs: number): Promise<void> => {
      await db.transaction().execute(async (tx) => {
        await tx.deleteFrom('sessions').where('expires_ms', '<=', nowMs).execute();
        await tx
          .insertInto('sessions')
          .values({
            id: session.id,
            user_id: 'userId' in session.holder ? session.holder.userId : null,
            directory_account_id: 'domainAccountId' in session.holder ? session.holder.domainAccountId : null,
            refresh_hash: session.refreshHash,
            created_ms: nowMs,
            expires_ms: session.expiresMs,
            previous_success_ms: session.previousSuccessMs,
            previous_fail_ms: session.previousFailMs,
          })
          .execute();
        if (!('userId' in session.holder)) return;
        await tx
          .updateTable('users')
          .set({ last_success_login_ms: nowMs })
          .where('id', '=', session.holder.userId)
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
