import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CustomAnswer } from '../../../backend/http/handler.ts';
import { Refusal } from '../../../backend/platform/errors.ts';
import { createLog } from '../../../backend/platform/log.ts';
import { api } from '../../../contract/api.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { permissionsOf, type Role, roles } from '../../../contract/permissions.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';

/** Handlers that only say what they were given: what is tested here is the way in and the way out. */
const seen: unknown[] = [];
const logLines: string[] = [];
let backend: TestApp;
let root: Session;

beforeAll(async () => {
  backend = await startTestApp({
    log: createLog({ sinks: [(line) => logLines.push(line)], now: Date.now }),
    moreHandlers: () => ({
      'clientGroups.get': async ({ params }) => {
        seen.push(params);
        return { id: params.id, name: 'a', shared: false, clients_total: 0, secret_column: 'leak' } as never;
      },
      'clientGroups.list': async ({ list }) => {
        seen.push(list);
        return { rows: [], total: 45 };
      },
      'clientGroups.create': async ({ body }) => {
        seen.push(body);
        if (body.name === 'bug') throw new Error('SELECT password FROM users');
        if (body.name === 'taken') {
          throw new Refusal('name.taken', { message: 'The name is taken.', errors: { name: 'is taken' } });
        }
        return { id: 1 };
      },
      'clientGroups.deleteMany': async ({ body }) => ({ ids: body.ids }),
      'tasks.restart': async () => undefined as never,
      'tasks.pause': async () => null,
      'pools.deleteMany': async ({ body }) =>
        new CustomAnswer(
          { removed: [], failed: body.ids },
          { status: 207, isError: true, message: '0 of 1' },
        ) as never,
    }),
  });
  root = await backend.loginAs('superuser');
});
afterAll(() => backend.close());

const lastSeen = () => seen.at(-1);

