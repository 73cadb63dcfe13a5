import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../../../backend/features/first-start.ts';
import { api } from '../../../contract/api.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { permissionsOf, type Role, roles } from '../../../contract/permissions.ts';
import { type Answer, type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { mayCall } from './rights-table.ts';

const endpoints = Object.entries<Endpoint>(api);
const guarded = endpoints.filter(([, { permission }]) => permission !== 'public');
const refusedFor = (role: Role) =>
  guarded.filter(([, { method, path }]) => mayCall(role, method, path) === false);
const allowedFor = (role: Role) =>
  guarded.filter(([, { method, path }]) => mayCall(role, method, path) === true);

let backend: TestApp;
let sessions: ReadonlyMap<Role, Session>;
let address: string;
let cells = 0;

beforeAll(async () => {
  backend = await startTestApp();
  await seed(backend.built.features);
  const loggedIn = new Map<Role, Session>();
  for (const role of roles) loggedIn.set(role, await backend.loginAs(role));
  sessions = loggedIn;
  address = await backend.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  process.stdout.write(
    `\nrole × endpoint: ${cells} cells, ${roles.length + 1} callers × ${endpoints.length}\n`,
  );
  await backend.close();
});

function sessionOf(role: Role): Session {
  const session = sessions.get(role);
  if (!session) throw new Error(`nobody is logged in as ${role}`);
  return session;
}

/** Nothing in such a call is right: neither its id nor its body nor its query. What is refused first shows the order. */
const nonsense = { surely_unknown: true };
type Arguments = readonly [method: Endpoint['method'], path: string, body: unknown];
const wrong = ({ method, path }: Endpoint): Arguments => [
  method,
  `${path.replace(/:[a-z_]+/g, 'x999')}?page=0`,
  method === 'GET' ? undefined : nonsense,
];
/** Addresses nothing that exists, but is well formed. */
const absent = ({ method, path }: Endpoint): Arguments => [
  method,
  path.replace(/:[a-z_]+/g, '999999'),
  method === 'GET' ? undefined : { ids: [999_999] },
];

/** The record itself and SQLite's counter of its rows. */
const notState: readonly string[] = ['audit', 'sqlite_sequence'];

/** Everything that the database holds, but for the record of who tried what. */
async function stateOf({ database }: TestApp): Promise<string> {
  const { db } = database;
  const tables = await sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`.execute(db);
  const hash = createHash('sha256');
  for (const { name } of tables.rows.filter((table) => !notState.includes(table.name))) {
    const { rows } = await sql`SELECT * FROM ${sql.table(name)}`.execute(db);
    hash.update(`${name}${JSON.stringify(rows)}`);
  }
  return hash.digest('hex');
}

function expectRefusal(name: string, answer: Answer, status: number): void {
  const { body } = answer;
  expect([name, answer.status, body?.is_error, body?.data]).toEqual([name, status, true, null]);
  cells += 1;
}

describe('the table of rights', () => {
  it.each(guarded)('has a line for %s, and the product agrees with it', (name, endpoint) => {
    for (const role of roles) {
      const right = endpoint.permission;
      const granted = right === null || (permissionsOf([role]) as readonly string[]).includes(right ?? '');
      expect([name, role, granted]).toEqual([name, role, mayCall(role, endpoint.method, endpoint.path)]);
    }
  });
});

describe('a caller without a token', () => {
  it('gets 401 from everything but login and refresh, before anything else is looked at', async () => {
    const before = await stateOf(backend);
    for (const [name, endpoint] of guarded) {
      expectRefusal(name, await backend.send(...wrong(endpoint)), 401);
      expectRefusal(name, await backend.send(...absent(endpoint)), 401);
    }
    expect(await stateOf(backend)).toBe(before);
  });

  it('may log in and renew', async () => {
    expectRefusal('auth.login', await backend.send('POST', '/auth/login', {}), 400);
    expectRefusal('auth.refresh', await backend.send('POST', '/auth/refresh'), 401);
  });
});

describe.each(roles)('the role %s', (role) => {
  it('gets 403 where it has no right, before 404 and 400, and changes nothing', async () => {
    const { send } = sessionOf(role);
    const before = await stateOf(backend);
    for (const [name, endpoint] of refusedFor(role)) {
      for (const call of [wrong(endpoint), absent(endpoint)]) {
        const answer = await send(...call);
        expectRefusal(name, answer, 403);
        expect(answer.body.errors).toEqual({ permission: endpoint.permission });
        expect(answer.body.message).not.toBe('');
      }
    }
    expect(await stateOf(backend)).toBe(before);
  });

  it('gets past the door everywhere else: what is wrong with the call is told instead', async () => {
    for (const [name, endpoint] of allowedFor(role)) {
      if (endpoint.stream || name === 'auth.logout') continue;
      const answer = await sessionOf(role).send(...wrong(endpoint));
      expect([name, answer.status, [401, 403].includes(answer.status)]).toEqual([name, answer.status, false]);
      if (endpoint.params || endpoint.body) expect([404, 400]).toContain(answer.status);
      const second = await sessionOf(role).send(...absent(endpoint));
      expect([name, second.status, [401, 403].includes(second.status)]).toEqual([name, second.status, false]);
      if (endpoint.params) expect([name, [404, 400].includes(second.status)]).toEqual([name, true]);
      cells += 2;
    }
  });

  it('hears the events and may log out', async () => {
    const { accessToken, send } = await backend.loginAs(role);
    const gone = new AbortController();
    const stream = await fetch(`${address}/api/v1/events`, {
      headers: { authorization: `Bearer ${accessToken}` },
      signal: gone.signal,
    });
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    gone.abort();
    const answer = await send('DELETE', '/auth/logout');
    expect(answer.status).toBe(200);
    expectRefusal('auth.permissions', await send('GET', '/auth/permissions'), 401);
    cells += 2;
  });

  it('is told exactly its rights', async () => {
    const { role: held, permissions } = (await sessionOf(role).send('GET', '/auth/permissions')).data<{
      role: string[];
      permissions: string[];
    }>();
    expect(held).toEqual([role]);
    for (const [name, { method, path, permission }] of guarded) {
      if (permission === null || permission === 'public') continue;
      expect([name, permissions.includes(permission)]).toEqual([name, mayCall(role, method, path)]);
    }
  });
});

describe('two roles in one person', () => {
  it('may do what either may', async () => {
    const both = await backend.loginAs(['maintainer', 'auditor']);
    for (const [name, endpoint] of guarded) {
      if (endpoint.stream || endpoint.permission === null) continue;
      const { method, path } = endpoint;
      const may = mayCall('maintainer', method, path) || mayCall('auditor', method, path);
      const answer = await both.send(...wrong(endpoint));
      expect([name, answer.status === 403]).toEqual([name, !may]);
    }
  });
});
