import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StrategyRule } from '../../../contract/strategy-rules/strategy-rule.ts';
import type { ExtensionParameter } from '../../../contract/tasks/module-parameters.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { rowsOf } from '../features/rows.ts';

let app: TestApp;
let superuser: Session;
let client: { readonly id: number; readonly client_name: string; readonly hwid: string };

beforeEach(async () => {
  app = await startTestApp({ started: true });
  superuser = await app.loginAs('superuser');
  const [local] = (await superuser.send('GET', '/clients')).data<(typeof client)[]>();
  if (!local) throw new Error('no local client');
  client = local;
});
afterEach(() => app.close());

const draft = (rule: object = {}, more: object = {}) => ({
  strategy_rule: {
    client_id: client.client_name,
    strategy_id: 'Default',
    resource_type: 'File system',
    resource: '/srv',
    ...rule,
  },
  ...more,
});
const make = async (rule: object = {}, more: object = {}): Promise<number> => {
  const answer = await superuser.send('POST', '/strategy_rules', { data: draft(rule, more) });
  expect(answer.body.errors).toEqual({});
  expect(answer.status).toBe(201);
  return answer.data<{ id: number }>().id;
};
const get = async (id: number) => (await superuser.send('GET', `/strategy_rules/${id}`)).data<StrategyRule>();
const change = (id: number, body: object) => superuser.send('PATCH', `/strategy_rules/${id}`, { data: body });

describe('a strategy rule', () => {
  it('is answered with its client, its strategy and every parameter', async () => {
    const id = await make(
      { priority: 200, normal_execution_script: '/opt/after', restore_script: '' },
      { module_extensions: { parameters: { snapshot_size: 20 } } },
    );
    const rule = await get(id);
    expect(rule).toMatchObject({
      client_id: client.client_name,
      client_hwid: client.hwid,
      strategy_id: 'Default',
      strategy_name: 'Default',
      resource_type: 'File system',
      resource: '/srv',
      priority: 200,
      status: 'run',
      normal_execution_script: '/opt/after',
      exception_execution_script: '',
      restore_script: '',
    });
    expect(rule.module_extensions.parameters).toMatchObject({ snapshot_size: 20, file_list: true });
    expect(rule.common_modules_extensions.parameters).toMatchObject({ worker_parallelism: 8 });
  });

  it('without a client or a strategy waits, and runs as soon as it has both', async () => {
    const id = await make({ client_id: undefined, status: 'run' });
    expect((await get(id)).status).toBe('wait');
    await change(id, { strategy_rule: { client_id: client.client_name } });
    expect((await get(id)).status).toBe('run');
    await change(id, { strategy_rule: { strategy_id: null } });
    expect(await get(id)).toMatchObject({ status: 'wait', strategy_id: null, client_id: client.client_name });
  });

  it('that somebody stopped stays stopped', async () => {
    const id = await make({ status: 'wait' });
    await change(id, { strategy_rule: { priority: 300 } });
    expect(await get(id)).toMatchObject({ status: 'wait', priority: 300 });
  });

  it('changes only what is sent: parameters too', async () => {
    const id = await make(
      {},
      { common_modules_extensions: { parameters: { worker_parallelism: 3, memory_threshold: 4 } } },
    );
    await change(id, {
      common_modules_extensions: { parameters: { memory_threshold: 2, deny_memory_exceed: true } },
    });
    expect((await get(id)).common_modules_extensions.parameters).toMatchObject({
      worker_parallelism: 3,
      memory_threshold: 2,
      deny_memory_exceed: true,
    });
    const refused = await change(id, {
      common_modules_extensions: { parameters: { memory_threshold: null } },
    });
    expect(refused.body.errors).toHaveProperty('deny_memory_exceed');
  });

  it.each([
    ['client_id', 'nobody (0123456789abcdef)', 'there is no client'],
    ['client_id', 'nobody', '16 hexadecimal digits'],
    ['strategy_id', 'Hourly', 'no strategy named'],
    ['resource_type', 'Punch cards', 'File system'],
    ['resource_type', undefined, 'is required'],
    ['resource', undefined, 'is required'],
    ['resource', 'srv', 'absolute'],
    ['priority', 1001, '1000'],
    ['restore_script', 'script.sh', 'absolute'],
    ['status', 'sleep', '`run` or `wait`'],
    ['colour', 'red', 'not a field'],
  ])('is refused with %s = %j', async (field, value, reason) => {
    const answer = await superuser.send('POST', '/strategy_rules', draft({ [field]: value }));
    expect(answer.status).toBe(400);
    expect(answer.body.errors[field]).toContain(reason);
  });

  it('is deleted alone, together with others, and with its client', async () => {
    const [first, second, third] = [await make(), await make(), await make()];
    expect((await superuser.send('DELETE', '/strategy_rules', { ids: [first, 999] })).status).toBe(404);
    const gone = await superuser.send('DELETE', '/strategy_rules', { ids: [first, first] });
    expect(gone).toMatchObject({ status: 200, body: { data: { ids: [first] } } });
    expect((await superuser.send('DELETE', `/strategy_rules/${second}`)).status).toBe(200);
    expect((await superuser.send('DELETE', `/strategy_rules/${second}`)).status).toBe(404);
    expect((await superuser.send('DELETE', '/clients', { ids: [client.id] })).status).toBe(200);
    expect((await superuser.send('GET', `/strategy_rules/${third}`)).status).toBe(404);
  });
});