describe('a body', () => {
  it('may come flat or wrapped in data', async () => {
    for (const body of [{ name: 'x' }, { data: { name: 'x' } }]) {
      expect((await root.send('POST', '/client_groups', body)).status).toBe(201);
      expect(lastSeen()).toEqual({ name: 'x' });
    }
    for (const body of [{ ids: [1] }, { data: { ids: [1] } }]) {
      expect((await root.send('DELETE', '/client_groups', body)).status).toBe(200);
    }
  });

  it('is refused field by field, by the names that the caller used', async () => {
    const errors = async (body: unknown) => {
      const answer = await root.send('POST', '/client_groups', body);
      expect([answer.status, answer.body.is_error, answer.body.data]).toEqual([400, true, null]);
      expect(answer.body.message).not.toBe('');
      return answer.body.errors;
    };
    expect(await errors({})).toEqual({ name: 'is required' });
    expect(await errors({ data: { name: 7, shared: 'no', other: 1 } })).toEqual({
      name: 'must be a text',
      shared: 'must be true or false',
      other: expect.stringContaining('not a field'),
    });
    expect(await errors({ data: 5 })).toEqual({ body: 'must be a JSON object' });
    expect(await errors([])).toEqual({ body: 'must be a JSON object' });
    expect(await errors({ data: { name: 'x' }, more: 1 })).toMatchObject({ data: expect.any(String) });
  });

  it('has up to 1,000 ids and 1 MiB', async () => {
    const ids = (count: number) => ({ ids: Array.from({ length: count }, (_, index) => index + 1) });
    expect((await root.send('DELETE', '/client_groups', ids(1000))).status).toBe(200);
    const many = await root.send('DELETE', '/client_groups', ids(1001));
    expect([many.status, Object.keys(many.body.errors)]).toEqual([400, ['ids']]);
    const big = await root.send('POST', '/client_groups', { name: 'x'.repeat(1024 * 1024) });
    expect([big.status, big.body.errors]).toEqual([400, { body: expect.stringContaining('1 MiB') }]);
  });

  it.each([[[]], [[-1]], [[0]], [['1']], [[1.5]], [[[1]]], ['1'], [{}], [null], [[1e30]]])(
    'with ids %j is refused',
    async (ids) => {
      const answer = await root.send('DELETE', '/client_groups', { ids });
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, ['ids']]);
    },
  );

  const raw = (payload: string | Buffer, contentType = 'application/json') =>
    backend.app.inject({
      method: 'POST',
      url: '/api/v1/client_groups',
      headers: {
        host: '127.0.0.1',
        authorization: `Bearer ${root.accessToken}`,
        ...(contentType === '' ? {} : { 'content-type': contentType }),
      },
      payload,
    });

  it.each([
    ['{"name":', 'cut short'],
    ['{"name":"a"}}', 'with a bracket too many'],
    ['{"__proto__":{"name":"x"}}', 'with __proto__'],
    ['{"name":"x","constructor":{"prototype":{"a":1}}}', 'with constructor.prototype'],
    ['', 'empty'],
    ['null', 'null'],
    ['"name"', 'a text'],
    ['{"name":"x","shared":1e400}', 'with an infinite number'],
    [`${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'nested 10,000 deep'],
    [`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'nested 100,000 deep'],
    [Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 'not UTF-8'],
  ] as [string | Buffer, string][])('like %j (%#) is a 400 with the envelope', async (payload, _what) => {
    const answer = await raw(payload);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ data: null, is_error: true });
    expect(Object.keys(answer.json().errors).length).toBeGreaterThan(0);
    expect(({} as Record<string, unknown>).name).toBeUndefined();
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
    'x/jsonp',
  ])('of type "%s" is refused, so that no form of another site gets through', async (contentType) => {
    const answer = await raw('{"name":"x"}', contentType);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().errors).toHaveProperty('content-type');
  });

  it('is not needed where the request has none, and does no harm there', async () => {
    expect((await root.send('POST', '/tasks/3/pause')).status).toBe(204);
    expect((await root.send('POST', '/tasks/3/pause', {})).status).toBe(204);
    expect(
      (await root.send('POST', '/tasks/3/pause', undefined, { 'content-type': 'application/json' })).status,
    ).toBe(204);
  });
});

describe('an id in a path', () => {
  it.each(['abc', '0', '-1', '1.5', '0x10', '1e3', '99999999999999999999', '%201', '1%00', '%F0%9F%98%80'])(
    'like %s is an unknown object',
    async (id) => {
      const answer = await root.send('GET', `/client_groups/${id}`);
      expect([answer.status, answer.body.is_error]).toEqual([404, true]);
    },
  );

  it('gives way to fixed words', async () => {
    expect((await root.send('POST', '/tasks/restart', { tasks_ids: [1] })).status).toBe(204);
    expect((await root.send('GET', '/client_groups/7')).status).toBe(200);
    expect(lastSeen()).toEqual({ id: 7 });
  });
});

describe('an answer', () => {
  it('has the envelope, and only fields of the contract', async () => {
    const answer = await root.send('GET', '/client_groups/7');
    expect(answer.body).toEqual({
      data: { id: 7, name: 'a', shared: false, clients_total: 0 },
      errors: {},
      is_error: false,
      message: '',
    });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('of 204 has no body, of HEAD neither', async () => {
    expect((await root.send('POST', '/tasks/3/pause')).body).toBeNull();
    const head = await root.send('HEAD', '/client_groups/7');
    expect([head.status, head.body]).toEqual([200, null]);
  });

  it('may be partly an error', async () => {
    const answer = await root.send('DELETE', '/pools', { ids: [1] });
    expect(answer.status).toBe(207);
    expect(answer.body).toMatchObject({
      is_error: true,
      message: '0 of 1',
      data: { removed: [], failed: [1] },
    });
  });

  it('to a refusal tells its reason', async () => {
    const answer = await root.send('POST', '/client_groups', { name: 'taken' });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      data: null,
      errors: { name: 'is taken' },
      is_error: true,
      message: 'The name is taken.',
    });
  });

  it('to a bug tells an incident and nothing from inside; the log tells the rest', async () => {
    logLines.length = 0;
    const answer = await root.send('POST', '/client_groups', { name: 'bug' });
    expect(answer.status).toBe(500);
    const text = JSON.stringify(answer.body);
    expect(text).not.toMatch(/SELECT|at |\.ts/);
    const { incident } = answer.body.errors;
    expect(incident).toMatch(/^[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}$/);
    expect(logLines.join('\n')).toContain(String(incident));
    expect(logLines.join('\n')).toContain('SELECT password');
  });
});

