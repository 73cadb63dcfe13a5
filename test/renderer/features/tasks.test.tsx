import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { shell } from '../../../renderer/shell/shell-store.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';
import { page, pool, task } from './rows.ts';

giveElementsASize();
windowTests();

const permissions = ['task_queue.read', 'task_queue.write', 'task_queue.delete', 'tasks.run', 'pools.read'];
let made = 0;

/** Each test has a server of its own, since lists are kept by connection. */
async function openTasks(answers: Parameters<typeof openWindow>[0], rights: readonly string[] = permissions) {
  made += 1;
  const one = connection({ id: `server-${made}` }, { permissions: [...rights] });
  const view = await openWindow({
    'connections.list': () => [one],
    'taskQueue.list': page(),
    'pools.list': page(pool(1, { pool_name: 'Default' })),
    'clients.list': page({ id: 1, client_name: 'here (abc)', modules: ['File system'] }),
    'taskQueue.extension': () => ({ crypto: { values: ['nocrypt'] } }),
    'tasks.clientLog': page(),
    'tasks.serverLog': page(),
    ...answers,
  });
  await view.user.click(screen.getByRole('link', { name: 'Tasks' }));
  return view;
}

const row = (text: string) => screen.findByRole('row', { name: new RegExp(text) });
const action = (name: string) =>
  within(screen.getByRole('toolbar', { name: 'Task actions' })).getByRole('button', { name });

describe('the tasks', () => {
  test('a row says type, resource, client, status and progress', async () => {
    await openTasks({ 'taskQueue.list': page(task(7, { status: 'at_client', progress: 3 })) });
    const cells = within(await row('/srv/data-7'))
      .getAllByRole('gridcell')
      .map((cell) => cell.textContent);
    for (const text of ['Backup urgent', '/srv/data-7', 'here (abc)', 'At_Client', '3 %'])
      expect(cells).toContain(text);
  });

  test('the details say progress and have both logs', async () => {
    const line = { id: 1, time: '2026-01-01T10:00:02', level: 'info', source: 'here', message: 'It began.' };
    const { user } = await openTasks({
      'taskQueue.list': page(task(7, { status: 'transmission', progress: 40 })),
      'tasks.clientLog': page(line),
      'tasks.serverLog': page({ ...line, message: 'The server waited.' }),
    });
    await user.click(await row('/srv/data-7'));
    const details = within(await screen.findByRole('region', { name: 'Task details' }));
    expect(details.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('40');
    expect(await details.findByText(/It began/)).toBeTruthy();
    await user.click(details.getByRole('tab', { name: 'Server log' }));
    expect(await details.findByText(/The server waited/)).toBeTruthy();
  });

  test('a finished task that skipped something is said everywhere as a warning (case 77)', async () => {
    const { user } = await openTasks({ 'taskQueue.list': page(task(7, { skipped_items: 2 })) });
    await user.click(await row('/srv/data-7'));
    const details = within(await screen.findByRole('region', { name: 'Task details' }));
    expect(details.getByText('Done, 2 skipped').className).toContain('meaning-warning');
    expect(within(await row('/srv/data-7')).getByText('Done, 2 skipped').className).toContain('warning');
  });

  test('actions that the state does not allow say why, the others act', async () => {
    const { user, callsOf } = await openTasks({
      'taskQueue.list': page(task(7, { status: 'transmission', progress: 40 })),
    });
    await user.click(await row('/srv/data-7'));
    expect(action('Continue').getAttribute('aria-disabled')).toBe('true');
    expect(action('Continue').title).toBe('Not possible while a task is Transmission');
    await user.click(action('Continue'));
    expect(callsOf('tasks.continue')).toEqual([]);
    await user.click(action('Pause'));
    await waitFor(() => expect(callsOf('tasks.pause')).toEqual([{ params: { id: 7 } }]));
  });

  test('actions without the right to them say which right is missing', async () => {
    const { user } = await openTasks({ 'taskQueue.list': page(task(7)) }, ['task_queue.read']);
    await user.click(await row('/srv/data-7'));
    expect(action('Kill').title).toContain('tasks.run');
  });

  test('filters go to the server together and can be cleared', async () => {
    const { user, callsOf } = await openTasks({});
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Type' }), 'restore');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'error');
    await waitFor(() =>
      expect(callsOf('taskQueue.list')).toContainEqual({
        query: expect.objectContaining({ task_type: 'restore', status: 'error' }),
      }),
    );
    await user.click(await screen.findByRole('button', { name: 'Clear filters' }));
    expect(screen.getByRole('combobox', { name: 'Type' })).toHaveProperty('value', '');
  });
});

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
        module_extensions: resource_type === 'PostgreSQL universal' ? ofServer : others,
      };
    },
  };
  const openDialogFor = async () => {
    const view = await openTasks(able);
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
    expect(form.queryByLabelText('Folder')).toBeNull();
    expect(form.queryByRole('button', { name: 'Browse…' })).toBeNull();
    await user.type(form.getByLabelText('Device'), '/dev/sdb1');
    await user.click(form.getByRole('button', { name: 'Start backup' }));
    await waitFor(() => expect(callsOf('taskQueue.create')).toHaveLength(1));
    const [{ body }] = callsOf('taskQueue.create') as [{ body: { task: object } }];
    expect(body.task).toMatchObject({ resource_type: 'Block device', resource: '/dev/sdb1' });
    expect(body).not.toHaveProperty('module_extensions');
  });

  test('of a PostgreSQL server asks for the server and what its module needs', async () => {
    const { user, callsOf, form } = await openDialogFor();
    await user.selectOptions(form.getByLabelText('Resource type'), 'PostgreSQL universal');
    await user.type(form.getByLabelText('Server'), 'postgresql://backup@db:5432');
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
