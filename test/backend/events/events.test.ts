import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAnnouncements } from '../../../backend/features/announce.ts';
import {
  type EventReader,
  mayHear,
  resumePoint,
  withoutRepeats,
} from '../../../backend/features/events/event-rules.ts';
import { createEventService, type EventService } from '../../../backend/features/events/event-service.ts';
import type { SessionUser } from '../../../backend/http/handler.ts';
import { type Log, silentLog } from '../../../backend/platform/log.ts';
import type { Permission } from '../../../contract/permissions.ts';
import { handClock, startTestApp, type TestApp } from '../../support/backend.ts';

const recordOf = async (kind: string, id: number) => (id === 404 ? null : { id, kind });

let app: TestApp;
let announcements: ReturnType<typeof createAnnouncements>;
let events: EventService;
const ends: (() => void)[] = [];

const everything: ReadonlySet<Permission> = new Set<Permission>([
  'task_queue.read',
  'repository.read',
  'clients.read',
  'pools.read',
  'global_configuration.read',
]);
const make = (more: { keep?: number; heartbeatMs?: number; log?: Log } = {}): EventService => {
  announcements = createAnnouncements();
  const { db } = app.database;
  return createEventService({ db, clock: handClock(), log: silentLog, announcements, recordOf, ...more });
};
/** What happens when the server is started again. */
const restart = async (how: 'stopped' | 'killed', keep?: number): Promise<void> => {
  if (how === 'stopped') await events.stop();
  events = make(keep === undefined ? {} : { keep });
  await events.start();
};

beforeEach(async () => {
  app = await startTestApp();
  events = make();
  await events.start();
});
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await events.stop();
  await app.close();
});

interface Heard {
  readonly id: number;
  readonly kind: string;
  readonly objectId: number | null;
}

function listen(options: { lastEventId?: string; user?: Partial<SessionUser> | null } = {}) {
  const ended = new AbortController();
  const chunks: string[] = [];
  let wake: () => void = () => undefined;
  const user = { permissions: everything, clientGroupIds: null, ...options.user } as SessionUser;
  const done = events.serve({
    lastEventId: options.lastEventId ?? null,
    signal: ended.signal,
    send: async (chunk) => {
      chunks.push(chunk);
      wake();
    },
    currentUser: async () => (options.user === null ? null : user),
  });
  const end = (): Promise<void> => {
    ended.abort();
    return done;
  };
  ends.push(end);
  const text = (): string => chunks.join('');
  const heard = (): Heard[] =>
    text()
      .split('\n\n')
      .flatMap((block) => {
        const match = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block);
        if (!match) return [];
        const { id } = JSON.parse(match[3] ?? '') as { id: number | null };
        return [{ id: Number(match[1]), kind: match[2] ?? '', objectId: id }];
      });
  const until = async (isEnough: () => boolean): Promise<void> => {
    while (!isEnough()) await new Promise<void>((resolve) => (wake = resolve));
  };
  return {
    text,
    heard,
    end,
    done,
    started: () => until(() => chunks.length > 0),
    until,
    count: (count: number) => until(() => heard().length >= count),
    place: () => [...text().matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? '',
  };
}
const pool = (id: number) => announcements.announce({ kind: 'pool', action: 'changed', id });

it('tells of changes in their order, each with its id', async () => {
  const reader = listen();
  await reader.started();
  announcements.announce({ kind: 'pool', action: 'created', id: 3 });
  announcements.announce({ kind: 'configuration', action: 'changed', id: null });
  await reader.count(2);
  expect(reader.heard()).toMatchObject([
    { kind: 'pool', objectId: 3 },
    { kind: 'configuration', objectId: null },
  ]);
  expect(reader.text()).toContain(
    'event: pool\ndata: {"action":"created","id":3,"record":{"id":3,"kind":"pool"}}\n\n',
  );
});

it('goes on where a reader was, also one that had heard nothing yet, also after a restart', async () => {
  const first = listen();
  await first.started();
  await first.end();
  for (const id of [1, 2, 3]) pool(id);
  const second = listen({ lastEventId: first.place() });
  await second.count(3);
  const [one] = second.heard();
  await second.end();
  await restart('stopped');
  pool(4);
  const third = listen({ lastEventId: String(one?.id) });
  await third.count(3);
  expect(third.heard().map(({ objectId, kind }) => [kind, objectId])).toEqual([
    ['pool', 2],
    ['pool', 3],
    ['pool', 4],
  ]);
});

it('answers reset after a server that was killed: changes may not have been told', async () => {
  const first = listen();
  await first.started();
  pool(1);
  await first.count(1);
  await first.end();
  await restart('killed');
  const second = listen({ lastEventId: first.place() });
  await second.count(1);
  expect(second.heard()).toMatchObject([{ kind: 'reset' }]);
  await second.end();
  const third = listen({ lastEventId: second.place() });
  await third.started();
  pool(2);
  await third.count(1);
  expect(third.heard()).toMatchObject([{ kind: 'pool', objectId: 2 }]);
});

it.each(['99999', 'x', '-1', '1.5'])('answers reset for the unknown place %s', async (lastEventId) => {
  const reader = listen({ lastEventId });
  await reader.count(1);
  pool(1);
  await reader.count(2);
  expect(reader.heard().map(({ kind }) => kind)).toEqual(['reset', 'pool']);
});

