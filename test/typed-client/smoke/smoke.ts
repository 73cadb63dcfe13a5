import createClient from 'openapi-fetch';
import type { components, paths } from './api-types.ts';

// A caller who knows the API's description only. The types come from a public generator; typed-client.test.ts compiles
// this file with them and runs it against a backend: node smoke.ts <url>, the password in SMOKE_PASSWORD.
const [url = ''] = process.argv.slice(2);
const password = process.env.SMOKE_PASSWORD ?? '';

type Pool = components['schemas']['Pool'];
type Problem = components['schemas']['Problem'];

function expected<T>(what: string, value: T | undefined | null): T {
  if (value === undefined || value === null) throw new Error(`${what} is missing`);
  return value;
}

function check(what: string, isRight: boolean): void {
  if (!isRight) throw new Error(`${what} is wrong`);
  process.stdout.write(`${what}\n`);
}

function reasonOf(problem: Pick<Problem, 'errors'> | undefined, field: string): string {
  return expected(`errors.${field}`, expected('a problem', problem).errors[field]);
}

const stranger = createClient<paths>({ baseUrl: url });
const login = await stranger.POST('/auth/login', {
  body: { backup_database: 'strongroom', backup_user: 'admin', password },
});
const session: components['schemas']['Session'] = expected('login', login.data).data;
check('login: 200 with a role', login.response.status === 200 && session.role.includes('superuser'));

const denied = await stranger.GET('/pools');
check('401 without a token', denied.response.status === 401 && denied.error?.is_error === true);

const client = createClient<paths>({
  baseUrl: url,
  headers: { Authorization: `Bearer ${session.access_token}` },
});

const listed = await client.GET('/pools', { params: { query: { page: 1, limit: 5, sort: 'pool_name' } } });
const pools: Pool[] = expected('pools', listed.data).data;
check(
  'list: 200 with its total',
  pools.some(({ pool_name }) => pool_name === 'Default') &&
    listed.response.headers.get('X-Total-Count') !== null,
);
const filtered = await client.GET('/pools', { params: { query: { pool_name: 'Default' } } });
check('list: filtered by a field', expected('filtered', filtered.data).data.length === 1);

const mediaServer = expected('a pool', pools[0]).media_server;
const created = await client.POST('/pools', {
  body: { pool_name: 'Typed', pool_type: 'File system', media_server: mediaServer, compression_type: 'Fast' },
});
const id: number = expected('created', created.data).data.id;
check('create: 201 with the id', created.response.status === 201 && id > 0);

const wrapped = await client.POST('/pools', {
  body: { data: { pool_name: 'Wrapped', pool_type: 'File system', media_server: mediaServer } },
});
check('create: a wrapped body', wrapped.response.status === 201);

const one = await client.GET('/pools/{id}', { params: { path: { id } } });
check('get: 200 with the record', expected('one', one.data).data.compression_type === 'Fast');

const patched = await client.PATCH('/pools/{id}', {
  params: { path: { id } },
  body: { description: 'typed', retention_period: '2 weeks' },
});
const after = expected('patched', patched.data).data;
check('patch: 200 with the record', after.description === 'typed' && after.retention_period === '2 weeks');

const bad = await client.POST('/pools', {
  body: { pool_name: '', pool_type: 'File system', media_server: mediaServer },
});
check('400 names the field', bad.response.status === 400 && reasonOf(bad.error, 'pool_name') !== '');

const missing = await client.GET('/pools/{id}', { params: { path: { id: 999_999 } } });
check('404 for an unknown id', missing.response.status === 404 && missing.error?.is_error === true);

const defaultId = expected(
  'Default',
  pools.find(({ pool_name }) => pool_name === 'Default'),
).id;
const partly = await client.DELETE('/pools', { body: { ids: [id, defaultId] } });
check(
  'delete: 207 tells what failed',
  partly.response.status === 207 && expected('207', partly.data).data.failed[0]?.id === defaultId,
);

const rest = await client.DELETE('/pools', { body: { ids: [expected('wrapped', wrapped.data).data.id] } });
check('delete: 204 without a body', rest.response.status === 204 && rest.data === undefined);

const out = await client.DELETE('/auth/logout');
check('logout: 200', out.response.status === 200);
