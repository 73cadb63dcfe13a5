import { afterEach, describe, expect, it } from 'vitest';
import type { ApiName } from '../../../contract/api.ts';
import { createServerClient, type ServerClient } from '../../../main/api/server-client.ts';
import { createSession, type Session, type Tokens } from '../../../main/api/session.ts';
import { createTransport, type Transport } from '../../../main/api/transport.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { type BackupServer, goodPassword, startBackupServer } from '../support/fake-backup-server.ts';
import { answerJson, envelope } from '../support/fake-server.ts';
import { waitUntil } from '../support/wait-until.ts';

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

interface Setting {
  readonly server: BackupServer;
  readonly client: ServerClient;
  readonly session: Session;
  readonly transport: Transport;
  readonly told: (Tokens | null)[];
  readonly skews: number[];
}

async function signedIn(ticks?: () => number): Promise<Setting> {
  const server = await startBackupServer();
  const transport = createTransport({ address: server.address, pin: null });
  open.push(transport, server);
  const session = createSession(ticks);
  const told: (Tokens | null)[] = [];
  const skews: number[] = [];
  const client = createServerClient({
    transport,
    session,
    now: Date.now,
    onTokens: (tokens) => told.push(tokens),
    onClockSkew: (ms) => skews.push(ms),
  });
  const login = await client.callUnchecked('auth.login', {
    body: { backup_database: 'strongroom', backup_user: 'admin', password: goodPassword },
  });
  client.adopt(login as never);
  return { server, client, session, transport, told, skews };
}

async function failureOf(work: Promise<unknown>) {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const problem = problemOf(error);
  if (!problem) throw new Error('expected a problem', { cause: error });
  return problem;
}

const pool = { id: 7, pool_name: 'Default', pool_type: 'File system', media_server: 'vm' };

