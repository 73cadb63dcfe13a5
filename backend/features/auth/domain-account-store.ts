import { type Role, roles } from '../../../contract/permissions.ts';
import { type Db, foldCase } from '../../db/index.ts';
import type { DomainVisitor } from './domain-login.ts';

/** A user of the domain who has been here, with the logins before this one. */
export interface DomainAccount {
  readonly id: number;
  readonly previousSuccessMs: number | null;
  readonly previousFailMs: number | null;
}

export type DomainAccountStore = ReturnType<typeof createDomainAccountStore>;

export function createDomainAccountStore(db: Db) {
  return {
    /** Makes the account at its first login; name, place and roles are brought up to date at each. */
    welcome: async (visitor: DomainVisitor, nowMs: number): Promise<DomainAccount> =>
      db.transaction().execute(async (tx) => {
        const account_key = `${foldCase(visitor.domain)}|${visitor.sid}`;
        const known = await tx
          .selectFrom('directory_accounts')
          .selectAll()
          .where('account_key', '=', account_key)
          .executeTakeFirst();
        const values = {
          domain: visitor.domain,
          user_name: visitor.userName,
          distinguished_name: visitor.dn,
          roles: JSON.stringify(visitor.roles),
          last_success_login_ms: nowMs,
        };
        if (!known) {
          const row = await tx
            .insertInto('directory_accounts')
            .values({ ...values, account_key, created_ms: nowMs })
            .returning('id')
            .executeTakeFirstOrThrow();
          return { id: row.id, previousSuccessMs: null, previousFailMs: null };
        }
        await tx.updateTable('directory_accounts').set(values).where('id', '=', known.id).execute();
        return {
          id: known.id,
          previousSuccessMs: known.last_success_login_ms,
          previousFailMs: known.last_fail_login_ms,
        };
      }),

    /** Of an account that has been here; others have nothing to note it with. */
    noteFailed: async (sid: string, nowMs: number): Promise<void> => {
      await db
        .updateTable('directory_accounts')
        .set({ last_fail_login_ms: nowMs })
        .where('account_key', 'like', `%|${sid}`)
        .execute();
    },

    setRoles: async (id: number, held: readonly Role[]): Promise<void> => {
      await db
        .updateTable('directory_accounts')
        .set({ roles: JSON.stringify(held) })
        .where('id', '=', id)
        .execute();
    },
  };
}

/** The SID in the key of an account. */
export function sidOfKey(accountKey: string): string {
  return accountKey.slice(accountKey.lastIndexOf('|') + 1);
}

/** Roles as they are stored with an account; unknown words are left out. */
export function readRoles(json: string): readonly Role[] {
  const held = new Set(JSON.parse(json) as readonly string[]);
  return roles.filter((role) => held.has(role));
}
