import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { shell } from '../../../renderer/shell/shell-store.ts';
import { showIn } from '../../../renderer/shell/tell.ts';
import { refreshList } from '../../../renderer/shell/use-list.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';
import { page, pool, task } from './rows.ts';

giveElementsASize();
windowTests();

const permissions = ['task_queue.read', 'task_queue.write', 'task_queue.delete', 'tasks.run', 'pools.read'];
let made = 0;

/** Each test has a server of its own, since lists are kept by connection. */
async function openTasks(
  answers: Parameters<typeof openWindow>[0],
  rights: readonly string[] = permissions,
  extensions: readonly string[] = [],
) {
  made += 1;
  const one = connection({ id: `server-${made}` }, { permissions: [...rights], extensions: [...extensions] });
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

/** The first one waits for its section to be loaded too, which takes its time on a busy machine. */
const row = (text: string) => screen.findByRole('row', { name: new RegExp(text) }, { timeout: 10_000 });
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

  test('the details round the progress, and tell failures as alerts', async () => {
    const { user } = await openTasks({
      'taskQueue.list': page(
        task(7, { status: 'error', progress: 33.333333, error_message: 'The disk is full.' }),
      ),
      'tasks.clientLog': () => {
        throw new Refused({ message: 'The log is gone.' });
      },
    });
    await user.click(await row('/srv/data-7'));
    const details = within(await screen.findByRole('region', { name: 'Task details' }));
    expect(details.getByRole('progressbar').getAttribute('aria-valuetext')).toBe('33 %');
    await details.findByText('The log is gone.');
    expect(details.getAllByRole('alert').map((one) => one.textContent)).toEqual([
      'The disk is full.',
      'The log is gone.',
    ]);
  });

  test('a log can be narrowed to its errors by the server', async () => {
    const line = { id: 1, time: '2026-01-01T10:00:02', level: 'info', source: 'here', message: 'It began.' };
    const { user, callsOf } = await openTasks({
      'taskQueue.list': page(task(7)),
      'tasks.clientLog': (input) => {
        const { level } = (input as { query: { level?: string } }).query;
        const items = level === 'error' ? [{ ...line, level: 'error', message: 'It broke.' }] : [line];
        return level === 'warning' ? { items: [], total: 0 } : { items, total: 1 };
      },
    });
    await user.click(await row('/srv/data-7'));
    const details = within(await screen.findByRole('region', { name: 'Task details' }));
    expect(await details.findByText(/It began/)).toBeTruthy();
    await user.selectOptions(details.getByRole('combobox', { name: 'Severity' }), 'error');
    expect(await details.findByText(/It broke/)).toBeTruthy();
    expect(details.queryByText(/It began/)).toBeNull();
    expect(callsOf('tasks.clientLog').at(-1)).toMatchObject({ query: { level: 'error' } });
    await user.click(details.getByRole('tab', { name: 'Server log' }));
    expect(details.getByRole('combobox', { name: 'Severity' })).toHaveProperty('value', 'error');
    expect(await details.findByText('No line is as severe as that.')).toBeTruthy();
  });

  test('a finished task that skipped something is said everywhere as a warning (case 77)', async () => {
    const { user } = await openTasks({ 'taskQueue.list': page(task(7, { skipped_items: 2 })) });
    await user.click(await row('/srv/data-7'));
    const details = within(await screen.findByRole('region', { name: 'Task details' }));
    expect(details.getByText('Done, 2 skipped').className).toContain('meaning-warning');
    expect(details.queryByRole('alert')).toBeNull();
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

  test('letters act on the selected tasks from the list, and not from a menu or the notices', async () => {
    const { user, callsOf } = await openTasks({
      'taskQueue.list': page(task(7, { status: 'transmission', progress: 40 })),
    });
    await user.click(await row('/srv/data-7'));
    for (const name of [/^Views/, 'Choose columns']) {
      await user.click(screen.getByRole('button', { name }));
      await screen.findByRole('menu');
      await user.keyboard('p{Escape}');
      await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
    }
    await user.click(screen.getByRole('button', { name: /^Notices/ }));
    (await screen.findByRole('dialog', { name: 'Notices' })).focus();
    await user.keyboard('p{Escape}');
    screen.getByRole('grid', { name: 'Tasks' }).focus();
    await user.keyboard('{Shift>}{F10}{/Shift}');
    await screen.findByRole('menu');
    await user.keyboard('p');
    expect(callsOf('tasks.pause')).toEqual([]);
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
    screen.getByRole('grid', { name: 'Tasks' }).focus();
    await user.keyboard('p');
    await waitFor(() => expect(callsOf('tasks.pause')).toEqual([{ params: { id: 7 } }]));
  });

  test('R restarts what is selected, a slash goes to the search, where letters are only letters', async () => {
    const { user, callsOf } = await openTasks({
      'taskQueue.list': page(task(7, { status: 'error' })),
      'tasks.restart': () => null,
    });
    await user.click(await row('/srv/data-7'));
    await user.keyboard('/');
    const search = screen.getByRole('searchbox', { name: 'Search Tasks' });
    expect(document.activeElement).toBe(search);
    await user.keyboard('rp');
    expect(search).toHaveProperty('value', 'rp');
    expect(callsOf('tasks.restart')).toEqual([]);
    await user.keyboard('{Escape}');
    await user.click(await row('/srv/data-7'));
    screen.getByRole('grid', { name: 'Tasks' }).focus();
    await user.keyboard('r');
    await waitFor(() => expect(callsOf('tasks.restart')).toHaveLength(1));
  });

  test('each of several is tried, and what was refused is told with its reason', async () => {
    const { user, callsOf } = await openTasks({
      'taskQueue.list': page(...[1, 2, 3, 4].map((id) => task(id, { status: 'transmission' }))),
      'tasks.kill': (input) => {
        if ((input as { params: { id: number } }).params.id === 2)
          throw new Refused({ message: 'It has ended.', status: 409 });
        return null;
      },
    });
    await user.click(await row('/srv/data-1'));
    await user.keyboard('{Control>}a{/Control}');
    await user.click(action('Kill'));
    expect(await screen.findByText('1 of 4 not killed: task 2: It has ended.')).toBeTruthy();
    expect(callsOf('tasks.kill').map((input) => (input as { params: { id: number } }).params.id)).toEqual([
      1, 2, 3, 4,
    ]);
  });

  test('deleted tasks are selected no longer, also where only a part of the list is loaded', async () => {
    const all = Array.from({ length: 450 }, (_, at) => task(at + 1));
    let left = all;
    const { user } = await openTasks({
      'taskQueue.list': (input) => {
        const { page: at, limit } = (input as { query: { page: number; limit: number } }).query;
        return { items: left.slice((at - 1) * limit, at * limit), total: left.length };
      },
      'taskQueue.deleteMany': (input) => {
        const { ids } = (input as { body: { ids: number[] } }).body;
        left = all.filter(({ id }) => !ids.includes(id));
        return { ids };
      },
    });
    await user.click(await row('/srv/data-1 '));
    await user.keyboard('{Shift>}{ArrowDown}{/Shift}');
    expect(await screen.findByText('450 rows, 2 selected')).toBeTruthy();
    await user.click(action('Delete'));
    await user.click(within(await dialog('Delete tasks')).getByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('448 rows')).toBeTruthy();
    expect(action('Delete').title).toBe('Select a task first');
  });

  const manyTasks = (count: number) => {
    const all = Array.from({ length: count }, (_, at) => task(at + 1));
    return (input: unknown) => {
      const {
        page: at,
        limit,
        id,
      } = (input as { query: { page: number; limit: number; id?: string } }).query;
      const found = id === undefined ? all : all.filter((one) => String(one.id) === id);
      return { items: found.slice((at - 1) * limit, at * limit), total: found.length };
    };
  };
  const here = () => shell.getState().place.connectionId ?? '';

  test('one that is shown from elsewhere is brought though it is not on a page that was loaded', async () => {
    const { user } = await openTasks({ 'taskQueue.list': manyTasks(450) });
    await row('/srv/data-1 ');
    act(() => showIn(here(), 'Tasks', 431));
    const details = within(await screen.findByRole('region', { name: 'Task details' }));
    expect(await details.findByRole('heading', { name: 'Backup urgent 431' })).toBeTruthy();
    expect((await row('/srv/data-431')).getAttribute('aria-selected')).toBe('true');
    expect(screen.getByText('1 row')).toBeTruthy();
    // It is said what the list is narrowed to, and all of it is one step away.
    await user.click(screen.getByRole('button', { name: 'Only number 431: show all' }));
    expect(await screen.findByText('450 rows')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Only number/ })).toBeNull();
  });

  test('one that is shown from elsewhere comes into view where its page is loaded', async () => {
    await openTasks({ 'taskQueue.list': manyTasks(150) });
    await row('/srv/data-1 ');
    act(() => showIn(here(), 'Tasks', 140));
    expect((await row('/srv/data-140')).getAttribute('aria-selected')).toBe('true');
    expect(screen.getByText('150 rows')).toBeTruthy();
  });

  test('one that is gone is said to be gone', async () => {
    await openTasks({ 'taskQueue.list': manyTasks(450) });
    await row('/srv/data-1 ');
    act(() => showIn(here(), 'Tasks', 999));
    expect(await screen.findByText('Tasks: number 999 is not there any more.')).toBeTruthy();
    expect(screen.getByText('450 rows')).toBeTruthy();
  });

  test('all that failed are listed together where the server can do that', async () => {
    const { user, callsOf } = await openTasks({ 'taskQueue.list': page(task(7)) }, permissions, [
      'task_statuses',
    ]);
    await row('/srv/data-7');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'All that failed');
    await waitFor(() =>
      expect(callsOf('taskQueue.list')).toContainEqual({
        query: expect.objectContaining({ status: 'error,broken' }),
      }),
    );
  });

  test('details stay when the list is scrolled away from their row and loaded again', async () => {
    const all = Array.from({ length: 450 }, (_, at) => task(at + 1));
    let total = all.length;
    const { user } = await openTasks({
      'taskQueue.list': (input) => {
        const { page: at, limit } = (input as { query: { page: number; limit: number } }).query;
        return { items: all.slice((at - 1) * limit, at * limit), total };
      },
    });
    await user.click(await row('/srv/data-1 '));
    const grid = screen.getByRole('grid', { name: 'Tasks' });
    grid.scrollTop = 9000;
    fireEvent.scroll(grid);
    await screen.findAllByRole('row', { name: /data-(2[5-9]|3)\d/ }, { timeout: 10_000 });
    total = 451;
    const { connectionId } = shell.getState().place;
    act(() => refreshList(connectionId ?? '', 'Tasks'));
    expect(await screen.findByText('451 rows')).toBeTruthy();
    const details = within(screen.getByRole('region', { name: 'Task details' }));
    expect(details.getByRole('heading', { name: 'Backup urgent 1' })).toBeTruthy();
  });

  test('details that were closed come back with Enter or a click on their row; keys change their width', async () => {
    const { user } = await openTasks({ 'taskQueue.list': page(task(7)) });
    const details = () => screen.queryByRole('region', { name: 'Task details' });
    await user.click(await row('/srv/data-7'));
    const width = screen.getByRole('separator', { name: 'Width of the details' });
    width.focus();
    await user.keyboard('{ArrowLeft}');
    expect(width.getAttribute('aria-valuenow')).toBe('420');
    await user.keyboard('{Home}{ArrowRight}');
    expect(width.getAttribute('aria-valuenow')).toBe('360');
    await user.keyboard('{Escape}');
    expect(details()).toBeNull();
    screen.getByRole('grid', { name: 'Tasks' }).focus();
    await user.keyboard('{Enter}');
    expect(details()).not.toBeNull();
    await user.keyboard('{Escape}');
    expect(details()).toBeNull();
    await user.click(await row('/srv/data-7'));
    expect(details()).not.toBeNull();
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

describe('tasks by status', () => {
  const counts = { error: 12, killed: 1, obsoleted: 0 } as const;
  const counted = (input: unknown) => {
    const { status = '' } = (input as { query: { status?: string } }).query;
    return { items: [], total: counts[status as keyof typeof counts] ?? 13 };
  };
  const ids = (status: keyof typeof counts) => Array.from({ length: counts[status] }, (_, at) => at + 1);
  const openByStatus = async (remove: (input: unknown) => unknown) => {
    const view = await openTasks({ 'taskQueue.list': counted, 'taskQueue.deleteOne': remove });
    await view.user.click(await screen.findByRole('button', { name: 'Delete by status…' }));
    const form = within(await dialog('Delete tasks by status'));
    await form.findByRole('checkbox', { name: 'Error (12)' });
    return { ...view, form };
  };
  const statusOf = (input: unknown) => (input as { params: { id: keyof typeof counts } }).params.id;

  test('are deleted after it was said how many, and a second yes that another choice takes back', async () => {
    const { user, form, callsOf } = await openByStatus((input) => ({ ids: ids(statusOf(input)) }));
    const submit = form.getByRole('button', { name: 'Delete' });
    expect(submit.title).toBe('Choose a status that has tasks');
    await user.click(form.getByRole('checkbox', { name: 'Obsoleted (0)' }));
    expect(submit.title).toBe('Choose a status that has tasks');
    await user.click(form.getByRole('checkbox', { name: 'Error (12)' }));
    await user.click(form.getByRole('checkbox', { name: 'Yes, delete 12 tasks and their logs' }));
    await user.click(form.getByRole('checkbox', { name: 'Killed (1)' }));
    const sure = form.getByRole('checkbox', { name: 'Yes, delete 13 tasks and their logs' });
    expect(sure).toHaveProperty('checked', false);
    await user.click(submit);
    expect(callsOf('taskQueue.deleteOne')).toEqual([]);
    await user.click(form.getByRole('checkbox', { name: 'Obsoleted (0)' }));
    await user.click(sure);
    await user.click(submit);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(callsOf('taskQueue.deleteOne').map(statusOf)).toEqual(['error', 'killed']);
    expect(await screen.findByText('13 tasks deleted.')).toBeTruthy();
  });

  test('that somebody else has deleted are no failure; what fails is told, with what is gone', async () => {
    const { user, form } = await openByStatus((input) => {
      if (statusOf(input) === 'error') throw new Refused({ message: 'None.', status: 404 });
      throw new Refused({ message: 'The catalogue is full.', status: 500 });
    });
    await user.click(form.getByRole('checkbox', { name: 'Error (12)' }));
    await user.click(form.getByRole('checkbox', { name: 'Killed (1)' }));
    await user.click(form.getByRole('checkbox', { name: /^Yes, delete/ }));
    await user.click(form.getByRole('button', { name: 'Delete' }));
    expect(await form.findByText('The catalogue is full.')).toBeTruthy();
    expect(form.getByRole('checkbox', { name: /^Yes, delete/ })).toHaveProperty('checked', false);
  });

  test('cannot be deleted without the right to it, which is named', async () => {
    await openTasks({}, ['task_queue.read']);
    const button = await screen.findByRole('button', { name: 'Delete by status…' });
    expect(button.title).toContain('task_queue.delete');
  });
});

describe('views of the tasks', () => {
  const viewsMenu = () => screen.findByRole('button', { name: /^Views/ });
  const nameIt = async (user: Awaited<ReturnType<typeof openTasks>>['user'], title: string, name: string) => {
    const form = within(await dialog(title));
    await user.clear(form.getByLabelText('Name'));
    await user.type(form.getByLabelText('Name'), `${name}{Enter}`);
    return form;
  };

  test('are saved, chosen, changed, renamed and deleted, by the keyboard too', async () => {
    const { user, settings, callsOf } = await openTasks({});
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Status' }), 'error');
    await user.click(await viewsMenu());
    await user.click(await screen.findByRole('menuitem', { name: 'Save as view…' }));
    await nameIt(user, 'Save view', 'Failed');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(settings().views.Tasks).toMatchObject([{ name: 'Failed', filters: { status: 'error' } }]);

    (await viewsMenu()).focus();
    await user.keyboard('{Enter}');
    await user.click(await screen.findByRole('menuitem', { name: 'All rows, as made' }));
    expect(screen.getByRole('combobox', { name: 'Status' })).toHaveProperty('value', '');
    (await viewsMenu()).focus();
    await user.keyboard('{Enter}{Enter}');
    await waitFor(() =>
      expect(screen.getByRole('combobox', { name: 'Status' })).toHaveProperty('value', 'error'),
    );
    expect((await viewsMenu()).getAttribute('aria-label')).toBe('Views: Failed');
    // The list is asked for a moment after the last change.
    await waitFor(() =>
      expect(callsOf('taskQueue.list').at(-1)).toMatchObject({ query: { status: 'error' } }),
    );

    await user.selectOptions(screen.getByRole('combobox', { name: 'Type' }), 'restore');
    await user.click(await viewsMenu());
    await user.click(await screen.findByRole('menuitem', { name: 'Save changes to view' }));
    await waitFor(() =>
      expect(settings().views.Tasks?.[0]?.filters).toEqual({ status: 'error', task_type: 'restore' }),
    );

    await user.click(await viewsMenu());
    await user.click(await screen.findByRole('menuitem', { name: 'Rename view…' }));
    await nameIt(user, 'Rename view', 'Failed restores');
    await waitFor(() => expect(settings().views.Tasks?.map(({ name }) => name)).toEqual(['Failed restores']));

    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await user.click(await viewsMenu());
    await user.click(await screen.findByRole('menuitem', { name: 'Delete view…' }));
    const sure = within(await dialog('Delete view'));
    expect(sure.getByText('Failed restores')).toBeTruthy();
    await user.click(sure.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(settings().views.Tasks).toEqual([]));
  });

  test('with a name that is taken are refused at the field', async () => {
    const { user, settings } = await openTasks({});
    for (const name of ['Mine', 'mine']) {
      await user.click(await viewsMenu());
      await user.click(await screen.findByRole('menuitem', { name: 'Save as view…' }));
      await nameIt(user, 'Save view', name);
      if (name === 'Mine') await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    }
    expect(await screen.findByText('Name is taken by another view')).toBeTruthy();
    expect(settings().views.Tasks).toHaveLength(1);
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
    expect(form.queryByLabelText('Folder')).toBeNull();
    expect(form.queryByRole('button', { name: 'Browse…' })).toBeNull();
    await user.type(form.getByLabelText('Device (not a folder)'), '/dev/sdb1');
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
    await user.type(form.getByLabelText('Server or folder'), 'postgresql://backup@db:5432');
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
