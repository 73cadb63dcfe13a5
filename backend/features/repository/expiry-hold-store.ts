import type { Db } from '../../db/index.ts';
import type { ClockFacts } from './expiry-hold-rules.ts';

const seen = 'expiry_clock_seen_ms';
const held = 'expiry_clock_held_ms';

export function createExpiryHoldStore(db: Db) {
  return {
    /** Null before the first look. */
    read: async (): Promise<ClockFacts | null> => {
      const rows = await db
        .selectFrom('installation')
        .select(['name', 'value'])
        .where('name', 'in', [seen, held])
        .execute();
      const facts = new Map(rows.map(({ name, value }) => [name, Number(value)]));
      const seenMs = facts.get(seen);
      return seenMs === undefined ? null : { seenMs, heldMs: facts.get(held) ?? null };
    },

    write: async ({ seenMs, heldMs }: ClockFacts): Promise<void> => {
      await db.transaction().execute(async (tx) => {
        await tx.deleteFrom('installation').where('name', 'in', [seen, held]).execute();
        const values = [
          { name: seen, value: String(seenMs) },
          ...(heldMs === null ? [] : [{ name: held, value: String(heldMs) }]),
        ];
        await tx.insertInto('installation').values(values).execute();
      });
    },

    /** Copies whose time is over at this moment. */
    countDue: async (nowMs: number): Promise<number> => {
      const row = await db
        .selectFrom('copies')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('deleting', '=', 0)
        .where('archiving', '=', 0)
        .where('store_until_ms', '<=', nowMs)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },
  };
}
