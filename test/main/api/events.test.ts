import { afterEach, describe, expect, it } from 'vitest';
import { type EventReaderDeps, startEventReader, type ToldEvent } from '../../../main/api/event-reader.ts';
import { createEventParser, type StreamEvent } from '../../../main/api/event-stream.ts';
import { createServerClient } from '../../../main/api/server-client.ts';
import { createSession } from '../../../main/api/session.ts';
import { createTransport } from '../../../main/api/transport.ts';
import { type Behaviour, type FakeServer, startFakeServer } from '../support/fake-server.ts';
import { waitUntil } from '../support/wait-until.ts';

const stream = [
  ': hello\r\n',
  'retry: 1500\r\n\r\n',
  'event: task\nid: 7\ndata: {"action":"changed",\ndata: "id":3}\n\n',
  'data: ünï 日本\r\r',
  'event: pool\nid: 8\ndata: x\n\n',
].join('');

describe('an event stream', () => {
  const bytes = new TextEncoder().encode(stream);
  const parse = (pieces: readonly Uint8Array[]) => {
    const events: StreamEvent[] = [];
    const parser = createEventParser((event) => events.push(event));
    for (const piece of pieces) parser.push(piece);
    return { events, lastId: parser.lastId(), retryMs: parser.retryMs() };
  };

  it('reads the same whether it comes byte by byte or as one piece (case 21)', () => {
    const whole = parse([bytes]);
    expect(parse([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
    expect(whole).toEqual({
      events: [
        { kind: 'task', data: '{"action":"changed",\n"id":3}', id: '7' },
        { kind: 'message', data: 'ünï 日本', id: '7' },
        { kind: 'pool', data: 'x', id: '8' },
      ],
      lastId: '8',
      retryMs: 1500,
    });
  });

  it('refuses an event that never ends', () => {
    const parser = createEventParser(() => undefined);
    const piece = new TextEncoder().encode(`data: ${'x'.repeat(600_000)}\n`);
    parser.push(piece);
    expect(() => parser.push(piece)).toThrow(/larger/);
  });
});

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function read(behave: Behaviour, more: Partial<EventReaderDeps> = {}) {
  const server: FakeServer = await startFakeServer(behave);
  const transport = createTransport({ address: server.address, pin: null });
  const session = createSession();
  session.set({ access: 'access-1', refresh: 'refresh-1', csrf: 'c' });
  const client = createServerClient({
    transport,
    session,
    now: Date.now,
    onTokens: () => undefined,
    onClockSkew: () => undefined,
  });
  const events: ToldEvent[] = [];
  const live: boolean[] = [];
  const problems: unknown[] = [];
  const reader = startEventReader({
    client,
    onEvent: (event) => events.push(event),
    onLive: (now) => live.push(now),
    onProblem: (error) => problems.push(error),
    firstWaitMs: 1,
    ...more,
  });
  open.push(server.close, transport.close, reader.stop);
  return { server, events, live, problems, session, reader };
}

const head = { 'content-type': 'text/event-stream' };

describe('the event reader', () => {
  it('resumes behind the last event after a cut, without a gap and without a reset', async () => {
    let connections = 0;
    const { server, events } = await read((_seen, response) => {
      connections++;
      response.writeHead(200, head);
      const id = connections;
      response.write(
        `retry: 1\nid: ${id}\nevent: task\ndata: {"action":"changed","id":${id},"record":null}\n\n`,
      );
      if (connections < 3) response.end();
    });
    await waitUntil(() => events.length === 3);
    expect(events.map(({ kind, event }) => [kind, event?.id])).toEqual([
      ['task', 1],
      ['task', 2],
      ['task', 3],
    ]);
    expect(server.requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1', '2']);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer access-1');
  });

  it('asks to load everything again where it cannot resume (case 36)', async () => {
    let connections = 0;
    const { events, live } = await read((_seen, response) => {
      connections++;
      response.writeHead(200, head);
      response.write('retry: 1\n\n');
      if (connections === 1) response.end();
      else response.write('event: reset\nid: 90\ndata:\n\n');
    });
    await waitUntil(() => events.length >= 1);
    expect(events[0]).toEqual({ kind: 'reset', event: null });
    expect(live.slice(0, 3)).toEqual([true, false, true]);
  });

  it('leaves a server alone that has no events', async () => {
    const { server, live } = await read((_seen, response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    });
    await waitUntil(() => server.requests.length === 1);
    expect(live).toEqual([]);
  });

  it('renews the session once when the stream is refused, and then gives up', async () => {
    const { server, problems } = await read((seen, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"msg":"expired"}');
      void seen;
    });
    await waitUntil(() => problems.length === 1);
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/v1/events', '/api/v1/auth/refresh']);
  });

  it('tells unknown kinds and unreadable events as a change of something', async () => {
    const { events } = await read((_seen, response) => {
      response.writeHead(200, head);
      response.write(
        'event: hologram\ndata: {}\n\nevent: pool\ndata: {broken\n\nevent: client\ndata: {"id":"5"}\n\n',
      );
    });
    await waitUntil(() => events.length === 3);
    expect(events).toEqual([
      { kind: 'other', event: null },
      { kind: 'pool', event: { action: 'changed', id: null, record: null } },
      { kind: 'client', event: { action: 'changed', id: 5, record: null } },
    ]);
  });
});
