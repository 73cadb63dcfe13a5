import type { Db } from '../../db/index.ts';
import { type Attempts, afterAttempt, isBlocked, type LoginLimits } from './attempts-rules.ts';

/** Accounts that are remembered; attackers invent names without end, the table must not grow with them. */
const rememberedAccounts = 10_000;

export type AttemptsStore = ReturnType<typeof createAttemptsStore>;

export function createAttemptsStore(db: Db) {
  return {
    /**
     * Counts one attempt as failed before its password is looked at, in one transaction: guesses that come at the
     * same time or a crash in between cannot get around the limit. `false`: the account is blocked.
     */
    reserve: async (accountKey: string, limits: LoginLimits, nowMs: number): Promise<boolean> =>
      db.transaction().execute(async (tx) => {
        const row = await tx
          .selectFrom('login_attempts')
          .selectAll()
          .where('account_key', '=', accountKey)
          .executeTakeFirst();
        const before: Attempts | null = row
          ? { failures: row.failures, blockedUntilMs: row.blocked_until_ms }
          : null;
        if (isBlocked(before, limits, nowMs)) return false;
        const after = afterAttempt(before, limits, nowMs);
        const values = { failures: after.failures, blocked_until_ms: after.blockedUntilMs, last_ms: nowMs };
        await tx
          .insertInto('login_attempts')
          .values({ account_key: accountKey, ...values })
          .onConflict((conflict) => conflict.column('account_key').doUpdateSet(values))
          .execute();
        if (!row) await forgetOldest(tx, nowMs);
        return true;
      }),

    /** The attempt was none: nobody could be asked whether the password is right. */
    forgive: async (accountKey: string): Promise<void> => {
      await db
        .updateTable('login_attempts')
        .set(({ eb }) => ({ failures: eb('failures', '-', 1), blocked_until_ms: null }))
        .where('account_key', '=', accountKey)
        .where('failures', '>', 0)
        .execute();
    },

    /** The password was right: the row of failures is over. */
    reset: async (accountKey: string): Promise<void> => {
      await db.deleteFrom('login_attempts').where('account_key', '=', accountKey).execute();
    },
  };
}

/** Accounts that are blocked right now are kept, whatever their number. */
async function forgetOldest(db: Db, nowMs: number): Promise<void> {
  const { total } = await db
    .selectFrom('login_attempts')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  if (Number(total) <= rememberedAccounts) return;
  const oldest = db
    .selectFrom('login_attempts')
    .select('account_key')
    .where((where) =>
      where.or([where('blocked_until_ms', 'is', null), where('blocked_until_ms', '<=', nowMs)]),
    )
    .orderBy('last_ms')
    .limit(Number(total) - rememberedAccounts);
  await db.deleteFrom('login_attempts').where('account_key', 'in', oldest).execute();
}