describe('a list', () => {
  const list = (query: string) => root.send('GET', `/client_groups${query}`);

  it('gives the number of all rows and links to the pages around', async () => {
    const answer = await list('?page=2&limit=10&sort=name&search=a%20b');
    expect(answer.status).toBe(200);
    expect(answer.headers['x-total-count']).toBe('45');
    expect(answer.headers.link).toBe(
      '<http://127.0.0.1/api/v1/client_groups?page=3&limit=10&sort=name&search=a+b>; rel="next", ' +
        '<http://127.0.0.1/api/v1/client_groups?page=1&limit=10&sort=name&search=a+b>; rel="prev"',
    );
    expect((await list('?page=3')).headers.link).toMatch(/^<[^>]+page=2&limit=20>; rel="prev"$/);
    expect((await list('?limit=500')).headers.link).toBeUndefined();
    expect((await list('')).headers.link).toBeUndefined();
  });

  it('hands over page, order, search and filters', async () => {
    await list('?page=2&limit=10&sort=name&order=desc&search=x&shared=true');
    expect(lastSeen()).toEqual({
      page: 2,
      limit: 10,
      sort: 'name',
      order: 'desc',
      search: 'x',
      filters: { shared: 'true' },
    });
  });

  it.each([
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=x', 'page'],
    ['page=', 'page'],
    ['page=1.5', 'page'],
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=1e9', 'limit'],
    ['order=up', 'order'],
    ['shared=1&shared=2', 'shared'],
    ['page=1&page=2', 'page'],
  ])('with %s is refused, naming the field', async (query, field) => {
    const answer = await list(`?${query}`);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, [field]]);
  });
});

describe('an unknown address', () => {
  it('is a 404 with the envelope, for every method', async () => {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'] as const) {
      const answer = await root.send(method, '/nothing_here');
      expect([answer.status, answer.body.is_error, answer.body.data]).toEqual([404, true, null]);
    }
    expect((await root.send('PUT', '/client_groups/7')).status).toBe(404);
    for (const path of [
      '//client_groups',
      '/client_groups/',
      '/Client_Groups',
      '/./x',
      '/client_groups;x=1',
    ]) {
      expect((await root.send('GET', path)).status).toBe(404);
    }
    const outside = await backend.app.inject({ url: '/', headers: { host: '127.0.0.1' } });
    expect([outside.statusCode, outside.json().is_error]).toEqual([404, true]);
  });

  it('tells strangers nothing', async () => {
    expect((await backend.send('GET', '/nothing_here')).status).toBe(401);
  });

  it('that is malformed is a 400', async () => {
    const answer = await root.send('GET', '/client_groups/%zz');
    expect([answer.status, answer.body.is_error]).toEqual([400, true]);
  });
});

