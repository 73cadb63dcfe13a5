import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BackendProcess, spawnBackend } from '../../support/backend.ts';
import { type Caller, makeSmallFolder, type Queue, queueOf } from '../../support/queue.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

/** The event stream of a real process over a real connection, as a window reads it. */
const password = 'correct horse battery';
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;
let backend: BackendProcess;
const readers: Reader[] = [];

interface Session {
  readonly url: string;
  readonly token: string;
  readonly queue: Queue;
}

async function start(): Promise<Session> {
  backend = spawnBackend({
    dataDir: join(folder.path, 'data'),
    env: { STRONGROOM_ADMIN_PASSWORD: password },
  });
  const { url } = await backend.ready;
  const send = async (method: string, path: string, body: unknown, token?: string) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
  const login = { backup_database: 'strongroom', backup_user: 'admin', password };
  const token: string = (await send('POST', '/auth/login', login)).body.data.access_token;
  const call: Caller = (method, path, body) => send(method, path, body, token);
  return { url, token, queue: queueOf(call) };
}

interface Heard {
  readonly id: string;
  readonly kind: string;
  readonly action: string;
  readonly object: number | null;
}

interface Reader {
  readonly heard: Heard[];
  /** Waits for an event; null when the stream ends before. */
  next(isIt: (event: Heard) => boolean): Promise<Heard | null>;
  place(): string;
  leave(): void;
}

async function listen(session: Session, lastEventId?: string): Promise<Reader> {
  const gone = new AbortController();
  const response = await fetch(`${session.url}/events`, {
    headers: {
      authorization: `Bearer ${session.token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: gone.signal,
  });
  expect(response.status).toBe(200);
  const heard: Heard[] = [];
  let text = '';
  let isOver = false;
  let wake: () => void = () => undefined;
  const read = async (): Promise<void> => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(block);
      wake();
    }
  };
  let last = lastEventId ?? '';
  const take = (block: string): void => {
    last = /^id: (\d+)$/m.exec(block)?.[1] ?? last;
    const kind = /^event: (\w+)$/m.exec(block)?.[1];
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (kind === undefined || data === undefined) return;
    const { action, id } = JSON.parse(data) as { action: string; id: number | null };
    heard.push({ id: last, kind, action, object: id });
  };
  // A stream that is cut off, by the reader or by the server's end, is over.
  read()
    .catch(() => undefined)
    .finally(() => {
      isOver = true;
      wake();
    });
  const reader: Reader = {
    heard,
    next: async (isIt) => {
      for (;;) {
        const found = heard.find(isIt);
        if (found !== undefined || isOver) return found ?? null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    place: () => last,
    leave: () => gone.abort(),
  };
  readers.push(reader);
  // The first block says where the reader stands: from here on nothing is missed.
  while (last === '' && !isOver) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  return reader;
}

beforeEach(async () => {
  folder = await makeTempDir('events');
  source = join(folder.path, 'source');
  await makeSmallFolder(source);
});
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.leave();
  await backend.kill();
  await folder.remove();
});

it('a backup is told from its creation to its copy; who reads the task after each event ends with the truth', async () => {
  const session = await start();
  const reader = await listen(session);
  const id = await session.queue.backup(source);
  expect(await reader.next((event) => event.kind === 'task' && event.object === id)).toMatchObject({
    action: 'created',
  });
  const seen: string[] = [];
  // As a window does: an event, then a look at the task.
  let handled = 0;
  while (!seen.includes('done')) {
    const at = handled;
    const next = await reader.next((event) => reader.heard.indexOf(event) >= at && event.object === id);
    expect(next).not.toBeNull();
    handled = reader.heard.length;
    seen.push((await session.queue.task(id)).status);
  }
  const copyId = (await session.queue.task(id)).repository_id;
  expect(await reader.next((event) => event.kind === 'repository' && event.object === copyId)).toMatchObject({
    action: 'created',
  });
  const ids = reader.heard.map((event) => Number(event.id));
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
});

it('Last-Event-ID goes on without a gap, over a restart of the server too', async () => {
  let session = await start();
  const first = await listen(session);
  const id = await session.queue.backup(source);
  await first.next((event) => event.object === id);
  first.leave();
  const place = first.place();
  const task = await session.queue.ended(id);
  await session.queue.good('DELETE', `/repository/${task.repository_id}`);
  expect(await backend.stop()).toBe(0);

  session = await start();
  const second = await listen(session, place);
  const removed = await second.next((event) => event.kind === 'repository' && event.action === 'removed');
  expect(removed).toMatchObject({ object: task.repository_id });
  expect(second.heard.map((event) => event.kind)).not.toContain('reset');
  expect(second.heard.every((event) => Number(event.id) > Number(place))).toBe(true);
});

it('after a kill -9, and for a place that nobody knows, the reader is told to load everything again', async () => {
  let session = await start();
  const first = await listen(session);
  await session.queue.backup(source);
  await first.next((event) => event.kind === 'task');
  const place = first.place();
  await backend.kill();
  session = await start();
  const second = await listen(session, place);
  expect(await second.next((event) => event.kind === 'reset')).toMatchObject({
    action: 'reset',
    object: null,
  });
  const third = await listen(session, '999999999');
  expect(await third.next((event) => event.kind === 'reset')).not.toBeNull();
});

it('a stream does not hold up the end of the server', async () => {
  const session = await start();
  const reader = await listen(session);
  expect(await backend.stop()).toBe(0);
  expect(await reader.next(() => false)).toBeNull();
});
