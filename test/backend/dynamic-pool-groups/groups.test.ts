import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  DynamicPoolGroup,
  DynamicPoolMember,
} from '../../../contract/dynamic-pool-groups/dynamic-pool-group.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';

let app: TestApp;
let maintainer: Session;

beforeEach(async () => {
  app = await startTestApp({ started: true });
  maintainer = await app.loginAs('maintainer');
});
afterEach(() => app.close());

const groups = '/dynamic_pool_groups';
const members = '/dynamic_pool_groups_records';
const created = async (path: string, data: object): Promise<number> => {
  const answer = await maintainer.send('POST', path, { data });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  expect(Object.keys(answer.data<object>())).toEqual(['id']);
  return answer.data<{ id: number }>().id;
};
const serverName = async () =>
  (await maintainer.send('GET', '/media_servers')).data<{ name: string }[]>()[0]?.name ?? '';
const addPool = async (name: string, type = 'File system') =>
  created('/pools', { pool_name: name, pool_type: type, media_server: await serverName() });
const group = async (id: number) =>
  (await maintainer.send('GET', `${groups}/${id}`)).data<DynamicPoolGroup>();

describe('dynamic pool groups', () => {
  it('have no limits and a period of a minute unless told', async () => {
    const id = await created(groups, { name: 'Fast' });
    expect(await group(id)).toEqual({
      id,
      name: 'Fast',
      max_pool_tasks: 0,
      max_media_server_tasks: 0,
      max_cpu_usage: 0,
      max_in_block_operations: 0,
      max_out_block_operations: 0,
      calculation_period: 60,
      description: null,
      pools_count: 0,
    });
  });

  it('keep what was sent, flat or wrapped; a change touches only what it names, null clears', async () => {
    const sent = {
      name: 'Night',
      max_pool_tasks: 2,
      max_media_server_tasks: 4,
      max_cpu_usage: 100,
      max_in_block_operations: 500,
      max_out_block_operations: 600,
      calculation_period: 3600,
      description: 'at night',
    };
    const flat = await maintainer.send('POST', groups, sent);
    const { id } = flat.data<{ id: number }>();
    expect(await group(id)).toMatchObject(sent);
    const answer = await maintainer.send('PATCH', `${groups}/${id}`, {
      data: { max_cpu_usage: null, calculation_period: null, description: null, max_pool_tasks: 3 },
    });
    expect(answer.status).toBe(200);
    const after = { ...sent, max_cpu_usage: 0, calculation_period: 60, description: null, max_pool_tasks: 3 };
    expect(answer.data()).toEqual({ id, ...after, pools_count: 0 });
  });

  it.each([
    ['name', {}],
    ['name', { name: '' }],
    ['name', { name: 'TAKEN' }],
    ['max_pool_tasks', { name: 'x', max_pool_tasks: -1 }],
    ['max_media_server_tasks', { name: 'x', max_media_server_tasks: 1.5 }],
    ['max_cpu_usage', { name: 'x', max_cpu_usage: 101 }],
    ['max_in_block_operations', { name: 'x', max_in_block_operations: '5' }],
    ['max_out_block_operations', { name: 'x', max_out_block_operations: -5 }],
    ['calculation_period', { name: 'x', calculation_period: 0 }],
    ['calculation_period', { name: 'x', calculation_period: 3601 }],
    ['pools', { name: 'x', pools: [] }],
  ])('are refused for a wrong %s', async (field, data) => {
    await created(groups, { name: 'Taken' });
    const answer = await maintainer.send('POST', groups, { data });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveProperty(field);
    expect((await maintainer.send('GET', groups)).data<unknown[]>()).toHaveLength(1);
  });

  it('may keep their name, but not take that of another', async () => {
    const id = await created(groups, { name: 'One' });
    await created(groups, { name: 'Two' });
    expect((await maintainer.send('PATCH', `${groups}/${id}`, { name: 'One' })).status).toBe(200);
    const taken = await maintainer.send('PATCH', `${groups}/${id}`, { name: 'Two' });
    expect([taken.status, Object.keys(taken.body.errors)]).toEqual([400, ['name']]);
    expect((await maintainer.send('PATCH', `${groups}/999`, { name: 'Three' })).status).toBe(404);
  });

  it('go all or not at all, with their memberships, and leave the pools', async () => {
    const pool = await addPool('A');
    const first = await created(groups, { name: 'One' });
    const second = await created(groups, { name: 'Two' });
    const member = await created(members, { dynamic_pool_group: first, pool: 'A' });
    expect((await maintainer.send('DELETE', groups, { ids: [first, 999] })).status).toBe(404);
    expect(await group(first)).toMatchObject({ pools_count: 1 });
    const gone = await maintainer.send('DELETE', groups, { ids: [second, first] });
    expect([gone.status, gone.data()]).toEqual([200, { ids: [second, first] }]);
    expect((await maintainer.send('GET', `${members}/${member}`)).status).toBe(404);
    expect((await maintainer.send('GET', `/pools/${pool}`)).status).toBe(200);
    expect((await maintainer.send('DELETE', `${groups}/${first}`)).status).toBe(404);
  });
});

