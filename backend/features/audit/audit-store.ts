import type { Db } from '../../db/index.ts';
import type { AuditEntry } from '../../http/mount.ts';

const keptRows = 100_000;

export function createAuditStore(db: Db, now: () => number) {
  return {
    record: async (entry: AuditEntry): Promise<void> => {
      await db
        .insertInto('audit')
        .values({
          time_ms: now(),
          user_id: entry.user?.id ?? null,
          user_name: entry.userName?.slice(0, 255) ?? null,
          address: entry.address,
          action: entry.action,
          object_id: entry.objectId,
          status: entry.status,
          details: null,
        })
        .execute();
    },

    /** Keeps the newest records; called at start. */
    forgetOldest: async (): Promise<void> => {
      const newest = await db
        .selectFrom('audit')
        .select('id')
        .orderBy('id', 'desc')
        .offset(keptRows)
        .limit(1)
        .executeTakeFirst();
      if (newest) await db.deleteFrom('audit').where('id', '<=', newest.id).execute();
    },
  };
}
