import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { Refused } from '../../support/fake-bridge.ts';
import { dialog, type openWindow } from '../../support/window.tsx';
import { page, rule, strategy } from '../rows.ts';
import { openSection, row, scheduleTests } from './lab.ts';

scheduleTests();

describe('a rule', () => {
  const types = ['File system', 'Block device', 'PostgreSQL universal'];
  const openForm = async (answers: Parameters<typeof openWindow>[0] = {}) => {
    const view = await openSection('Strategy rules', {
      'clients.list': page({ id: 1, client_name: 'here (abc)', modules: types }),
      'strategies.list': page(strategy(1)),
      'strategyRules.create': () => ({ id: 1 }),
      ...answers,
    });
    await view.user.click((await screen.findAllByRole('button', { name: 'New rule' }))[0] as HTMLElement);
    return { ...view, form: within(await dialog('New rule')) };
  };

  test('of a block device asks for the device, one of a server for that and its password file', async () => {
    const { user, callsOf, form } = await openForm();
    const offered = within(form.getByLabelText('Resource type')).getAllByRole('option');
    expect(offered.map((option) => option.textContent)).toEqual(types);
    expect(form.getByLabelText('Folder')).toBeTruthy();
    await user.selectOptions(form.getByLabelText('Resource type'), 'Block device');
    expect(form.getByRole('textbox', { name: 'Folder', description: /^or device/ })).toBeTruthy();
    expect(form.queryByLabelText('Password file')).toBeNull();
    await user.selectOptions(form.getByLabelText('Resource type'), 'PostgreSQL universal');
    await user.type(
      form.getByRole('textbox', { name: 'Folder', description: /^or server/ }),
      'postgresql://backup@db',
    );
    await user.type(form.getByLabelText('Password file'), '/etc/pgpass');
    await user.click(form.getByRole('button', { name: 'Create rule' }));
    await waitFor(() => expect(callsOf('strategyRules.create')).toHaveLength(1));
    expect(callsOf('strategyRules.create')).toMatchObject([
      {
        body: {
          strategy_rule: { resource_type: 'PostgreSQL universal', resource: 'postgresql://backup@db' },
          module_extensions: { parameters: { password_file: '/etc/pgpass', checkpoint: 'fast' } },
        },
      },
    ]);
  });

  test('of a server keeps the password that it has when none is typed', async () => {
    const old = rule(1, {
      resource_type: 'PostgreSQL universal',
      resource: 'postgresql://backup@db',
      module_extensions: { parameters: { password: '', password_file: '', checkpoint: 'spread' } },
    });
    const { user, callsOf } = await openSection('Strategy rules', {
      'clients.list': page({ id: 1, client_name: 'here (abc)', modules: types }),
      'strategies.list': page(strategy(1)),
      'strategyRules.list': page(old),
      'strategyRules.update': () => null,
      'strategyRules.get': () => old,
    });
    await user.click(await row('postgresql'));
    await user.click(screen.getByRole('button', { name: 'Edit…' }));
    const form = within(await dialog('Edit rule'));
    expect(form.getByLabelText('Checkpoint')).toHaveProperty('value', 'spread');
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(callsOf('strategyRules.update')).toHaveLength(1));
    const [{ body }] = callsOf('strategyRules.update') as [{ body: { module_extensions: unknown } }];
    expect(body.module_extensions).toEqual({ parameters: { password_file: '', checkpoint: 'spread' } });
  });

  test('without a priority of its own leaves it to its strategy, when it is made and when it is taken back', async () => {
    const old = rule(1, { priority: 300 });
    const { user, callsOf, form } = await openForm({
      'strategyRules.list': page(old),
      'strategyRules.update': () => null,
      'strategyRules.get': () => ({ ...old, priority: 200 }),
    });
    await user.type(form.getByLabelText('Folder'), '/srv/data');
    await user.click(form.getByRole('button', { name: 'Create rule' }));
    await waitFor(() => expect(callsOf('strategyRules.create')).toHaveLength(1));
    expect(callsOf('strategyRules.create')[0]).not.toHaveProperty('body.strategy_rule.priority');
    await user.click(await row(old.resource));
    await user.click(screen.getByRole('button', { name: 'Edit…' }));
    const edit = within(await dialog('Edit rule'));
    expect(edit.getByLabelText('Priority')).toHaveProperty('value', '300');
    await user.clear(edit.getByLabelText('Priority'));
    await user.click(edit.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(callsOf('strategyRules.update')).toHaveLength(1));
    expect(callsOf('strategyRules.update')[0]).toMatchObject({ body: { strategy_rule: { priority: null } } });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(screen.queryByText(/keeps|not taken/)).toBeNull();
  });

  test('has the options that the server lists for its type, and sends those that were changed', async () => {
    const parameter = (name: string, more: object) => ({
      name,
      type: 'boolean',
      default: false,
      value: false,
      min: null,
      max: null,
      values: null,
      description: `what ${name} is`,
      ...more,
    });
    const old = rule(1);
    const { user, callsOf } = await openSection('Strategy rules', {
      'clients.list': page({ id: 1, client_name: 'here (abc)', modules: types }),
      'strategies.list': page(strategy(1)),
      'strategyRules.list': page(old),
      'strategyRules.update': () => null,
      'strategyRules.get': () => old,
      'strategyRules.extension': (input: unknown) => {
        const { query } = input as { query: { resource_type: string; rule_id?: number } };
        if (query.resource_type === 'Block device') throw new Refused({ message: 'Unknown.', status: 400 });
        const isOfRule = query.rule_id === 1;
        return {
          module_extensions:
            query.resource_type === 'File system'
              ? [
                  parameter('use_snapshot', {}),
                  parameter('own_way', { type: 'string', value: 'a', default: 'a' }),
                ]
              : [],
          common_modules_extensions: [
            parameter('worker_parallelism', { type: 'integer', default: 8, value: isOfRule ? 4 : 8 }),
            parameter('deny_memory_exceed', {}),
          ],
        };
      },
    });
    await user.click(await row(old.resource));
    await user.click(screen.getByRole('button', { name: 'Edit…' }));
    const form = within(await dialog('Edit rule'));
    expect(form.getByLabelText('Workers')).toHaveProperty('value', '4');
    expect(form.getByLabelText('Own way')).toHaveProperty('value', 'a');
    await user.click(form.getByLabelText('Read from a snapshot of the volume'));
    await user.clear(form.getByLabelText('Workers'));
    await user.type(form.getByLabelText('Workers'), '2');
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(callsOf('strategyRules.update')).toHaveLength(1));
    const [{ body }] = callsOf('strategyRules.update') as [{ body: object }];
    expect(body).toMatchObject({
      module_extensions: { parameters: { use_snapshot: true } },
      common_modules_extensions: { parameters: { worker_parallelism: 2 } },
    });
    expect(JSON.stringify(body)).not.toMatch(/own_way|deny_memory/);
  });

  test('of files sends no parameters of other types', async () => {
    const { user, callsOf, form } = await openForm();
    await user.type(form.getByLabelText('Folder'), '/srv/data');
    await user.click(form.getByRole('button', { name: 'Create rule' }));
    await waitFor(() => expect(callsOf('strategyRules.create')).toHaveLength(1));
    expect(callsOf('strategyRules.create')[0]).not.toHaveProperty('body.module_extensions');
  });
});
