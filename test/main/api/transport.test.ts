import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createNameLookup } from '../../../main/api/name-lookup.ts';
import { createTransport, type Deadlines, type Transport } from '../../../main/api/transport.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { untilAborted } from '../../../main/platform/waiting.ts';

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** A server of bare sockets, for what no HTTP server would do. */
async function startSockets(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

function transportTo(address: string, deadlines: Partial<Deadlines>): Transport {
  const transport = createTransport({ address, pin: null, deadlines });
  open.unshift(transport);
  return transport;
}

const get = { method: 'GET', path: '/api/v1/pools', headers: {}, body: null } as const;

async function failureOf(work: Promise<unknown>) {
  return problemOf(
    await work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
}

describe('a call to a server that misbehaves', () => {
  it('ends by its deadline when the server takes the call and is mute (case 33)', async () => {
    const transport = transportTo(await startSockets(() => undefined), { headersMs: 200 });
    expect(await failureOf(transport.send(get))).toMatchObject({
      kind: 'unreachable',
      code: 'UND_ERR_HEADERS_TIMEOUT',
    });
  });

  it('ends by its deadline when the server stalls in the middle of its answer (case 33)', async () => {
    const address = await startSockets((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"data"');
    });
    const transport = transportTo(address, { stallMs: 200 });
    expect(await failureOf(transport.send(get))).toMatchObject({
      kind: 'unreachable',
      code: 'UND_ERR_BODY_TIMEOUT',
    });
  });

  it('ends by its deadline when the answer drips for ever', async () => {
    const address = await startSockets((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const drip = setInterval(() => socket.write('1\r\n \r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const transport = transportTo(address, { wholeMs: 500 });
    expect(await failureOf(transport.send(get))).toMatchObject({ kind: 'unreachable', code: 'deadline' });
  });

  it('ends by its deadline while it waits for a free connection', async () => {
    const transport = transportTo(await startSockets(() => undefined), { wholeMs: 300, headersMs: 60_000 });
    const calls = Array.from({ length: 12 }, () => failureOf(transport.send(get)));
    expect((await Promise.all(calls)).map((problem) => problem?.code)).toEqual(Array(12).fill('deadline'));
  });

  it('keeps to a few connections however many calls there are (case 34)', async () => {
    let connections = 0;
    const transport = transportTo(
      await startSockets(() => {
        connections++;
      }),
      { wholeMs: 500 },
    );
    await Promise.all(Array.from({ length: 40 }, () => failureOf(transport.send(get))));
    expect(connections).toBeLessThanOrEqual(12);
  });

  it('is cancelled at once (case 37)', async () => {
    const transport = transportTo(await startSockets(() => undefined), {});
    const controller = new AbortController();
    const call = failureOf(transport.send(get, controller.signal));
    controller.abort();
    expect(await call).toMatchObject({ kind: 'cancelled' });
    expect(await failureOf(transport.send(get, controller.signal))).toMatchObject({ kind: 'cancelled' });
  });

  it('says that nothing listens, in words', async () => {
    const transport = transportTo('http://127.0.0.1:1', {});
    expect(await failureOf(transport.send(get))).toMatchObject({
      kind: 'unreachable',
      code: 'ECONNREFUSED',
      message: expect.stringContaining('Nothing listens'),
    });
  });

  it('refuses an answer without end before the memory is full', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 0x20);
    const address = await startSockets((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n');
      const pour = (): void => {
        if (!socket.destroyed) socket.write(megabyte, () => setImmediate(pour));
      };
      pour();
    });
    const problem = await failureOf(transportTo(address, {}).send(get));
    expect(problem).toMatchObject({ kind: 'badAnswer', message: expect.stringContaining('32 MiB') });
  });
});

describe('looking up a name that hangs', () => {
  it('keeps nobody waiting who cancelled (case 37)', async () => {
    const controller = new AbortController();
    const hanging = untilAborted(new Promise<never>(() => undefined), controller.signal);
    controller.abort();
    expect(await failureOf(hanging)).toMatchObject({ kind: 'cancelled' });
  });

  it('is asked once for one name, and does not use up the threads that files need (case 33)', () => {
    const asked: string[] = [];
    const lookup = createNameLookup((hostname) => {
      asked.push(hostname);
    }, 2);
    for (const name of ['a', 'a', 'a', 'b', 'c', 'd']) lookup(name, { all: true }, () => undefined);
    expect(asked).toEqual(['a', 'b']);
  });

  it('gives each caller the form it asked for, and goes on with the next name', async () => {
    const lookup = createNameLookup((hostname, _options, callback) => {
      queueMicrotask(() =>
        callback(null, [
          { address: '::1', family: 6 },
          { address: hostname === 'a' ? '10.0.0.1' : '10.0.0.2', family: 4 },
        ]),
      );
    }, 1);
    const ask = (name: string, options: object) =>
      new Promise((resolve) =>
        lookup(name, options, (_error, address, family) => resolve([address, family])),
      );
    const answers = await Promise.all([ask('a', { family: 4 }), ask('b', { all: true }), ask('a', {})]);
    expect(answers).toEqual([
      ['10.0.0.1', 4],
      [
        [
          { address: '::1', family: 6 },
          { address: '10.0.0.2', family: 4 },
        ],
        undefined,
      ],
      ['::1', 6],
    ]);
  });
});

describe('a transport that was closed', () => {
  it.each([
    ['before its first call', false],
    ['after a call', true],
  ])('makes no connection any more: %s', async (_when, isUsed) => {
    let connections = 0;
    const address = await startSockets((socket) => {
      connections += 1;
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
    });
    const transport = createTransport({ address, pin: null });
    if (isUsed) expect((await transport.send(get)).text).toBe('{}');
    await transport.close();
    expect(await failureOf(transport.send(get))).toMatchObject({ kind: 'unreachable' });
    expect(connections).toBe(isUsed ? 1 : 0);
  });
});
