import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client, ClientTree } from '../../../contract/clients/client.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { rowsOf } from './rows.ts';

let app: TestApp;
let superuser: Session;
let rows: ReturnType<typeof rowsOf>;

beforeEach(async () => {
  app = await startTestApp({ started: true });
  rows = rowsOf(app.database.db);
  superuser = await app.loginAs('superuser');
});
afterEach(() => app.close());

const makeGroup = async (name: string, shared = false): Promise<number> => {
  const answer = await superuser.send('POST', '/client_groups', { data: { name, shared } });
  expect(answer.status).toBe(201);
  return answer.data<{ id: number }>().id;
};

describe('the host that the server runs on', () => {
  it('is an authorized client from the start', async () => {
    const [client] = (await superuser.send('GET', '/clients')).data<Client[]>();
    expect(client).toMatchObject({
      hostname: hostname(),
      os_type: 'linux',
      online: true,
      group_id: 'No group',
      group_shared: false,
      ls_pool: 'Default',
      modules: expect.arrayContaining(['File system', 'Block device']),
      storage_capacity: 0,
      storage_used: 0,
    });
    expect(client?.hwid).toMatch(/^[0-9a-f]{16}$/);
    expect(client?.client_name).toBe(`${client?.hostname} (${client?.hwid})`);
    expect(client?.ipv4 ?? client?.ipv6).toBeTruthy();
  });

  it('waits for an administrator when it was deleted and the server starts again', async () => {
    const [client] = (await superuser.send('GET', '/clients')).data<Client[]>();
    const id = client?.id ?? 0;
    const deleted = await superuser.send('DELETE', '/clients', { ids: [id] });
    expect(deleted).toMatchObject({ status: 200, body: { data: { ids: [id] } } });
    await app.built.start();
    expect((await superuser.send('GET', '/clients')).data()).toEqual([]);
    const [waiting] = (await superuser.send('GET', '/clients/unauthorized')).data<Client[]>();
    expect(waiting?.hwid).toBe(client?.hwid);
    const authorized = await superuser.send('POST', `/clients/${waiting?.id}/authorize`);
    expect(authorized).toMatchObject({ status: 200, body: { data: { id: waiting?.id } } });
    expect((await superuser.send('GET', '/clients')).data<Client[]>()).toHaveLength(1);
  });
});

describe('lists of clients', () => {
  it('show authorized clients only, sorted, searched, filtered and paged', async () => {
    await rows.client({ hostname: 'alpha' });
    await rows.client({ hostname: 'beta_1' });
    await rows.client({ hostname: 'betaX1' });
    await rows.client({ hostname: 'waiting', authorized: false });
    const names = async (query: string) =>
      (await superuser.send('GET', `/clients?${query}`)).data<Client[]>().map((client) => client.hostname);
    expect(await names('sort=hostname&order=desc&search=beta')).toEqual(['beta_1', 'betaX1']);
    expect(await names('search=beta_1')).toEqual(['beta_1']);
    expect(await names('hostname=alpha')).toEqual(['alpha']);
    expect(await names('online=false&sort=hostname')).toEqual(['alpha', 'betaX1', 'beta_1']);
    const page = await superuser.send('GET', '/clients?page=2&limit=3&sort=id');
    expect(page.headers['x-total-count']).toBe('4');
    expect(page.data<Client[]>()).toHaveLength(1);
  });

  it.each(['sort=nothing', 'nothing=1', 'limit=501', 'page=0', 'order=up', 'online=maybe'])(
    'refuse %s and name the field',
    async (query) => {
      const answer = await superuser.send('GET', `/clients?${query}`);
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.body.errors)).toEqual([query.split('=')[0]]);
    },
  );

  it('count what the copies of a client take', async () => {
    const id = await rows.client();
    await rows.copy({ clientId: id, realSize: 30 });
    await rows.copy({ clientId: id, realSize: 12 });
    expect((await superuser.send('GET', `/clients/${id}`)).data<Client>().storage_used).toBe(42);
  });

  it('tell who was heard of lately', async () => {
    const id = await rows.client({ lastActivityMs: Date.now() });
    expect((await superuser.send('GET', `/clients/${id}`)).data<Client>().online).toBe(true);
  });
});

