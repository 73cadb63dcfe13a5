import { type EventKind, eventKinds } from '../../../contract/events/events.ts';
import type { Permission } from '../../../contract/permissions.ts';

/** One row of the journal. `reset`: what came before it may be incomplete. */
export interface JournalEvent {
  readonly id: number;
  readonly kind: EventKind | 'reset';
  readonly action: string;
  readonly objectId: number | null;
  /** Null: of no client group, or the object is gone. */
  readonly clientGroupId: number | null;
}

export interface EventReader {
  readonly permissions: ReadonlySet<Permission>;
  /** Null = all groups. */
  readonly clientGroupIds: readonly number[] | null;
}

const neededPermission: { readonly [K in EventKind]: Permission } = {
  task: 'task_queue.read',
  repository: 'repository.read',
  client: 'clients.read',
  pool: 'pools.read',
  library: 'tape_libraries.read',
  configuration: 'global_configuration.read',
};

/** Objects that belong to a client, and with it to its group. */
const groupedKinds: ReadonlySet<string> = new Set<EventKind>(['task', 'repository', 'client']);

/** A reader hears of what a list would show; everybody hears that they have to load again. */
export function mayHear(reader: EventReader, event: JournalEvent): boolean {
  if (event.kind === 'reset') return true;
  if (!reader.permissions.has(neededPermission[event.kind])) return false;
  if (reader.clientGroupIds === null || !groupedKinds.has(event.kind)) return true;
  if (event.clientGroupId === null) return event.objectId === null;
  return reader.clientGroupIds.includes(event.clientGroupId);
}

export function isEventKind(word: string): word is EventKind {
  return (eventKinds as readonly string[]).includes(word);
}

/** What the journal holds. Ids grow; `oldest` is null while it is empty. */
export interface JournalRange {
  readonly oldest: number | null;
  readonly newest: number;
}

/** The place from which a reader goes on; `reset` when what came after its last event is no longer known. */
export function resumePoint(
  lastEventId: string | null,
  range: JournalRange,
): { readonly after: number; readonly reset: boolean } {
  if (lastEventId === null) return { after: range.newest, reset: false };
  const last = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : -1;
  const isKnown = last >= (range.oldest ?? range.newest + 1) - 1 && last <= range.newest;
  return isKnown ? { after: last, reset: false } : { after: range.newest, reset: true };
}

/** One chunk of the stream. */
export function formatEvent(event: JournalEvent, record: object | null = null): string {
  const data =
    event.kind === 'reset'
      ? { action: 'reset', id: null, record: null }
      : { action: event.action, id: event.objectId, record };
  return `id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

export interface PendingEvent {
  readonly kind: EventKind;
  readonly action: string;
  readonly objectId: number | null;
  readonly clientGroupId: number | null;
}

/** Of repeated changes of one object only the last is kept: the reader loads the object anyway. */
export function withoutRepeats(events: readonly PendingEvent[]): readonly PendingEvent[] {
  const seen = new Set<string>();
  const kept: PendingEvent[] = [];
  for (const event of [...events].reverse()) {
    const key = `${event.kind} ${event.objectId} ${event.clientGroupId}`;
    if (event.action === 'changed') {
      if (seen.has(key)) continue;
      seen.add(key);
    } else seen.delete(key);
    kept.push(event);
  }
  return kept.reverse();
}