describe('requests of other sites', () => {
  const from = (headers: Record<string, string>) =>
    backend.app.inject({
      url: '/api/v1/client_groups/7',
      headers: { authorization: `Bearer ${root.accessToken}`, ...headers },
    });

  it('are refused by the name that they use for this server', async () => {
    for (const host of [
      'evil.example',
      '127.0.0.1.evil.example',
      'localhost.evil',
      '127.0.0.1@evil',
      '10.0.0.1',
    ]) {
      const answer = await from({ host });
      expect([host, answer.statusCode]).toEqual([host, 400]);
      expect(answer.json().is_error).toBe(true);
    }
    for (const host of ['127.0.0.1', 'localhost', '127.0.0.1:80', '[::1]', 'LOCALHOST']) {
      expect((await from({ host })).statusCode).toBe(200);
    }
  });

  it('are refused by their origin; the own page is welcome', async () => {
    for (const origin of ['http://evil.example', 'null', 'https://127.0.0.1', 'http://127.0.0.1:1']) {
      expect((await from({ host: '127.0.0.1', origin })).statusCode).toBe(403);
    }
    expect((await from({ host: '127.0.0.1', origin: 'http://127.0.0.1' })).statusCode).toBe(200);
  });
});

describe('who may do what', () => {
  const mounted: readonly string[] = [
    'clientGroups.get',
    'clientGroups.list',
    'clientGroups.create',
    'clientGroups.deleteMany',
    'tasks.pause',
    'pools.deleteMany',
  ];

  it('comes before what they ask: 401, then 403, then 404 and 400', async () => {
    expect((await backend.send('POST', '/client_groups', { nonsense: 1 })).status).toBe(401);
    expect((await backend.send('GET', '/client_groups/abc')).status).toBe(401);
    const auditor = await backend.loginAs('auditor');
    const refused = await auditor.send('POST', '/client_groups', { nonsense: 1 });
    expect([refused.status, refused.body.errors]).toEqual([403, { permission: 'client_groups.write' }]);
    expect((await auditor.send('POST', '/tasks/abc/pause')).status).toBe(403);
    expect((await root.send('POST', '/client_groups/abc')).status).toBe(404);
  });

  it.each(roles)('is checked for the role %s on every route', async (role: Role) => {
    const user = await backend.loginAs(role);
    const held = new Set<string>(permissionsOf([role]));
    for (const name of mounted) {
      const endpoint: Endpoint = api[name as keyof typeof api];
      const path = endpoint.path.replace(':id', '7');
      const answer = await user.send(
        endpoint.method,
        path,
        endpoint.body ? { ids: [1], name: 'x' } : undefined,
      );
      const allowed = endpoint.permission === null || held.has(endpoint.permission);
      expect([name, answer.status === 403]).toEqual([name, !allowed]);
    }
  });
});

describe('the pages of the API', () => {
  it('show every endpoint at the API’s own address, without a login', async () => {
    for (const path of ['', '/']) {
      const answer = await backend.app.inject({ url: `/api/v1${path}`, headers: { host: '127.0.0.1' } });
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toContain('text/html');
      expect(answer.headers['content-security-policy']).toContain("script-src 'self';");
    }
    const document = (
      await backend.app.inject({ url: '/api/v1/openapi.json', headers: { host: '127.0.0.1' } })
    ).json();
    const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap(
      (path) => Object.values(path).map(({ operationId }) => operationId),
    );
    expect(operations.sort()).toEqual(Object.keys(api).sort());
    expect(document.tags.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['Auth', 'Extensions']),
    );
  });

  it('load only from this server and keep no tokens', async () => {
    const get = async (path: string) =>
      (await backend.app.inject({ url: `/api/v1${path}`, headers: { host: '127.0.0.1' } })).body;
    const html = await get('');
    const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => String(source));
    expect(sources.length).toBeGreaterThan(3);
    for (const source of sources) {
      expect(source).toMatch(/^\/api\/v1\/page\//);
      expect((await get(source.replace('/api/v1', ''))).length).toBeGreaterThan(100);
    }
    expect(await get('/page/page.js')).toContain('persistAuthorization: false');
  });

  it('list the extensions by name', async () => {
    const { names } = (await root.send('GET', '/extensions')).data<{ names: string[] }>();
    expect(names).toEqual(expect.arrayContaining(['events', 'users', 'client_groups']));
    expect((await backend.send('GET', '/extensions')).status).toBe(401);
  });
});
