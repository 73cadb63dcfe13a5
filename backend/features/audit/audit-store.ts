import type { Db } from '../../db/index.ts';
import type { AuditEntry } from '../../http/mount.ts';

const keptByDefault = 100_000;
/** How many new records pass before the oldest are looked after. */
const lookAfterEvery = 1_000;

/** Who did what. The newest records are kept, a bounded number of them: failed logins come without end. */
export function createAuditStore(db: Db, now: () => number, kept = keptByDefault) {
  const forgetOldest = async (newestId: number): Promise<void> => {
    await db
      .deleteFrom('audit')
      .where('id', '<=', newestId - kept)
      .execute();
  };
  return {
    record: async (entry: AuditEntry): Promise<void> => {
      const { id } = await db
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
        .returning('id')
        .executeTakeFirstOrThrow();
      if (id % lookAfterEvery === 0) await forgetOldest(id);
    },
  };
}
