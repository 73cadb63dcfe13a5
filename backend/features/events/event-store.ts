import type { Db, Tx } from '../../db/index.ts';
import { isEventKind, type JournalEvent, type JournalRange, type PendingEvent } from './event-rules.ts';

const cleanStop = 'events_clean_stop_ms';

export type EventStore = ReturnType<typeof createEventStore>;

/** The journal of changes: a ring of the newest. Written by one writer, so ids are in the order of commits. */
export function createEventStore(db: Db | Tx) {
  return {
    append: async (events: readonly PendingEvent[], nowMs: number): Promise<void> => {
      await db
        .insertInto('events')
        .values(
          events.map((event) => ({
            time_ms: nowMs,
            kind: event.kind,
            action: event.action,
            object_id: event.objectId,
            record: null,
            client_group_id: event.clientGroupId,
          })),
        )
        .execute();
    },

    /** From here on nobody can be sure to have heard of everything before. */
    appendReset: async (nowMs: number): Promise<void> => {
      await db
        .insertInto('events')
        .values({
          time_ms: nowMs,
          kind: 'reset',
          action: 'reset',
          object_id: null,
          record: null,
          client_group_id: null,
        })
        .execute();
    },

    range: async (): Promise<JournalRange> => {
      const row = await db
        .selectFrom('events')
        .select(({ fn }) => [
          fn.min<number | null>('id').as('oldest'),
          fn.max<number | null>('id').as('newest'),
        ])
        .executeTakeFirst();
      const oldest = row?.oldest ?? null;
      return { oldest: oldest === null ? null : Number(oldest), newest: Number(row?.newest ?? 0) };
    },

    after: async (id: number, limit: number): Promise<readonly JournalEvent[]> => {
      const rows = await db
        .selectFrom('events')
        .select(['id', 'kind', 'action', 'object_id', 'client_group_id'])
        .where('id', '>', id)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        kind: isEventKind(row.kind) ? row.kind : 'reset',
        action: row.action,
        objectId: row.object_id,
        clientGroupId: row.client_group_id,
      }));
    },

    /** Keeps the newest `count`. */
    trim: async (count: number): Promise<void> => {
      const first = await db
        .selectFrom('events')
        .select('id')
        .orderBy('id', 'desc')
        .offset(count - 1)
        .limit(1)
        .executeTakeFirst();
      if (first) await db.deleteFrom('events').where('id', '<', first.id).execute();
    },

    /** Written at the end of a stop; whether it stood there is asked once, at the next start. */
    markCleanStop: async (nowMs: number): Promise<void> => {
      await db.deleteFrom('installation').where('name', '=', cleanStop).execute();
      await db
        .insertInto('installation')
        .values({ name: cleanStop, value: String(nowMs) })
        .execute();
    },

    takeCleanStop: async (): Promise<boolean> => {
      const result = await db.deleteFrom('installation').where('name', '=', cleanStop).executeTakeFirst();
      return Number(result.numDeletedRows) > 0;
    },
  };
}
