import type { Db } from '../../db/index.ts';

export function createJoinTokenStore(db: Db) {
  return {
    add: async (token: {
      readonly digest: string;
      readonly by: string;
      readonly nowMs: number;
      readonly expiresMs: number;
    }): Promise<void> => {
      await db.deleteFrom('join_tokens').where('expires_ms', '<=', token.nowMs).execute();
      await db
        .insertInto('join_tokens')
        .values({
          token_hash: token.digest,
          created_by: token.by,
          created_ms: token.nowMs,
          expires_ms: token.expiresMs,
        })
        .execute();
    },

    /** Of two callers with the same token one deletes the row, and only that one has it. */
    take: async (digest: string, nowMs: number): Promise<boolean> => {
      const result = await db
        .deleteFrom('join_tokens')
        .where('token_hash', '=', digest)
        .where('expires_ms', '>', nowMs)
        .executeTakeFirst();
      return result.numDeletedRows === 1n;
    },
  };
}
