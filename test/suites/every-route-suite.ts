import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog, type Log } from '../../backend/platform/log.ts';
import { api } from '../../contract/api.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { permissionsOf, roles } from '../../contract/permissions.ts';
import type { Session, TestApp } from '../support/backend.ts';

/** The real handlers behind every route, called by each role and with every kind of nonsense. */
export function everyRouteSuite(name: string, open: (log: Log) => Promise<TestApp>): void {
  describe(`every route, on ${name},`, () => {
    let routes: readonly (readonly [string, Endpoint])[];
    const failures: string[] = [];
    let backend: TestApp;
    let root: Session;

    beforeAll(async () => {
      backend = await open(
        createLog({
          sinks: [(line) => line.includes('"level":"error"') && failures.push(line)],
          now: Date.now,
        }),
      );
      root = await backend.loginAs('superuser');
      routes = Object.entries<Endpoint>(api).filter(
        ([, { method, path, stream }]) => !stream && backend.app.hasRoute({ method, url: `/api/v1${path}` }),
      );
    });
    afterAll(() => backend.close());

    it('refuses strangers, refresh tokens and ended sessions before anything else', async () => {
      const gone = await backend.loginAs('superuser');
      await gone.send('DELETE', '/auth/logout');
      for (const [name, endpoint] of routes) {
        if (endpoint.permission === 'public') continue;
        const credentials: readonly Record<string, string>[] = [
          {},
          { authorization: `Bearer ${root.refreshToken}` },
          { authorization: `Bearer ${gone.accessToken}` },
          { cookie: `access_token_cookie=${gone.accessToken}` },
        ];
        for (const headers of credentials) {
          const answer = await backend.send(endpoint.method, pathOf(endpoint, 'abc'), undefined, headers);
          expect([name, answer.status, answer.body?.is_error]).toEqual([name, 401, true]);
        }
      }
    });

    it.each(roles)('refuses the role %s exactly where it has no right', async (role) => {
      const user = await backend.loginAs(role);
      const held = new Set<string>(permissionsOf([role]));
      for (const [name, endpoint] of routes) {
        if (name === 'auth.logout' || endpoint.permission === 'public') continue;
        const answer = await user.send(
          endpoint.method,
          pathOf(endpoint, '999999'),
          endpoint.body ? {} : undefined,
        );
        const allowed = endpoint.permission === null || held.has(endpoint.permission);
        expect([name, answer.status === 403]).toEqual([name, !allowed]);
        expect([name, answer.status < 500]).toEqual([name, true]);
      }
    });

    it('answers nonsense with the envelope and never with a failure of its own', async () => {
      const called = new Map(routes.filter(([name]) => name !== 'auth.logout'));
      const nonsense = fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.record(
          {
            ids: fc.oneof(fc.array(fc.integer()), fc.jsonValue()),
            data: fc.jsonValue(),
            name: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('a\u0000b')),
            backup_database: fc.constant('strongroom'),
            backup_user: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('a\u0000b')),
            password: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('a\u0000b')),
            pool_name: fc.string({ unit: 'binary' }),
            description: fc.oneof(fc.string({ unit: 'binary' }), fc.constant(null)),
            storage_capacity: fc.double(),
          },
          { requiredKeys: [] },
        ),
      );
      const id = fc.oneof(
        fc.integer().map(String),
        fc.string({ unit: 'binary' }).map(encodeWhole),
        fc.constantFrom('1', '0', '%00', 'tree', 'extension', 'done', 'ERROR'),
      );
      const query = fc.dictionary(
        fc.oneof(
          fc.constantFrom('page', 'limit', 'sort', 'order', 'search', 'name', 'id', '__proto__'),
          fc.string(),
        ),
        fc.oneof(
          fc.constantFrom('1', '0', '-1', 'name', 'asc', '%', "' or 1=1 --", 'null', 'a\u0000b'),
          fc.string({ unit: 'binary' }),
        ),
        { maxKeys: 2 },
      );
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...called.keys()),
          id,
          query,
          nonsense,
          async (name, object, asked, body) => {
            const endpoint: Endpoint = api[name as keyof typeof api];
            const search = Object.entries(asked).map(
              ([key, value]) => `${encodeWhole(key)}=${encodeWhole(value)}`,
            );
            const answer = await backend.app.inject({
              method: endpoint.method,
              url: `/api/v1${pathOf(endpoint, /^\.*$/.test(object) ? 'x' : object)}?${search.join('&')}`,
              headers: {
                host: '127.0.0.1',
                authorization: `Bearer ${root.accessToken}`,
                ...(endpoint.method === 'GET' ? {} : { 'content-type': 'application/json' }),
              },
              ...(endpoint.method === 'GET' ? {} : { payload: JSON.stringify(body) }),
            });
            expect([name, answer.statusCode, answer.statusCode < 500 ? '' : failures.at(-1)]).toEqual([
              name,
              answer.statusCode,
              '',
            ]);
            if (answer.statusCode === 204) return;
            const envelope = answer.json();
            expect(Object.keys(envelope).sort()).toEqual(['data', 'errors', 'is_error', 'message']);
            if (answer.statusCode >= 400) {
              expect([envelope.is_error, envelope.data, envelope.message === '']).toEqual([
                true,
                null,
                false,
              ]);
            }
          },
        ),
        { numRuns: 3_000 },
      );
    });
  });
}

const pathOf = (endpoint: Endpoint, id: string) => endpoint.path.replace(/:[a-z_]+/, id);

/** Lone surrogates have no form in an address. */
function encodeWhole(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, ''));
}