it('keeps a ring: whoever was away for too long has to load again', async () => {
  const first = listen();
  await first.started();
  pool(1);
  await first.count(1);
  await first.end();
  pool(2);
  for (let id = 3; id < 30; id += 1) pool(id);
  await restart('stopped', 5);
  const late = listen({ lastEventId: first.place() });
  await late.count(1);
  expect(late.heard()[0]?.kind).toBe('reset');
  const rows = await app.database.db.selectFrom('events').select('id').execute();
  expect(rows).toHaveLength(5);
});

it('shows a sign of life while nothing happens', async () => {
  await events.stop();
  events = make({ heartbeatMs: 5 });
  const reader = listen();
  await reader.until(() => reader.text().includes(': still here\n\n'));
  expect(reader.heard()).toEqual([]);
});

it('tells each reader only what it may see, and moves its place all the same', async () => {
  const limited = listen({ user: { clientGroupIds: [7] } });
  const poor = listen({ user: { permissions: new Set<Permission>(['pools.read']) } });
  await limited.started();
  await poor.started();
  announcements.announce({ kind: 'task', action: 'changed', id: 1, clientGroupId: 8 });
  announcements.announce({ kind: 'task', action: 'changed', id: 2, clientGroupId: 7 });
  announcements.announce({ kind: 'repository', action: 'changed', id: 3, clientGroupId: null });
  pool(4);
  await limited.count(2);
  await poor.count(1);
  expect(limited.heard().map(({ objectId }) => objectId)).toEqual([2, 4]);
  expect(poor.heard().map(({ objectId }) => objectId)).toEqual([4]);
  expect(limited.place()).toBe(poor.place());
});

it('ends when the session is over', async () => {
  const reader = listen({ user: null });
  await reader.started();
  pool(1);
  await reader.done;
  expect(reader.heard()).toEqual([]);
});

describe('a journal that cannot be written', () => {
  it('tells readers to load again as soon as it can', async () => {
    const { db } = app.database;
    await events.stop();
    const failed = new Promise<void>((resolve) => {
      events = make({ log: { ...silentLog, error: () => resolve() } });
    });
    const reader = listen();
    await reader.started();
    await db.schema.alterTable('events').renameColumn('action', 'elsewhere').execute();
    pool(1);
    await failed;
    await db.schema.alterTable('events').renameColumn('elsewhere', 'action').execute();
    await reader.count(1);
    expect(reader.heard()[0]?.kind).toBe('reset');
  });
});

describe('rules', () => {
  it('only the last of repeated changes is told, never across a creation or removal', () => {
    const event = (action: string, objectId: number) => ({
      kind: 'task' as const,
      action,
      objectId,
      clientGroupId: 1,
    });
    const given = [
      event('created', 1),
      event('changed', 1),
      event('changed', 2),
      event('changed', 1),
      event('removed', 1),
    ];
    expect(withoutRepeats(given)).toEqual([given[0], given[2], given[3], given[4]]);
  });

  it('a place is known from the one before the oldest up to the newest', () => {
    const range = { oldest: 10, newest: 20 };
    expect(resumePoint('9', range)).toEqual({ after: 9, reset: false });
    expect(resumePoint('20', range)).toEqual({ after: 20, reset: false });
    expect(resumePoint('8', range)).toEqual({ after: 20, reset: true });
    expect(resumePoint('21', range)).toEqual({ after: 20, reset: true });
    expect(resumePoint('0', { oldest: null, newest: 0 })).toEqual({ after: 0, reset: false });
    expect(resumePoint(null, range)).toEqual({ after: 20, reset: false });
  });

  it('several objects of a kind are told to limited readers too', () => {
    const reader: EventReader = { permissions: everything, clientGroupIds: [1] };
    const base = { id: 1, kind: 'client' as const, action: 'changed', clientGroupId: null };
    expect(mayHear(reader, { ...base, objectId: null })).toBe(true);
    expect(mayHear(reader, { ...base, objectId: 5 })).toBe(false);
  });
});

describe('what an event tells', () => {
  const dataOf = (text: string): readonly unknown[] =>
    [...text.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1] ?? 'null'));

  it('is the record as a single GET would answer it, unless the object is gone', async () => {
    const reader = listen();
    announcements.announce({ kind: 'pool', action: 'changed', id: 7 });
    announcements.announce({ kind: 'pool', action: 'changed', id: 404 });
    announcements.announce({ kind: 'pool', action: 'removed', id: 8 });
    announcements.announce({ kind: 'pool', action: 'changed', id: null });
    await expect.poll(() => dataOf(reader.text()).length).toBe(4);
    expect(dataOf(reader.text())).toEqual([
      { action: 'changed', id: 7, record: { id: 7, kind: 'pool' } },
      { action: 'changed', id: 404, record: null },
      { action: 'removed', id: 8, record: null },
      { action: 'changed', id: null, record: null },
    ]);
  });

  it('is no record when very much has changed at once: lists are loaded anew then', async () => {
    const reader = listen();
    for (let id = 1; id <= 60; id += 1) announcements.announce({ kind: 'pool', action: 'changed', id });
    await expect.poll(() => dataOf(reader.text()).length).toBe(60);
    expect(dataOf(reader.text()).at(-1)).toEqual({ action: 'changed', id: 60, record: null });
  });
});
