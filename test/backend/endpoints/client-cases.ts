import { expect } from 'vitest';
import { rowsOf } from '../features/rows.ts';
import { nobody, type Stage } from './stage.ts';

export async function clientCases({ probe, app, client }: Stage): Promise<void> {
  const away = await rowsOf(app.database.db).client({ hostname: 'leaves-soon' });
  const list = await probe.see(200, 'GET /clients', { query: { page: '1', limit: '1' } });
  expect([list.headers['x-total-count'], list.headers.link]).toEqual([
    '2',
    expect.stringContaining('rel="next"'),
  ]);
  const one = await probe.see(200, 'GET /clients/{client_id}', { id: away });
  expect(one.data()).toMatchObject({ id: away, hostname: 'leaves-soon' });

  const tree = await probe.see(200, 'POST /clients/tree', {
    body: { data: { clients: [{ client_group_id: 1, clients_page: 1 }], client_groups_page: 1 } },
  });
  expect(JSON.stringify(tree.data())).toContain(client);
  await probe.see(404, 'POST /clients/tree', {
    body: { data: { clients: [{ client_group_id: nobody, clients_page: 1 }] } },
  });
  await probe.see(404, 'POST /clients/tree', {
    body: { data: { clients: [], filter_clients_hostname: 'no such host' } },
  });

  const path = '/clients/{client_id}';
  const changed = await probe.see(200, `PATCH ${path}`, {
    id: away,
    body: { description: 'on the shelf', storage_capacity: 5, group_id: 'No group' },
  });
  expect(changed.data()).toMatchObject({ description: 'on the shelf', storage_capacity: 5 });
  await probe.see(400, `PATCH ${path}`, { id: away, body: { storage_capacity: -1 } });
  await probe.see(400, `PATCH ${path}`, { id: away, body: { ls_pool: 'no such pool' } });
  await probe.see(404, `PATCH ${path}`, { id: nobody, body: { description: 'x' } });
  await probe.see(404, 'DELETE /clients', { body: { ids: [away, nobody] } });
  await probe.see(200, 'DELETE /clients', { body: { ids: [away] } });
}

export async function strategyRuleCases({ probe, client, source }: Stage): Promise<void> {
  const path = '/strategy_rules';
  const rule = {
    strategy_rule: {
      client_id: client,
      strategy_id: 'Default',
      resource_type: 'File system',
      resource: source,
      priority: 200,
    },
    module_extensions: { parameters: { snapshot_size: 20 } },
    common_modules_extensions: { parameters: { worker_parallelism: 4 } },
  };
  const other = { ...rule, strategy_rule: { ...rule.strategy_rule, resource: `${source}/letters` } };
  const first = await probe.create(`POST ${path}`, { data: rule });
  const second = await probe.create(`POST ${path}`, other);
  expect((await probe.see(200, `GET ${path}`)).data()).toHaveLength(2);
  const one = await probe.see(200, `GET ${path}/{id}`, { id: first });
  expect(one.data()).toMatchObject({ id: first, client_id: client, strategy_id: 'Default', priority: 200 });
  await probe.see(404, `GET ${path}/{id}`, { id: nobody });

  await probe.see(200, `GET ${path}/extension`, { query: { resource_type: 'File system' } });
  const query = { resource_type: 'File system', rule_id: String(first) };
  for (const row of [`GET ${path}/extension`, 'GET /task_queue/extension'] as const) {
    const extension = await probe.see(200, row, { query });
    const { module_extensions: parameters } = extension.data<{
      module_extensions: { name: string; value: unknown; default: unknown }[];
    }>();
    const size = parameters.find(({ name }) => name === 'snapshot_size');
    expect([size?.value, size?.default]).toEqual([20, 10]);
  }

  const patch = { data: { strategy_rule: { priority: 300 } } };
  expect((await probe.see(200, `PATCH ${path}/{id}`, { id: first, body: patch })).data()).toMatchObject({
    priority: 300,
    resource: source,
  });
  const wrong = { data: { strategy_rule: { priority: 99 } } };
  const refused = await probe.see(400, `PATCH ${path}/{id}`, { id: first, body: wrong });
  expect(Object.keys(refused.body.errors)).toEqual(['priority']);
  await probe.see(404, `PATCH ${path}/{id}`, { id: nobody, body: patch });

  await probe.see(404, `DELETE ${path}`, { body: { ids: [first, nobody] } });
  expect((await probe.see(200, `DELETE ${path}`, { body: { ids: [first] } })).data()).toEqual({
    ids: [first],
  });
  await probe.see(200, `DELETE ${path}/{id}`, { id: second });
  await probe.see(404, `DELETE ${path}/{id}`, { id: second });
}

export async function bandwidthCases({ probe, client }: Stage): Promise<void> {
  const path = '/client_bandwidth';
  const night = {
    client,
    backup_bandwidth: 100,
    restore_bandwidth: 0,
    window_start: '22:00:00',
    window_end: '06:00:00',
  };
  const day = { ...night, window_start: '06:00:00', window_end: '22:00:00' };
  const first = await probe.create(`POST ${path}`, { data: night });
  const second = await probe.create(`POST ${path}`, { data: day });
  expect((await probe.see(200, `GET ${path}`)).data()).toHaveLength(2);
  const one = await probe.see(200, `GET ${path}/{id}`, { id: first });
  expect(one.data()).toMatchObject({ id: first, ...night });
  const body = { data: { id: first, backup_bandwidth: 50 } };
  expect((await probe.see(200, `PATCH ${path}/{id}`, { id: first, body })).data()).toMatchObject({
    backup_bandwidth: 50,
    window_start: '22:00:00',
  });
  await probe.see(400, `PATCH ${path}/{id}`, { id: first, body: { data: { id: second } } });
  await probe.see(400, `PATCH ${path}/{id}`, { id: first, body: { data: { window_start: '24:00:00' } } });
  await probe.see(404, `PATCH ${path}/{id}`, { id: nobody, body: { data: { backup_bandwidth: 1 } } });
  await probe.see(404, `DELETE ${path}`, { body: { ids: [first, nobody] } });
  await probe.see(200, `DELETE ${path}`, { body: { ids: [first] } });
  await probe.see(200, `DELETE ${path}/{id}`, { id: second });
  await probe.see(404, `DELETE ${path}/{id}`, { id: second });
}