describe('a call', () => {
  it('fills path, query and body as the contract declares them, with the tokens', async () => {
    const { server, client } = await signedIn();
    server.extra = (seen, response) => {
      answerJson(
        response,
        seen.method === 'POST' ? 201 : 200,
        envelope(seen.method === 'GET' ? [pool] : { id: 9 }),
        {
          'x-total-count': '41',
        },
      );
      return true;
    };
    const page = await client.call('pools.list', { query: { page: 2, limit: 1, search: 'a&b=c' } });
    expect(page).toMatchObject({ items: [pool], total: 41 });
    await client.call('taskQueue.create', { body: taskBody() });
    await client.call('tasks.pause', { params: { id: 7 } });
    const [list, create, pause] = server.requests.slice(-3);
    expect(list?.path).toBe('/api/v1/pools?page=2&limit=1&search=a%26b%3Dc');
    expect(list?.headers.authorization).toMatch(/^Bearer access-/);
    expect(list?.headers['x-csrf-token']).toBeUndefined();
    expect(Object.keys(JSON.parse(create?.body ?? '{}'))).toEqual(['data']);
    expect(create?.headers['x-csrf-token']).toMatch(/^csrf-access-/);
    expect(pause).toMatchObject({ path: expect.stringContaining('/tasks/7/pause'), body: '' });
  });

  it.each([
    ['an array in the envelope', envelope([pool]), {}, 1],
    ['items and total in the envelope', envelope({ items: [pool], total: 9, page: 1, limit: 1 }), {}, 9],
    ['a bare array', [pool], { 'x-total-count': '5' }, 5],
    ['items without an envelope', { items: [pool], total: 3 }, {}, 3],
  ])('reads a list that comes as %s', async (_name, body, headers, total) => {
    const { server, client } = await signedIn();
    server.extra = (_seen, response) => {
      answerJson(response, 200, body, headers);
      return true;
    };
    const page = await client.call('pools.list', { query: {} });
    expect(page.total).toBe(total);
    expect(page.items[0]).toMatchObject({ id: 7, pool_name: 'Default', description: null });
  });

  it('takes unknown words, missing fields and further fields of a server in the field', async () => {
    const { server, client } = await signedIn();
    server.extra = (_seen, response) => {
      answerJson(
        response,
        200,
        envelope([{ id: '12', pool_type: 'Holographic', shiny: true, __proto__: null }]),
      );
      return true;
    };
    const { items } = await client.call('pools.list', { query: {} });
    expect(items[0]).toMatchObject({ id: 12, pool_type: 'Holographic', pool_name: null, shiny: true });
  });

  it.each([
    ['a web page', (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<html>hi</html>')],
    [
      'half of its JSON',
      (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id"'),
    ],
    ['an object for a list', (r) => answerJson(r, 200, envelope({ id: 1 }))],
    ['a text for a record', (r) => answerJson(r, 200, envelope(['pool']))],
    ['a redirection', (r) => r.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['an error page', (r) => r.writeHead(502, { 'content-type': 'text/html' }).end('<html>502</html>')],
    [
      'a cut connection',
      (r) => {
        r.writeHead(200, { 'content-length': '500' });
        r.write('{');
        setImmediate(() => r.destroy());
      },
    ],
    ['nonsense instead of HTTP', (r) => r.socket?.end('SMTP ready\r\n')],
  ] as readonly (readonly [string, (response: import('node:http').ServerResponse) => void])[])(
    'makes a problem of %s, and the client goes on',
    async (_name, answer) => {
      const { server, client } = await signedIn();
      server.extra = (_seen, response) => {
        answer(response);
        return true;
      };
      const problem = await failureOf(client.call('pools.list', { query: {} }));
      expect(['badAnswer', 'unreachable']).toContain(problem.kind);
      expect(problem.message).not.toMatch(/undefined|\[object|at .*\.ts/);
      server.extra = (_seen, response) => {
        answerJson(response, 200, envelope([]));
        return true;
      };
      expect(await client.call('pools.list', { query: {} })).toEqual({ items: [], total: 0 });
    },
  );

  it('gives refusals with status, message and reasons by field', async () => {
    const { server, client } = await signedIn();
    server.extra = (_seen, response) => {
      answerJson(response, 400, {
        data: null,
        errors: { pool_name: 'is taken', nested: ['a', 'b'] },
        is_error: true,
        message: 'The pool was not made.',
      });
      return true;
    };
    const body = { pool_name: 'x', pool_type: 'File system', media_server: 'vm' };
    expect(await failureOf(client.call('pools.create', { body }))).toMatchObject({
      kind: 'refused',
      status: 400,
      message: 'The pool was not made.',
      errors: { pool_name: 'is taken', nested: 'a; b' },
    });
  });

  it('never repeats a write that was refused or cut off (case 130)', async () => {
    const { server, client } = await signedIn();
    const body = { pool_name: 'x', pool_type: 'File system', media_server: 'vm' };
    server.extra = (_seen, response) => {
      answerJson(response, 400, envelope(null, 'no', true));
      return true;
    };
    await failureOf(client.call('pools.create', { body }));
    server.extra = (_seen, response) => {
      response.destroy();
      return true;
    };
    await failureOf(client.call('pools.create', { body }));
    expect(server.count('/pools')).toBe(2);
  });

  it('refuses input that the contract does not know before anything is sent', async () => {
    const { server, client } = await signedIn();
    const before = server.requests.length;
    const tries: readonly (readonly [ApiName, unknown])[] = [
      ['pools.get', { params: { id: '../../auth/logout' } }],
      ['pools.get', {}],
      ['pools.list', { query: { limit: 100_000 } }],
      ['taskQueue.create', { body: { data: 1 } }],
      ['pools.get', { params: { id: 1 }, headers: { host: 'x' } }],
    ];
    for (const [name, input] of tries)
      expect(await failureOf(client.callUnchecked(name, input))).toMatchObject({
        kind: 'refused',
        code: 'input',
      });
    expect(server.requests).toHaveLength(before);
  });

  it('asks once for equal reads at the same time, and gives up when nobody waits (case 34)', async () => {
    const { server, client } = await signedIn();
    let answer = (): void => undefined;
    server.extra = (_seen, response) => {
      answer = () => answerJson(response, 200, envelope([pool]));
      return true;
    };
    const first = client.call('pools.list', { query: { page: 1 } });
    const impatient = new AbortController();
    const second = client.call('pools.list', { query: { page: 1 } }, impatient.signal);
    await waitUntil(() => server.count('/pools') === 1);
    impatient.abort();
    expect(await failureOf(second)).toMatchObject({ kind: 'cancelled' });
    answer();
    expect((await first).items).toHaveLength(1);
    expect(server.count('/pools')).toBe(1);
  });

  it('learns the clock of the server from its answers', async () => {
    const { server, client, skews } = await signedIn();
    server.extra = (_seen, response) => {
      response.setHeader('date', new Date(Date.now() + 3_600_000).toUTCString());
      answerJson(response, 200, envelope([]));
      return true;
    };
    await client.call('pools.list', { query: {} });
    expect(Math.round((skews.at(-1) ?? 0) / 60_000)).toBe(60);
  });

  it('deletes no copies while the clocks are days apart, and does all else (case 62)', async () => {
    const { server, client } = await signedIn();
    let skewMs = 0;
    const seen: string[] = [];
    server.extra = ({ method, path }, response) => {
      response.setHeader('date', new Date(Date.now() + skewMs).toUTCString());
      seen.push(`${method} ${path}`);
      answerJson(
        response,
        method === 'POST' ? 201 : 200,
        envelope(method === 'GET' ? [] : { ids: [1], id: 1 }),
      );
      return true;
    };
    const reads = () => client.call('pools.list', { query: {} });
    const deletes = () => client.callUnchecked('repository.deleteMany', { body: { ids: [1] } });
    for (const bearable of [6_000, 6 * 60_000]) {
      skewMs = bearable;
      await reads();
      await deletes();
    }
    for (const wrong of [8 * 86_400_000, -8 * 86_400_000]) {
      skewMs = wrong;
      await reads();
      const sent = seen.length;
      const problem = await failureOf(deletes());
      expect(problem).toMatchObject({ kind: 'local', code: 'clockSkew' });
      const [there, here] = problem.message.match(/\d{4}-[\dT:.-]+Z/g) ?? [];
      const differenceMs = Date.parse(there ?? '') - Date.parse(here ?? '');
      expect(Math.round(differenceMs / 86_400_000)).toBe(wrong / 86_400_000);
      expect((await failureOf(client.callUnchecked('repository.delete', { params: { id: 1 } }))).code).toBe(
        'clockSkew',
      );
      expect(seen).toHaveLength(sent);
      await client.call('taskQueue.create', { body: taskBody() });
    }
    // The clock was set: the next answer tells.
    skewMs = 0;
    await reads();
    await deletes();
  });
});

describe('the session', () => {
  it('renews once for twenty calls that meet a 401 together, and repeats each once (case 41)', async () => {
    const { server, client } = await signedIn();
    server.extra = (_seen, response) => {
      answerJson(response, 200, envelope({ ...pool }));
      return true;
    };
    server.expireAccess();
    const calls = Array.from({ length: 20 }, (_one, index) =>
      client.call('pools.get', { params: { id: index + 1 } }),
    );
    expect(await Promise.all(calls)).toHaveLength(20);
    expect(server.count('/auth/refresh')).toBe(1);
    const used = server.requests.filter(({ path }) => path.includes('/pools/'));
    expect(new Set(used.slice(-20).map(({ headers }) => headers.authorization)).size).toBe(1);
    expect(used.length).toBeLessThanOrEqual(40);
  });

  it('shows both tokens when it renews', async () => {
    const { server, client, session } = await signedIn();
    const before = session.tokens();
    await client.renew();
    const seen = server.requests.at(-1);
    expect(seen?.headers.authorization).toBe(`Bearer ${before?.refresh}`);
    expect(seen?.headers['authorization-access-token']).toBe(`Bearer ${before?.access}`);
  });

  it('renews before the first act after a long pause, by a clock that no one can set (case 42)', async () => {
    let ticks = 0;
    const { server, client } = await signedIn(() => ticks);
    server.extra = (_seen, response) => {
      answerJson(response, 200, envelope([]));
      return true;
    };
    await client.call('pools.list', { query: {} });
    expect(server.count('/auth/refresh')).toBe(0);
    ticks += 16 * 60_000;
    await client.call('pools.list', { query: {} });
    expect(server.count('/auth/refresh')).toBe(1);
  });

  it('believes the answer of the server when its own clock stood still (case 42)', async () => {
    const { server, client } = await signedIn(() => 0);
    server.extra = (_seen, response) => {
      answerJson(response, 200, envelope([]));
      return true;
    };
    server.expireAccess();
    await client.call('pools.list', { query: {} });
    expect(server.count('/auth/refresh')).toBe(1);
    server.forgetSessions();
    expect(await failureOf(client.call('pools.list', { query: {} }))).toMatchObject({ kind: 'signIn' });
  });

  it('asks to sign in, once, when a restart of the service made all tokens worthless (case 128)', async () => {
    const { server, client, told } = await signedIn();
    server.forgetSessions();
    const body = { ids: [1] };
    expect(await failureOf(client.call('pools.deleteMany', { body }))).toMatchObject({ kind: 'signIn' });
    expect(told.at(-1)).toBeNull();
    const before = server.requests.length;
    expect(await failureOf(client.call('pools.deleteMany', { body }))).toMatchObject({ kind: 'signIn' });
    expect(server.requests).toHaveLength(before);
  });

  it('does not take a failed renewal for the end of the session when the server was only away', async () => {
    const { server, client, session } = await signedIn();
    server.behave = (_seen, response) => {
      response.destroy();
    };
    expect(await failureOf(client.renew())).toMatchObject({ kind: 'unreachable' });
    expect(session.tokens()).not.toBeNull();
  });
});

function taskBody() {
  return {
    task: {
      resource_type: 'File system',
      resource: '/srv',
      client: 'host (0123456789abcdef)',
      backup_type: 'full' as const,
      pool: 'Default',
      crypto: 'nocrypt',
      priority: 500,
      storage_duration: '1 year',
      archiving: false,
    },
    module_extensions: { parameters: {} },
    common_modules_extensions: { parameters: {} },
  } as never;
}
