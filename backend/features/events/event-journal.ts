import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Change } from '../announce.ts';
import { type PendingEvent, withoutRepeats } from './event-rules.ts';
import type { EventStore } from './event-store.ts';

/** Changes that come thick and fast are written together. */
const gapMs = 50;
const retryMs = 1_000;
const mostPending = 5_000;
const mostAtOnce = 500;
/** The ring is trimmed after this many events. */
const trimEvery = 500;

export interface EventJournalDeps {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly log: Log;
  /** How many events stay. */
  readonly keep: number;
  /** Something new stands in the journal. */
  readonly onWritten: () => void;
}

export type EventJournal = ReturnType<typeof createEventJournal>;

/**
 * The one writer of the journal. What cannot be written is not lost in silence: as soon as writing works again, a
 * `reset` stands in its place.
 */
export function createEventJournal(deps: EventJournalDeps) {
  const { store, clock, log } = deps;
  let pending: PendingEvent[] = [];
  let isIncomplete = false;
  let untrimmed = 0;
  let stopping = false;
  let writing: Promise<void> | null = null;
  let endPause: () => void = () => undefined;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  /** False when the database refused. */
  const writeOnce = async (): Promise<boolean> => {
    const taken = pending.splice(0, mostAtOnce);
    try {
      if (isIncomplete) await store.appendReset(clock.now());
      isIncomplete = false;
      const events = withoutRepeats(taken);
      if (events.length > 0) await store.append(events, clock.now());
      untrimmed += events.length;
      if (untrimmed >= trimEvery) {
        untrimmed = 0;
        await store.trim(deps.keep);
      }
      deps.onWritten();
      return true;
    } catch (error) {
      isIncomplete = true;
      log.error('changes could not be written to the event journal; readers will be told to load again', {
        events: taken.length,
        error,
      });
      return false;
    }
  };

  const write = async (): Promise<void> => {
    while (pending.length > 0 || isIncomplete) {
      const isWritten = await writeOnce();
      if (stopping && !isWritten) break;
      if (!stopping) await pause(isWritten ? gapMs : retryMs);
    }
    writing = null;
  };

  return {
    add: (change: Change): void => {
      if (stopping) return;
      pending.push({
        kind: change.kind,
        action: change.action,
        objectId: change.id,
        clientGroupId: change.clientGroupId ?? null,
      });
      if (pending.length > mostPending) {
        pending = [];
        isIncomplete = true;
      }
      writing ??= write();
    },

    /** After a stop that was cut off, some changes may have been made and not told. */
    start: async (): Promise<void> => {
      const { oldest } = await store.range();
      const isClean = await store.takeCleanStop();
      if (oldest !== null && !isClean) await store.appendReset(clock.now());
      await store.trim(deps.keep);
    },

    /** Writes what is left. Nothing may be announced any more. */
    stop: async (): Promise<void> => {
      stopping = true;
      endPause();
      await writing;
      if (!isIncomplete) await store.markCleanStop(clock.now());
    },
  };
}