describe('one client', () => {
  it('is not found when it does not exist, waits, or the id is none', async () => {
    const waiting = await rows.client({ authorized: false });
    for (const id of [4711, waiting, 'abc', '0x1']) {
      const answer = await superuser.send('GET', `/clients/${id}`);
      expect(answer.status).toBe(404);
      expect(answer.body.is_error).toBe(true);
    }
  });

  it('changes only in the fields that were sent', async () => {
    await makeGroup('Servers', true);
    const all = {
      group_id: 'Servers',
      lsf_flag: true,
      ls_pool: 'Default',
      lrl_flag: true,
      storage_capacity: 100,
      description: 'the first',
      client_side_backup: true,
      client_side_restore: true,
    };
    const changed = await superuser.send('PATCH', '/clients/1', all);
    expect(changed.status).toBe(200);
    expect(changed.data()).toMatchObject({ ...all, group_shared: true });
    const wrapped = await superuser.send('PATCH', '/clients/1', { data: { lsf_flag: false } });
    expect(wrapped.data()).toMatchObject({ ...all, lsf_flag: false });
  });

  it('goes back to defaults where null is sent', async () => {
    await makeGroup('Servers');
    await superuser.send('PATCH', '/clients/1', {
      group_id: 'Servers',
      storage_capacity: 5,
      description: 'x',
    });
    const cleared = await superuser.send('PATCH', '/clients/1', {
      group_id: null,
      ls_pool: null,
      storage_capacity: null,
      description: null,
    });
    expect(cleared.data()).toMatchObject({
      group_id: 'No group',
      ls_pool: 'Default',
      storage_capacity: 0,
      description: null,
    });
  });

  it.each([
    ['group_id', 'Nobody'],
    ['group_id', 1],
    ['ls_pool', 'No such pool'],
    ['lsf_flag', 'yes'],
    ['storage_capacity', -1],
    ['storage_capacity', 1.5],
    ['description', 7],
    ['hostname', 'other'],
    ['__proto__x', 1],
  ])('refuses %s = %j, names the field and changes nothing', async (field, value) => {
    const before = (await superuser.send('GET', '/clients/1')).data<Client>();
    const answer = await superuser.send('PATCH', '/clients/1', { description: 'changed', [field]: value });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveProperty([field]);
    const after = (await superuser.send('GET', '/clients/1')).data<Client>();
    expect(after).toEqual({ ...before, last_activity: after.last_activity });
  });

  it('is not changed when it does not exist', async () => {
    expect((await superuser.send('PATCH', '/clients/99', { lsf_flag: true })).status).toBe(404);
  });
});

describe('deleting clients', () => {
  it('removes none when one is unknown', async () => {
    const id = await rows.client();
    const answer = await superuser.send('DELETE', '/clients', { ids: [id, 4711] });
    expect(answer.status).toBe(404);
    expect(answer.body.errors.ids).toContain('4711');
    expect((await superuser.send('GET', `/clients/${id}`)).status).toBe(200);
  });

  it('removes none while one has an active task', async () => {
    const free = await rows.client();
    const busy = await rows.client();
    await rows.task({ status: 'suspended', clientId: busy });
    expect((await superuser.send('DELETE', '/clients', { ids: [free, busy] })).status).toBe(400);
    expect((await superuser.send('GET', `/clients/${free}`)).status).toBe(200);
  });

  it('keeps the copies, without their client', async () => {
    const id = await rows.client();
    await rows.task({ status: 'done', clientId: id });
    const copy = await rows.copy({ clientId: id });
    expect((await superuser.send('DELETE', '/clients', { ids: [id, id] })).data()).toEqual({ ids: [id] });
    const row = await app.database.db
      .selectFrom('copies')
      .select('client_id')
      .where('id', '=', copy)
      .executeTakeFirst();
    expect(row).toEqual({ client_id: null });
  });

  it.each([{}, { ids: [] }, { ids: 'all' }, { ids: [1], force: true }, { ids: ['1'] }])(
    'refuses the body %j',
    async (body) => expect((await superuser.send('DELETE', '/clients', body)).status).toBe(400),
  );
});

