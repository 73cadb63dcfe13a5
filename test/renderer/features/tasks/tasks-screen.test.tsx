import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { shell } from '../../../../renderer/shell/shell-store.ts';
import { showIn } from '../../../../renderer/shell/tell.ts';
import { refreshList } from '../../../../renderer/shell/use-list.ts';
import { giveElementsASize } from '../../support/drawn.tsx';
import { Refused } from '../../support/fake-bridge.ts';
import { dialog, windowTests } from '../../support/window.tsx';
import { page, task } from '../rows.ts';
import { action, openTasks, permissions, row } from './open-tasks.ts';

giveElementsASize();
windowTests();

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
    const log = within(details.getByRole('tabpanel'));
    expect(await log.findByText(/It began/)).toBeTruthy();
    await user.click(details.getByRole('tab', { name: 'Server log' }));
    expect(await log.findByText(/The server waited/)).toBeTruthy();
  });

  test('an empty log says whether something may still come', async () => {
    const { user } = await openTasks({
      'taskQueue.list': page(task(7, { status: 'transmission' }), task(8, { status: 'error' })),
    });
    await user.click(await row('/srv/data-7'));
    expect(await screen.findByText('Nothing has been written yet.')).toBeTruthy();
    await user.click(await row('/srv/data-8'));
    expect(await screen.findByText('Nothing was written here. The other log may say more.')).toBeTruthy();
  });

  test('of a task that ended without a line of its client the log of the server is shown, unless a person chooses', async () => {
    const line = { id: 1, time: '2026-01-01T10:00:02', level: 'error', source: 'here', message: 'It broke.' };
    const { user } = await openTasks({
      'taskQueue.list': page(task(8, { status: 'error' })),
      'tasks.serverLog': page(line),
    });
    await user.click(await row('/srv/data-8'));
    const details = within(await screen.findByRole('region', { name: 'Task details' }));
    expect(await details.findByText(/It broke/)).toBeTruthy();
    expect(details.getByRole('tab', { name: 'Server log' }).getAttribute('aria-selected')).toBe('true');
    await user.click(details.getByRole('tab', { name: 'Client log' }));
    expect(await details.findByText('Nothing was written here. The other log may say more.')).toBeTruthy();
    expect(details.getByRole('tab', { name: 'Client log' }).getAttribute('aria-selected')).toBe('true');
  });

  test('the details round the progress, and tell failures as alerts', async () => {
    const { user } = await openTasks({
      'taskQueue.list': page(
        task(7, { status: 'error', progress: 33.333333, error_message: 'The disk is full.' }),
        task(8, { status: 'error', error_message: `It broke${' again'.repeat(2000)}` }),
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
    // A reason of 10 kB leaves the log in sight.
    await user.click(await row('/srv/data-8'));
    const reason = (await details.findByText(/It broke again/)).closest('[role="alert"]') as HTMLElement;
    expect(reason.querySelector('.capped-short')).not.toBeNull();
    await user.click(within(reason).getByRole('button', { name: 'Show all (12,008 characters)' }));
    expect(reason.querySelector('.capped-short')).toBeNull();
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

  test('details that were closed come back with a click on their row; keys change their width', async () => {
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
    await user.click(await row('/srv/data-7'));
    expect(details()).not.toBeNull();
  });

  test('Enter makes the details a page with an address: Escape and Alt+Left go back, a restart does not', async () => {
    const { user, settings } = await openTasks({ 'taskQueue.list': page(task(7), task(8)) });
    const details = () => screen.queryByRole('region', { name: 'Task details' });
    const grid = () => screen.queryByRole('grid', { name: 'Tasks' });
    await user.click(await row('/srv/data-8'));
    grid()?.focus();
    await user.keyboard('{Enter}');
    expect(grid()).toBeNull();
    expect(within(details() as HTMLElement).getByRole('heading').textContent).toContain('8');
    expect(settings()).toMatchObject({ lastSection: 'Tasks', lastObject: { list: 'Tasks', id: 8 } });
    // What can be done with it is there too.
    expect(action('Kill')).toBeTruthy();
    await user.keyboard('{Escape}');
    expect(document.activeElement).toBe(grid());
    expect(settings().lastObject).toBeNull();
    await user.keyboard('{Alt>}{ArrowRight}{/Alt}');
    expect(grid()).toBeNull();
    expect(details()).not.toBeNull();
    await user.keyboard('{Alt>}{ArrowLeft}{/Alt}');
    expect(document.activeElement).toBe(grid());
    await user.dblClick(await row('/srv/data-7'));
    expect(within(details() as HTMLElement).getByRole('heading').textContent).toContain('7');
    await user.click(screen.getByRole('link', { name: 'Tasks' }));
    expect(grid()).not.toBeNull();
  });

  test('a page that is opened by its address asks for its object alone, and says when it is gone', async () => {
    const asked: unknown[] = [];
    await openTasks(
      {
        'settings.get': () => ({
          ...shell.getState().settings,
          lastSection: 'Tasks',
          lastObject: { list: 'Tasks', id: 700 },
        }),
        'taskQueue.list': (input) => {
          asked.push(input);
          const { id } = (input as { query: { id?: string } }).query;
          return { items: id === undefined ? [task(8)] : [], total: id === undefined ? 1 : 0 };
        },
      },
      permissions,
      [],
      null,
    );
    expect(await screen.findByText('Number 700 is not there any more.')).toBeTruthy();
    expect(asked).toContainEqual({ query: expect.objectContaining({ id: '700', limit: 1 }) });
  });

  test('a running task says the last three lines of both logs, whichever is looked at', async () => {
    const line = (id: number, second: number) => ({
      ...{ id, level: 'info', source: 'here', message: `line ${id}` },
      time: `2026-01-01T10:00:0${second}`,
    });
    const client = [line(1, 0), line(2, 1), line(3, 2), line(5, 4)];
    const server = [line(4, 3), line(6, 5)];
    const log = (lines: readonly unknown[]) => (input: unknown) => {
      const { page: at, limit } = (input as { query: { page: number; limit: number } }).query;
      return { items: lines.slice((at - 1) * limit, at * limit), total: lines.length };
    };
    const { user } = await openTasks({
      'taskQueue.list': page(task(7, { status: 'transmission', progress: 40 }), task(8, { status: 'done' })),
      'tasks.clientLog': log(client),
      'tasks.serverLog': log(server),
    });
    await user.click(await row('/srv/data-7'));
    const last = await screen.findByRole('list', { name: 'Last lines of both logs' });
    await waitFor(() =>
      expect(
        within(last)
          .getAllByRole('listitem')
          .map(({ textContent }) => textContent),
      ).toEqual(['10:00:03 line 4', '10:00:04 line 5', '10:00:05 line 6']),
    );
    await user.click(await row('/srv/data-8'));
    expect(screen.queryByRole('list', { name: 'Last lines of both logs' })).toBeNull();
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
