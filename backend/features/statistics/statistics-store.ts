import { sql } from 'kysely';
import type { Db } from '../../db/index.ts';
import { clientsIn, type Groups } from '../own-clients-store.ts';
import type { Sample } from './statistics-rules.ts';

export type StatisticsStore = ReturnType<typeof createStatisticsStore>;

export function createStatisticsStore(db: Db) {
  return {
    pools: () => db.selectFrom('pools').select(['id', 'name', 'media_server_id']).orderBy('id').execute(),

    /** What the copies of each pool take now. */
    storedBytes: async (): Promise<ReadonlyMap<number, number>> => {
      const rows = await db
        .selectFrom('copies')
        .select('pool_id')
        .select(sql<number>`coalesce(sum(real_size), 0)`.as('bytes'))
        .where('pool_id', 'is not', null)
        .groupBy('pool_id')
        .execute();
      return new Map(rows.map((row) => [row.pool_id ?? 0, Number(row.bytes)]));
    },

    addSamples: async (
      samples: readonly { readonly poolId: number; readonly mediaServerId: number; readonly bytes: number }[],
      nowMs: number,
    ): Promise<void> => {
      if (samples.length === 0) return;
      await db
        .insertInto('pool_samples')
        .values(
          samples.map(({ poolId, mediaServerId, bytes }) => ({
            pool_id: poolId,
            media_server_id: mediaServerId,
            time_ms: nowMs,
            stored_bytes: bytes,
          })),
        )
        .execute();
    },

    /** Keeps the newest samples of a media server, and of each pool the last one, which still holds. */
    forgetOldest: async (mediaServerId: number, kept: number): Promise<void> => {
      const oldestKept = await db
        .selectFrom('pool_samples')
        .select('id')
        .where('media_server_id', '=', mediaServerId)
        .orderBy('id', 'desc')
        .offset(kept)
        .limit(1)
        .executeTakeFirst();
      if (!oldestKept) return;
      await db
        .deleteFrom('pool_samples')
        .where('media_server_id', '=', mediaServerId)
        .where('id', '<=', oldestKept.id)
        .where('id', 'not in', ({ selectFrom }) =>
          selectFrom('pool_samples as newest')
            .select(({ fn }) => fn.max('newest.id').as('id'))
            .where('newest.media_server_id', '=', mediaServerId)
            .groupBy('newest.pool_id'),
        )
        .execute();
    },

    /** Of one pool, in order of time; the last one before `fromMs` is the first. */
    samples: async (poolId: number, fromMs: number, toMs: number): Promise<readonly Sample[]> => {
      const own = db
        .selectFrom('pool_samples')
        .select(['time_ms as timeMs', 'stored_bytes as bytes'])
        .where('pool_id', '=', poolId);
      const before = await own.where('time_ms', '<', fromMs).orderBy('time_ms', 'desc').limit(1).execute();
      const within = await own
        .where('time_ms', '>=', fromMs)
        .where('time_ms', '<', toMs)
        .orderBy('time_ms')
        .execute();
      return [...before, ...within];
    },

    /** Tasks that ended within, by status. */
    endedTasks: async (fromMs: number, toMs: number, groups: Groups) => {
      const rows = await db
        .selectFrom('tasks')
        .select('status')
        .select([
          sql<number>`count(*)`.as('count'),
          sql<number>`coalesce(sum(transferred), 0)`.as('bytes'),
          sql<number>`coalesce(sum(finished_ms - started_ms), 0)`.as('working_ms'),
        ])
        .where('finished_ms', '>=', fromMs)
        .where('finished_ms', '<', toMs)
        .$if(groups !== null, (query) => query.where('client_id', 'in', clientsIn(groups ?? [])))
        .groupBy('status')
        .execute();
      return rows.map((row) => ({
        status: row.status,
        count: Number(row.count),
        bytes: Number(row.bytes),
        workingMs: Number(row.working_ms),
      }));
    },
  };
}