describe('waiting clients', () => {
  it('cannot be authorized twice, and unknown ones not at all', async () => {
    const id = await rows.client({ authorized: false });
    expect((await superuser.send('POST', `/clients/${id}/authorize`)).status).toBe(200);
    expect((await superuser.send('POST', `/clients/${id}/authorize`)).status).toBe(400);
    expect((await superuser.send('POST', '/clients/4711/authorize')).status).toBe(404);
  });
});

describe('the tree of clients', () => {
  const tree = (data: unknown, by: Session = superuser) => by.send('POST', '/clients/tree', { data });

  it('expands the groups that are listed, page by page', async () => {
    const servers = await makeGroup('Servers', true);
    for (const name of ['s1', 's2', 's3']) await rows.client({ hostname: name, groupId: servers });
    const answer = await tree({ clients: [{ client_group_id: servers, clients_page: 2, clients_limit: 2 }] });
    expect(answer.status).toBe(200);
    const data = answer.data<ClientTree>();
    expect(data).toMatchObject({ total: 2, page: 1, limit: 20 });
    expect(data.client_groups.map(({ name, clients_total }) => [name, clients_total])).toEqual([
      ['No group', 1],
      ['Servers', 3],
    ]);
    expect(data.client_groups[0]?.clients).toEqual([]);
    expect(data.client_groups[1]?.clients.map(({ hostname: name }) => name)).toEqual(['s3']);
    expect(data.client_groups[1]?.shared).toBe(true);
  });

  it('pages the groups', async () => {
    await makeGroup('A');
    await makeGroup('Z');
    const data = (await tree({ client_groups_page: 2, client_groups_limit: 2 })).data<ClientTree>();
    expect(data).toMatchObject({ total: 3, page: 2, limit: 2 });
    expect(data.client_groups.map(({ name }) => name)).toEqual(['Z']);
  });

  it('keeps the groups with a matching host name, in any case', async () => {
    const servers = await makeGroup('Servers');
    await rows.client({ hostname: 'Web-01', groupId: servers });
    await rows.client({ hostname: 'db-01', groupId: servers });
    const data = (
      await tree({
        filter_clients_hostname: 'wEB-',
        clients: [{ client_group_id: servers, clients_page: 1 }],
      })
    ).data<ClientTree>();
    expect(data.client_groups).toHaveLength(1);
    expect(data.client_groups[0]).toMatchObject({ name: 'Servers', clients_total: 1 });
    expect(data.client_groups[0]?.clients.map(({ hostname: name }) => name)).toEqual(['Web-01']);
  });

  it('is not found for an unknown group, or when no client matches', async () => {
    expect((await tree({ clients: [{ client_group_id: 99, clients_page: 1 }] })).status).toBe(404);
    expect((await tree({ filter_clients_hostname: 'nobody%' })).status).toBe(404);
  });

  it.each([
    [{ clients: [{ client_group_id: 1 }] }, 'clients_page'],
    [{ clients: [{ clients_page: 1 }] }, 'client_group_id'],
    [{ clients: {} }, 'clients'],
    [{ client_groups_page: 0 }, 'client_groups_page'],
    [{ client_groups_limit: 501 }, 'client_groups_limit'],
    [{ filter_clients_hostname: 5 }, 'filter_clients_hostname'],
    [{ other: 1 }, 'other'],
  ])('refuses %j', async (data, field) => {
    const answer = await tree(data);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveProperty([field]);
  });

  it('can be read by whoever may read clients', async () => {
    expect((await tree({}, await app.loginAs('auditor'))).status).toBe(200);
  });
});