describe('pools in dynamic groups', () => {
  it('show group, media server and active tasks', async () => {
    const pool = await addPool('A');
    const id = await created(groups, { name: 'Fast' });
    const member = await created(members, { dynamic_pool_group: id, pool: 'A' });
    const answer = await maintainer.send('GET', `${members}/${member}`);
    expect([answer.status, answer.data<DynamicPoolMember>()]).toEqual([
      200,
      {
        id: member,
        dynamic_pool_group: id,
        dynamic_pool_group_name: 'Fast',
        pool: 'A',
        pool_id: pool,
        media_server: await serverName(),
        enabled: true,
        active_tasks: 0,
      },
    ]);
    const off = await created(members, { dynamic_pool_group: id, pool: 'Default', enabled: false });
    const found = await maintainer.send('GET', `${members}?enabled=false&dynamic_pool_group=${id}`);
    expect(found.data<DynamicPoolMember[]>().map((row) => row.id)).toEqual([off]);
    expect(await group(id)).toMatchObject({ pools_count: 2 });
  });

  it.each([
    ['dynamic_pool_group', { dynamic_pool_group: 999, pool: 'A' }],
    ['pool', { pool: 'nowhere' }],
    ['pool', { pool: 'Elsewhere' }],
    ['pool', { pool: 'Tapes' }],
    ['pool', {}],
    ['enabled', { pool: 'A', enabled: 'yes' }],
    ['weight', { pool: 'A', weight: 1 }],
  ])('are refused with the reason at %s', async (field, more) => {
    await addPool('A');
    await addPool('Elsewhere');
    await addPool('Tapes', 'Tape library');
    const one = await created(groups, { name: 'One' });
    const two = await created(groups, { name: 'Two' });
    await created(members, { dynamic_pool_group: one, pool: 'Elsewhere' });
    await created(members, { dynamic_pool_group: two, pool: 'Default' });
    const answer = await maintainer.send('POST', members, { data: { dynamic_pool_group: two, ...more } });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveProperty(field);
  });

  it('leave a group alone or together; a pool that is deleted leaves by itself', async () => {
    const id = await created(groups, { name: 'Fast' });
    const ids: number[] = [];
    for (const name of ['A', 'B', 'C']) {
      await addPool(name);
      ids.push(await created(members, { dynamic_pool_group: id, pool: name }));
    }
    expect((await maintainer.send('DELETE', members, { ids: [ids[0], 999] })).status).toBe(404);
    const one = await maintainer.send('DELETE', `${members}/${ids[0]}`);
    expect([one.status, one.data()]).toEqual([200, { ids: [ids[0]] }]);
    const pools = (await maintainer.send('GET', '/pools?pool_name=B')).data<{ id: number }[]>();
    expect((await maintainer.send('DELETE', '/pools', { ids: [pools[0]?.id] })).status).toBe(204);
    expect(
      (await maintainer.send('GET', members)).data<DynamicPoolMember[]>().map((row) => row.pool),
    ).toEqual(['C']);
    expect((await maintainer.send('DELETE', members, { ids: [ids[2]] })).status).toBe(200);
    expect(await group(id)).toMatchObject({ pools_count: 0 });
    // Out of its group, a pool may join another.
    await created(members, { dynamic_pool_group: await created(groups, { name: 'Other' }), pool: 'C' });
  });

  it('cannot be changed, and administrators and auditors may only look', async () => {
    const id = await created(groups, { name: 'Fast' });
    const member = await created(members, { dynamic_pool_group: id, pool: 'Default' });
    expect((await maintainer.send('PATCH', `${members}/${member}`, { enabled: false })).status).toBe(404);
    for (const role of ['administrator', 'auditor'] as const) {
      const other = await app.loginAs(role);
      expect((await other.send('GET', members)).status).toBe(200);
      expect((await other.send('GET', `${groups}/${id}`)).status).toBe(200);
      expect((await other.send('POST', groups, { name: 'Mine' })).status).toBe(403);
      expect((await other.send('PATCH', `${groups}/999`, { name: 'Mine' })).status).toBe(403);
      expect((await other.send('DELETE', `${members}/${member}`)).status).toBe(403);
    }
  });
});
