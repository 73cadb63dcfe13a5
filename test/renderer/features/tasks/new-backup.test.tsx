import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { shell } from '../../../../renderer/shell/shell-store.ts';
import { giveElementsASize } from '../../support/drawn.tsx';
import { Refused } from '../../support/fake-bridge.ts';
import { dialog, windowTests } from '../../support/window.tsx';
import { page, task } from '../rows.ts';
import { openTasks } from './open-tasks.ts';

giveElementsASize();
windowTests();

describe('a new backup', () => {
  test('sends what was filled in and leads to its task', async () => {
    const { user, callsOf } = await openTasks({
      'taskQueue.list': page(task(9)),
      'taskQueue.create': () => ({ id: 9 }),
    });
    await user.click((await screen.findAllByRole('button', { name: 'New backup' }))[0] as HTMLElement);
    const form = within(await dialog('New backup'));
    await form.findByRole('option', { name: 'here (abc)' });
    await user.type(form.getByLabelText('Folder'), '/home/me/a b');
    await user.click(form.getByRole('button', { name: 'Start backup' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(callsOf('taskQueue.create')).toMatchObject([
      { body: { task: { resource: '/home/me/a b', client: 'here (abc)', pool: 'Default' } } },
    ]);
    await user.click(await screen.findByRole('button', { name: 'Show task' }));
    expect(await screen.findByRole('region', { name: 'Task details' })).toBeTruthy();
  });

  test('a refusal stands under its field, which gets the focus, and nothing typed is lost', async () => {
    const { user } = await openTasks({
      'taskQueue.create': () => {
        throw new Refused({ message: 'The backup cannot start.', errors: { resource: 'does not exist' } });
      },
    });
    act(() =>
      shell.setState({
        dialog: { kind: 'newBackup', connectionId: shell.getState().place.connectionId ?? '' },
      }),
    );
    const form = within(await dialog('New backup'));
    await form.findByRole('option', { name: 'here (abc)' });
    const folder = form.getByLabelText('Folder');
    await user.type(folder, '/nowhere');
    await user.click(form.getByRole('button', { name: 'Start backup' }));
    expect(await form.findByText('Folder does not exist')).toBeTruthy();
    expect(document.activeElement).toBe(folder);
    expect(folder).toHaveProperty('value', '/nowhere');
  });

  const types = ['File system', 'Block device', 'PostgreSQL universal'];
  const parameter = (name: string, more: object) => ({
    name,
    type: 'string',
    default: '',
    value: '',
    min: null,
    max: null,
    values: null,
    description: `what ${name} is`,
    ...more,
  });
  const able = {
    'clients.list': page(
      { id: 1, client_name: 'here (abc)', modules: types },
      { id: 2, client_name: 'there (def)', modules: ['File system'] },
    ),
    'taskQueue.create': () => ({ id: 9 }),
    'taskQueue.extension': (input: unknown) => {
      const { resource_type } = (input as { query: { resource_type: string } }).query;
      const ofServer = [
        parameter('password', {}),
        parameter('password_file', {}),
        parameter('checkpoint', { type: 'enum', default: 'fast', value: 'fast', values: ['fast', 'spread'] }),
      ];
      const others = resource_type === 'File system' ? [parameter('script_before_snapshot', {})] : [];
      return {
        crypto: { values: ['nocrypt'] },
        common_modules_extensions: [
          parameter('memory_threshold', { type: 'integer', default: 0, value: 0, min: 0, max: 9 }),
          parameter('deny_memory_exceed', { type: 'boolean', default: false, value: false }),
        ],
        module_extensions: resource_type === 'PostgreSQL universal' ? ofServer : others,
      };
    },
  };
  const openDialogFor = async (answers: Parameters<typeof openTasks>[0] = {}) => {
    const view = await openTasks({ ...able, ...answers });
    await view.user.click((await screen.findAllByRole('button', { name: 'New backup' }))[0] as HTMLElement);
    const form = within(await dialog('New backup'));
    await form.findByRole('option', { name: 'here (abc)' });
    return { ...view, form };
  };

  test('of a block device asks for the device', async () => {
    const { user, callsOf, form } = await openDialogFor();
    const offered = within(form.getByLabelText('Resource type')).getAllByRole('option');
    expect(offered.map((option) => option.textContent)).toEqual(types);
    expect(form.getByLabelText('Folder')).toBeTruthy();
    await user.selectOptions(form.getByLabelText('Resource type'), 'Block device');
    expect(form.queryByRole('button', { name: 'Browse…' })).toBeNull();
    // Scripts and screen readers find it under one name, whatever type is chosen.
    const place = form.getByRole('textbox', { name: 'Folder' });
    expect(place.closest('.field')?.textContent).toMatch(/^Folder or device/);
    await user.type(place, '/dev/sdb1');
    await user.click(form.getByRole('button', { name: 'Start backup' }));
    await waitFor(() => expect(callsOf('taskQueue.create')).toHaveLength(1));
    const [{ body }] = callsOf('taskQueue.create') as [{ body: { task: object } }];
    expect(body.task).toMatchObject({ resource_type: 'Block device', resource: '/dev/sdb1' });
    expect(body).not.toHaveProperty('module_extensions');
  });

  test('has further options, of which those that were changed are sent; a refused one is shown unfolded', async () => {
    let isRefused = true;
    const { user, callsOf, form } = await openDialogFor({
      'taskQueue.create': () => {
        if (!isRefused) return { id: 9 };
        throw new Refused({
          message: 'Not valid.',
          errors: { 'common_modules_extensions.parameters.deny_memory_exceed': 'needs a memory_threshold' },
        });
      },
    });
    await user.type(form.getByLabelText('Folder'), '/srv');
    const folded = form.getByText('Further options').closest('details');
    expect(folded).toHaveProperty('open', false);
    await user.clear(form.getByLabelText('Priority'));
    await user.type(form.getByLabelText('Priority'), '700');
    await user.click(form.getByLabelText('Is for an archive'));
    await user.click(await form.findByLabelText('Stop a task that needs more memory'));
    await user.type(form.getByLabelText('Script before the snapshot'), '/bin/freeze');
    await user.click(form.getByRole('button', { name: 'Start backup' }));
    expect(await form.findByText(/needs a memory_threshold/)).toBeTruthy();
    expect(folded).toHaveProperty('open', true);
    isRefused = false;
    await user.click(form.getByRole('button', { name: 'Start backup' }));
    await waitFor(() => expect(callsOf('taskQueue.create')).toHaveLength(2));
    expect(callsOf('taskQueue.create')[1]).toMatchObject({
      body: {
        task: { priority: 700, archiving: true },
        module_extensions: { parameters: { script_before_snapshot: '/bin/freeze' } },
        common_modules_extensions: { parameters: { deny_memory_exceed: true } },
      },
    });
    expect(JSON.stringify(callsOf('taskQueue.create'))).not.toContain('"memory_threshold"');
  });

  test('of a PostgreSQL server asks for the server and what its module needs', async () => {
    const { user, callsOf, form } = await openDialogFor();
    await user.selectOptions(form.getByLabelText('Resource type'), 'PostgreSQL universal');
    await user.type(form.getByRole('textbox', { name: 'Folder' }), 'postgresql://backup@db:5432');
    await user.type(await form.findByLabelText('Password file'), '/etc/pgpass');
    expect(form.getByLabelText('Password')).toHaveProperty('type', 'password');
    await user.type(form.getByLabelText('Password'), 'pw');
    expect(form.getByLabelText('Checkpoint')).toHaveProperty('value', 'fast');
    await user.selectOptions(form.getByLabelText('Checkpoint'), 'spread');
    await user.click(form.getByRole('button', { name: 'Start backup' }));
    await waitFor(() => expect(callsOf('taskQueue.create')).toHaveLength(1));
    expect(callsOf('taskQueue.create')).toMatchObject([
      {
        body: {
          task: { resource_type: 'PostgreSQL universal', resource: 'postgresql://backup@db:5432' },
          module_extensions: {
            parameters: { password: 'pw', password_file: '/etc/pgpass', checkpoint: 'spread' },
          },
        },
      },
    ]);
  });

  test('offers what the chosen client can back up', async () => {
    const { user, form } = await openDialogFor();
    await user.selectOptions(form.getByLabelText('Resource type'), 'PostgreSQL universal');
    await user.selectOptions(form.getByLabelText('Client'), 'there (def)');
    expect(form.getByLabelText('Resource type')).toHaveProperty('value', 'File system');
    expect(form.getByLabelText('Folder')).toBeTruthy();
  });
});
