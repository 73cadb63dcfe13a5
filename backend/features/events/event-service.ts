import type { EventKind } from '../../../contract/events/events.ts';
import type { Db } from '../../db/index.ts';
import type { SessionUser } from '../../http/handler.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Announcements } from '../announce.ts';
import { createEventJournal } from './event-journal.ts';
import { formatEvent, type JournalEvent, mayHear, resumePoint } from './event-rules.ts';
import { createEventStore } from './event-store.ts';

export interface EventServiceDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly announcements: Pick<Announcements, 'listen'>;
  /** What a single GET would answer this reader; null when the object is gone or not for it. */
  readonly recordOf: (kind: EventKind, id: number, user: SessionUser) => Promise<object | null>;
  /** How many events a reader may have missed and still resumes without a gap. */
  readonly keep?: number;
  readonly heartbeatMs?: number;
}

/** One reader of the stream. */
export interface Listener {
  readonly lastEventId: string | null;
  readonly signal: AbortSignal;
  send(chunk: string): Promise<void>;
  currentUser(): Promise<SessionUser | null>;
}

export type EventService = ReturnType<typeof createEventService>;

const usualKeep = 10_000;
const usualHeartbeatMs = 15_000;
const eventsAtOnce = 500;
const reconnectMs = 2_000;
const mostDescribed = 20;

/** Tells readers what has changed, in order and without a gap: live, and after a broken connection. */
export function createEventService(deps: EventServiceDeps) {
  const { clock, log } = deps;
  const store = createEventStore(deps.db);
  const waiting = new Set<() => void>();
  let writes = 0;
  const journal = createEventJournal({
    store,
    clock,
    log,
    keep: deps.keep ?? usualKeep,
    onWritten: () => {
      writes += 1;
      for (const wake of [...waiting]) wake();
    },
  });
  const stopListening = deps.announcements.listen(journal.add);

  /** Until something new is written after `seen`, the signal is aborted or the time has passed (`false`). */
  const somethingNew = (seen: number, signal: AbortSignal, ms: number): Promise<boolean> =>
    new Promise((resolve) => {
      if (writes !== seen || signal.aborted) {
        resolve(true);
        return;
      }
      const end = (isNew: boolean): void => {
        clearTimeout(timer);
        waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve(isNew);
      };
      const wake = (): void => end(true);
      const timer = setTimeout(() => end(false), ms);
      waiting.add(wake);
      signal.addEventListener('abort', wake);
    });

  /** With the objects as they are now. After many changes at once a reader loads its lists anyway. */
  const described = async (
    events: readonly JournalEvent[],
    user: SessionUser,
  ): Promise<readonly string[]> => {
    const records = new Map<string, Promise<object | null>>();
    const recordOf = ({ kind, action, objectId }: JournalEvent): Promise<object | null> | null => {
      if (kind === 'reset' || action === 'removed' || objectId === null) return null;
      const key = `${kind} ${objectId}`;
      const record = records.get(key) ?? deps.recordOf(kind, objectId, user);
      records.set(key, record);
      return record;
    };
    const isFew = events.length <= mostDescribed;
    return Promise.all(events.map(async (event) => formatEvent(event, isFew ? await recordOf(event) : null)));
  };

  return {
    /** Before anything is announced. */
    start: journal.start,

    /** After the last change. */
    stop: async (): Promise<void> => {
      await journal.stop();
      stopListening();
    },

    /** Writes to one reader until it goes, its session ends or the server stops. */
    serve: async (listener: Listener): Promise<void> => {
      const { signal, send } = listener;
      const place = resumePoint(listener.lastEventId, await store.range());
      let cursor = place.after;
      // The place goes first: a reader that is cut off before its first event resumes from there.
      await send(`retry: ${reconnectMs}\nid: ${cursor}\n\n`);
      if (place.reset) await send(resetAt(cursor));
      while (!signal.aborted) {
        const seen = writes;
        const { oldest, newest } = await store.range();
        if (newest <= cursor) {
          const isNew = await somethingNew(seen, signal, deps.heartbeatMs ?? usualHeartbeatMs);
          if (!isNew) await send(': still here\n\n');
          continue;
        }
        // A reader that was too slow has been overtaken by the end of the ring.
        if (oldest !== null && cursor < oldest - 1) {
          cursor = newest;
          await send(resetAt(cursor));
          continue;
        }
        const events = await store.after(cursor, eventsAtOnce);
        const user = await listener.currentUser();
        if (user === null) return;
        cursor = events.at(-1)?.id ?? newest;
        const heard = await described(
          events.filter((event) => mayHear(user, event)),
          user,
        );
        await send(heard.length > 0 ? heard.join('') : `id: ${cursor}\n\n`);
      }
    },
  };
}

function resetAt(id: number): string {
  return formatEvent({ id, kind: 'reset', action: 'reset', objectId: null, clientGroupId: null });
}