it('an administrator of own groups sees and makes rules of their clients only', async () => {
  const group = await superuser.send('POST', '/client_groups', { name: 'Mine' });
  const mine = group.data<{ id: number }>().id;
  await rowsOf(app.database.db).client({ groupId: mine, hostname: 'desk' });
  const limited = await app.loginAs('administrator', { clientGroupIds: [mine] });
  const foreign = await make();
  expect((await limited.send('GET', '/strategy_rules')).data()).toEqual([]);
  expect((await limited.send('GET', `/strategy_rules/${foreign}`)).status).toBe(404);
  expect((await limited.send('DELETE', '/strategy_rules', { ids: [foreign] })).status).toBe(404);
  expect((await limited.send('POST', '/strategy_rules', draft())).body.errors).toHaveProperty('client_id');
  expect((await limited.send('POST', '/strategy_rules', draft({ client_id: null }))).status).toBe(400);
  const [desk] = (await limited.send('GET', '/clients')).data<{ client_name: string }[]>();
  const made = await limited.send('POST', '/strategy_rules', draft({ client_id: desk?.client_name }));
  expect(made.status).toBe(201);
  expect((await limited.send('GET', '/strategy_rules')).data()).toHaveLength(1);
});

it('the three extension calls show the values of a rule', async () => {
  const id = await make({}, { module_extensions: { parameters: { snapshot_size: 33 } } });
  const sizeIn = async (path: string) => {
    const data = (await superuser.send('GET', path)).data<{ module_extensions: ExtensionParameter[] }>();
    return data.module_extensions.find(({ name }) => name === 'snapshot_size');
  };
  for (const call of [
    '/strategy_rules/extension?resource_type',
    '/task_queue/extension?resource_type',
    '/tasks/extensions?resourse_type',
  ]) {
    expect(await sizeIn(`${call}=File%20system&rule_id=${id}`)).toMatchObject({ value: 33, default: 10 });
    expect(await sizeIn(`${call}=File%20system`)).toMatchObject({ value: 10 });
    expect((await superuser.send('GET', `${call}=File%20system&rule_id=999`)).status).toBe(404);
    expect((await superuser.send('GET', `${call}=Nothing`)).status).toBe(400);
  }
  expect((await superuser.send('GET', '/strategy_rules/extension')).body.errors.resource_type).toBe(
    'is required',
  );
});

it('a rule that is given no priority has that of its strategy', async () => {
  const [one, another] = [300, 700].map((priority) => ({
    name: `Of ${priority}`,
    pool: 'Default',
    priority,
  }));
  for (const data of [one, another]) {
    expect((await superuser.send('POST', '/strategies', { data })).status).toBe(201);
  }
  const priorityOf = async (id: number) => (await get(id)).priority;
  const id = await make({ strategy_id: 'Of 300' });
  expect(await priorityOf(id)).toBe(300);
  expect(await priorityOf(await make({ strategy_id: 'Of 300', priority: 400 }))).toBe(400);
  expect(await priorityOf(await make({ strategy_id: undefined }))).toBe(100);
  await change(id, { strategy_rule: { strategy_id: 'Of 700' } });
  expect(await priorityOf(id)).toBe(300);
  await change(id, { strategy_rule: { priority: null } });
  expect(await priorityOf(id)).toBe(700);
});

it('rules are listed by every field', async () => {
  await make({ resource: '/a', priority: 100 });
  await make({ resource: '/b', priority: 900 });
  await make({ resource: '/c', client_id: undefined });
  const resources = async (query: string) =>
    (await superuser.send('GET', `/strategy_rules?${query}`))
      .data<StrategyRule[]>()
      .map(({ resource }) => resource);
  expect(await resources('sort=priority&order=desc&limit=1')).toEqual(['/b']);
  expect(await resources('status=wait')).toEqual(['/c']);
  expect(await resources(`client_hwid=${client.hwid}&sort=resource`)).toEqual(['/a', '/b']);
  expect(await resources('strategy_id=Default&search=%2FB')).toEqual(['/b']);
});
