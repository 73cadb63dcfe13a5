import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Change } from '../../../backend/features/announce.ts';
import { createStrategyRuleService } from '../../../backend/features/strategy-rules/strategy-rule-service.ts';
import type { StrategyRule } from '../../../contract/strategy-rules/strategy-rule.ts';
import { handClock, type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { rowsOf } from '../features/rows.ts';

let app: TestApp;
let superuser: Session;

beforeEach(async () => {
  app = await startTestApp({ started: true });
  superuser = await app.loginAs('superuser');
});
afterEach(() => app.close());

const rule = { resource_type: 'File system', resource: '/srv' };
const post = (body: object) => superuser.send('POST', '/strategy_rules', body);
const everyScript = {
  normal_execution_script: '/opt/done',
  exception_execution_script: '/opt/failed',
  restore_script: '/opt/restored',
};

it.each(['flat', 'wrapped'])('a %s body is taken, with every field', async (form) => {
  const module = {
    file_list: false,
    numeric_owner: true,
    use_snapshot: true,
    ignore_errors_snapshot: true,
    snapshot_type: 'lvm',
    snapshot_size: 100,
    script_before_snapshot: '/opt/before',
    script_after_snapshot: '/opt/after',
    script_error_snapshot: '/opt/error',
  };
  const common = {
    worker_parallelism: 64,
    enable_multithreading: true,
    enable_flexible_dedup: true,
    network_parallelism: 1,
    memory_threshold: 2,
    deny_memory_exceed: true,
  };
  const body = {
    strategy_rule: { ...rule, ...everyScript, priority: 1000 },
    module_extensions: { parameters: module },
    common_modules_extensions: { parameters: common },
  };
  const made = await post(form === 'flat' ? body : { data: body });
  expect(made.status).toBe(201);
  const path = `/strategy_rules/${made.data<{ id: number }>().id}`;
  const record = (await superuser.send('GET', path)).data<StrategyRule>();
  expect(record).toMatchObject({ ...rule, ...everyScript, priority: 1000, status: 'wait' });
  expect(record.module_extensions.parameters).toEqual(module);
  expect(record.common_modules_extensions.parameters).toEqual(common);
  const patch = { strategy_rule: { priority: null, restore_script: null } };
  const cleared = await superuser.send('PATCH', path, form === 'flat' ? patch : { data: patch });
  expect(cleared).toMatchObject({ status: 200, body: { data: { priority: 100, restore_script: '' } } });
});

it.each([
  ['module_extensions', 'snapshot_size', 0],
  ['module_extensions', 'snapshot_size', 101],
  ['module_extensions', 'snapshot_type', 'zfs'],
  ['module_extensions', 'script_before_snapshot', 'before.sh'],
  ['module_extensions', 'file_list', 'yes'],
  ['module_extensions', 'colour', 'red'],
  ['common_modules_extensions', 'worker_parallelism', 0],
  ['common_modules_extensions', 'worker_parallelism', 65],
  ['common_modules_extensions', 'network_parallelism', 65],
  ['common_modules_extensions', 'memory_threshold', -1],
  ['common_modules_extensions', 'deny_memory_exceed', true],
])('a rule is refused with %s: %s = %j', async (part, field, value) => {
  const refused = await post({ strategy_rule: rule, [part]: { parameters: { [field]: value } } });
  expect(refused.status).toBe(400);
  expect(Object.keys(refused.body.errors)).toEqual([field]);
  const path = `/strategy_rules/${(await post({ strategy_rule: rule })).data<{ id: number }>().id}`;
  const unchanged = await superuser.send('PATCH', path, { [part]: { parameters: { [field]: value } } });
  expect(unchanged.status).toBe(400);
  expect(Object.keys(unchanged.body.errors)).toEqual([field]);
});

it('a number is not given again after its rule is gone', async () => {
  const first = (await post({ strategy_rule: rule })).data<{ id: number }>().id;
  await superuser.send('DELETE', `/strategy_rules/${first}`);
  expect((await post({ strategy_rule: rule })).data<{ id: number }>().id).toBeGreaterThan(first);
});

it('a rule that goes to a client of another group is told to both groups', async () => {
  const groups: number[] = [];
  for (const name of ['Here', 'There']) {
    const made = await superuser.send('POST', '/client_groups', { name });
    const { id: groupId } = made.data<{ id: number }>();
    groups.push(groupId);
    await rowsOf(app.database.db).client({ groupId, hostname: name.toLowerCase() });
  }
  const clients = (await superuser.send('GET', '/clients')).data<{ client_name: string }[]>();
  const named = (start: string) =>
    clients.map(({ client_name }) => client_name).find((name) => name.startsWith(start)) ?? '';
  const changes: Change[] = [];
  const rules = createStrategyRuleService({
    db: app.database.db,
    dialect: app.database.dialect,
    clock: handClock(Date.now()),
    announce: (change) => changes.push(change),
    secrets: app.built.features.secrets,
  });
  const { id } = await rules.create({ strategy_rule: { ...rule, client_id: named('here ') } }, null);
  await rules.update(id, { strategy_rule: { client_id: named('there ') } }, null);
  await rules.remove([id], null);
  expect(changes.map(({ kind, clientGroupId }) => [kind, clientGroupId])).toEqual([
    ['client', groups[0]],
    ['client', groups[0]],
    ['client', groups[1]],
    ['client', groups[1]],
  ]);
});