describe('an administrator with client groups of his own', () => {
  it('sees and changes the clients of these groups only', async () => {
    const own = await makeGroup('Own');
    const other = await makeGroup('Other');
    const mine = await rows.client({ groupId: own });
    const foreign = await rows.client({ groupId: other });
    const foreignWaiting = await rows.client({ groupId: other, authorized: false });
    const by = await app.loginAs('administrator', { clientGroupIds: [own] });
    expect((await by.send('GET', '/clients')).data<Client[]>().map(({ id }) => id)).toEqual([mine]);
    expect((await by.send('GET', '/clients/unauthorized')).data()).toEqual([]);
    expect((await by.send('GET', `/clients/${foreign}`)).status).toBe(404);
    expect((await by.send('PATCH', `/clients/${foreign}`, { lsf_flag: true })).status).toBe(404);
    expect((await by.send('POST', `/clients/${foreignWaiting}/authorize`)).status).toBe(404);
    expect((await by.send('PATCH', `/clients/${mine}`, { lsf_flag: true })).status).toBe(200);
    const away = await by.send('PATCH', `/clients/${mine}`, { group_id: 'Other' });
    expect(away.body.errors).toHaveProperty('group_id');
    const tree = (await by.send('POST', '/clients/tree', {})).data<ClientTree>();
    expect(tree.client_groups.map(({ id }) => id)).toEqual([own]);
    const asked = { clients: [{ client_group_id: other, clients_page: 1 }] };
    expect((await by.send('POST', '/clients/tree', asked)).status).toBe(404);
    const groups = (await by.send('GET', '/client_groups')).data<{ id: number }[]>();
    expect(groups.map(({ id }) => id)).toEqual([own]);
    expect((await by.send('GET', `/client_groups/${other}`)).status).toBe(404);
    expect((await by.send('DELETE', '/clients', { ids: [mine] })).status).toBe(403);
  });
});

describe('client groups', () => {
  it('are made, read, changed and removed', async () => {
    const id = await makeGroup('Servers');
    expect((await superuser.send('GET', `/client_groups/${id}`)).data()).toEqual({
      id,
      name: 'Servers',
      shared: false,
      clients_total: 0,
    });
    const changed = await superuser.send('PATCH', `/client_groups/${id}`, {
      data: { name: 'SERVERS', shared: true },
    });
    expect(changed).toMatchObject({ status: 200, body: { data: { name: 'SERVERS', shared: true } } });
    expect((await superuser.send('DELETE', `/client_groups/${id}`)).data()).toEqual({ ids: [id] });
    expect((await superuser.send('GET', `/client_groups/${id}`)).status).toBe(404);
    expect((await superuser.send('PATCH', `/client_groups/${id}`, { shared: true })).status).toBe(404);
    expect((await superuser.send('DELETE', `/client_groups/${id}`)).status).toBe(404);
  });

  it('have names of their own, whatever the case', async () => {
    const id = await makeGroup('Ünits');
    for (const name of ['ünits', 'ÜNITS', 'no GROUP']) {
      const answer = await superuser.send('POST', '/client_groups', { data: { name } });
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toHaveProperty('name');
    }
    expect((await superuser.send('PATCH', `/client_groups/${id}`, { name: 'No group' })).status).toBe(400);
  });

  it('stay while they have clients, waiting ones too; the default one always', async () => {
    const id = await makeGroup('Servers');
    const empty = await makeGroup('Empty');
    await rows.client({ groupId: id, authorized: false });
    const answer = await superuser.send('DELETE', '/client_groups', { ids: [empty, id] });
    expect(answer.status).toBe(400);
    expect((await superuser.send('GET', `/client_groups/${empty}`)).status).toBe(200);
    expect((await superuser.send('DELETE', '/client_groups', { ids: [1] })).status).toBe(400);
    expect((await superuser.send('PATCH', '/client_groups/1', { name: 'Other' })).status).toBe(400);
    expect(
      (await superuser.send('PATCH', '/client_groups/1', { name: 'No group', shared: true })).status,
    ).toBe(200);
  });

  it('stay while a user is limited to them, since without any group all clients would be seen', async () => {
    const id = await makeGroup('Own');
    await app.loginAs('administrator', { clientGroupIds: [id] });
    expect((await superuser.send('DELETE', `/client_groups/${id}`)).status).toBe(400);
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: ' a' }, 'name'],
    [{ name: 'a', shared: 'yes' }, 'shared'],
    [{ name: 'a', id: 4 }, 'id'],
  ])('refuse %j', async (data, field) => {
    const answer = await superuser.send('POST', '/client_groups', { data });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveProperty(field);
  });
});
