import { act, render, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { App } from '../../../renderer/app.tsx';
import { shell } from '../../../renderer/shell/shell-store.ts';
import { task } from '../features/rows.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { backendState, connection, installBridge, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';

giveElementsASize();
windowTests();

const sections = [
  'Overview',
  'Clients',
  'Tasks',
  'Copies',
  'Strategies',
  'Strategy rules',
  'Pools',
  'Storages',
  'Tape libraries',
  'Media servers',
  'Bandwidth',
  'Dynamic groups',
  'Users',
  'Configuration',
  'Directory',
  'Audit log',
];
const local = connection({ id: 'local', name: 'This computer', kind: 'local', address: '' });
const lab = connection({ id: 'lab', name: 'La\u202Eb' }, { phase: 'unreachable', detail: 'No answer.' });
const emptyList = () => ({ items: [], total: 0 });
const server = { 'taskQueue.list': emptyList, 'repository.list': emptyList, 'pools.list': emptyList };

const links = () =>
  within(screen.getByRole('navigation', { name: 'Sections' }))
    .getAllByRole('link')
    .map((link) => link.textContent);

describe('the frame', () => {
  test('names connections with their state and lists the sections of the chosen one', async () => {
    await openWindow({ ...server, 'connections.list': () => [connection(), local, lab] });
    const connections = within(screen.getByRole('navigation', { name: 'Connections' }));
    expect(connections.getByRole('button', { name: 'Prague, connected' })).toBeTruthy();
    expect(connections.getByRole('button', { name: 'This computer, connected' })).toBeTruthy();
    expect(connections.getByRole('button', { name: 'La\\u202eb, not reachable' })).toBeTruthy();
    expect(connections.getByRole('button', { name: 'Add connection' })).toBeTruthy();
    expect(links()).toEqual(sections);
  });

  test('offers the local backend for this computer only', async () => {
    const { user } = await openWindow({ ...server, 'connections.list': () => [connection(), local] });
    await user.click(screen.getByRole('button', { name: 'This computer, connected' }));
    expect(links()).toEqual([...sections, 'Local backend']);
  });

  test('a section that needs what the server has not got is not offered', async () => {
    await openWindow({
      ...server,
      'connections.list': () => [{ ...connection(), state: { ...connection().state, extensions: [] } }],
    });
    const names = within(screen.getByRole('navigation', { name: 'Sections' }))
      .getAllByRole('link')
      .map((link) => link.textContent);
    expect(names).toContain('Strategy rules');
    expect(names).not.toContain('Strategies');
    expect(names).not.toContain('Audit log');
  });

  test('a section without the right to it says which right is missing', async () => {
    const { user } = await openWindow({ ...server, 'connections.list': () => [connection()] });
    await user.click(screen.getByRole('link', { name: 'Users' }));
    expect(await screen.findByText(/auditors\.read/)).toBeTruthy();
  });

  test('follows changes of state as they are told', async () => {
    const { tell } = await openWindow({ ...server, 'connections.list': () => [connection()] });
    act(() =>
      tell('connection.state', {
        connectionId: 'prague',
        state: { ...connection().state, phase: 'signIn', detail: 'The session is over.' },
      }),
    );
    expect(screen.getByRole('button', { name: 'Prague, needs sign-in' })).toBeTruthy();
    expect(await screen.findByText('The session is over.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Sign in' })).toBeTruthy();
  });

  test('what is shown stays, marked as stale, when the server goes away', async () => {
    const { tell } = await openWindow({ ...server, 'connections.list': () => [connection()] });
    expect(await screen.findByText('There is no copy yet.')).toBeTruthy();
    act(() =>
      tell('connection.state', {
        connectionId: 'prague',
        state: {
          ...connection().state,
          phase: 'unreachable',
          detail: 'No answer.',
          retryAt: Date.now() + 60_000,
        },
      }),
    );
    expect(screen.getByText('There is no copy yet.')).toBeTruthy();
    expect(screen.getByText(/Not up to date since/).textContent).toMatch(
      /No answer\. Next try in (1 min 0|59) s/,
    );
  });
});

test('a server that goes away while a list is open is told once, with the reason of the connection', async () => {
  let isAway = false;
  const { tell, user } = await openWindow({
    ...server,
    'taskQueue.list': () => {
      if (isAway) throw new Refused({ message: 'The local backend is not running.' });
      return emptyList();
    },
    'connections.list': () => [connection({ id: 'away' })],
  });
  await user.click(screen.getByRole('link', { name: 'Tasks' }));
  expect(await screen.findByText(/No task has run yet/)).toBeTruthy();
  isAway = true;
  act(() => tell('server.event', { connectionId: 'away', kind: 'reset', event: null }));
  expect((await screen.findByText(/Not up to date since/)).textContent).toContain('is not running');
  const change = (state: Partial<ReturnType<typeof connection>['state']>) =>
    act(() => tell('connection.state', { connectionId: 'away', state: { ...connection().state, ...state } }));
  change({ phase: 'stopped', detail: 'The local backend was stopped.' });
  expect(screen.getAllByText(/Not up to date since/)).toHaveLength(1);
  expect(screen.getByText(/Not up to date since/).textContent).toContain('was stopped');
  change({});
  expect(screen.getByText(/Not up to date since/).textContent).toContain('is not running');
});

test('settings are shown with their unit in the singular and the plural', async () => {
  const { user } = await openWindow({
    ...server,
    'connections.list': () => [
      connection({ id: 'set' }, { permissions: ['global_configuration.read', 'global_configuration.write'] }),
    ],
    'configuration.get': () => ({
      done_tasks_remove_period: 1,
      error_tasks_remove_period: 30,
      wrong_auth_block_period: null,
    }),
  });
  await user.click(screen.getByRole('link', { name: 'Configuration' }));
  // The section is loaded first, which takes its time on a busy machine.
  expect(await screen.findByText('1 day', {}, { timeout: 10_000 })).toBeTruthy();
  expect(screen.getByText('30 days')).toBeTruthy();
});

test('the status bar counts what is worked on, and nothing while that cannot be told', async () => {
  const { tell } = await openWindow({
    ...server,
    'connections.list': () => [connection()],
    'taskQueue.list': (input) => {
      const { status } = (input as { readonly query: { readonly status?: string } }).query;
      const speeds: Readonly<Record<string, number>> = {
        execution: 3 * 1024 * 1024,
        transmission: 1024 * 1024,
      };
      const items =
        status !== undefined && status in speeds ? [task(1, { status, speed: speeds[status] ?? 0 })] : [];
      return { items, total: items.length };
    },
  });
  expect(await screen.findByText('2 tasks running')).toBeTruthy();
  expect(screen.getByText('4.00 MiB/s')).toBeTruthy();
  act(() =>
    tell('connection.state', {
      connectionId: 'prague',
      state: { ...connection().state, phase: 'unreachable', detail: 'No answer.' },
    }),
  );
  await waitFor(() => expect(screen.queryByText('2 tasks running')).toBeNull());
});

describe('places', () => {
  test('Alt and an arrow go back and forward', async () => {
    const { user } = await openWindow({ ...server, 'connections.list': () => [connection()] });
    await user.click(screen.getByRole('link', { name: 'Strategies' }));
    await user.click(screen.getByRole('link', { name: 'Directory' }));
    const title = () => screen.getByRole('heading', { level: 1 }).textContent;
    expect(title()).toBe('Directory');
    await user.keyboard('{Alt>}{ArrowLeft}{/Alt}');
    expect(title()).toBe('Strategies');
    await user.keyboard('{Alt>}{ArrowRight}{/Alt}');
    expect(title()).toBe('Directory');
  });

  test('the last place is where the next start begins', async () => {
    const { user, settings } = await openWindow({
      ...server,
      'connections.list': () => [connection(), local],
    });
    await user.click(screen.getByRole('button', { name: 'This computer, connected' }));
    await user.click(screen.getByRole('link', { name: 'Directory' }));
    expect(settings()).toMatchObject({ lastConnection: 'local', lastSection: 'Directory' });
  });

  test('begins at the overview of the first connection when the last one is gone', async () => {
    await openWindow({
      ...server,
      'connections.list': () => [connection()],
      'settings.get': () => ({
        ...shell.getState().settings,
        lastConnection: 'gone',
        lastSection: 'Local backend',
      }),
    });
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Overview');
  });
});

describe('the palette', () => {
  test('Ctrl+K goes anywhere by keyboard alone (case 51)', async () => {
    const { user } = await openWindow({ ...server, 'connections.list': () => [connection(), local] });
    await user.keyboard('{Control>}k{/Control}');
    await dialog('Go to anything');
    expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'Search everything' }));
    await user.keyboard('local back{Enter}');
    expect(await screen.findByRole('heading', { level: 1, name: 'Local backend' })).toBeTruthy();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('arrows choose, what has no name of the kind is said', async () => {
    const { user, settings } = await openWindow({ ...server, 'connections.list': () => [connection()] });
    await user.keyboard('{Meta>}k{/Meta}');
    await user.keyboard('density{ArrowDown}{ArrowDown}{Enter}');
    await waitFor(() => expect(settings().density).toBe('comfortable'));
    expect(document.documentElement.dataset.density).toBe('comfortable');
    await user.keyboard('{Control>}k{/Control}xyzzy');
    expect(screen.getByText('Nothing has this name.')).toBeTruthy();
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

test('a question mark shows the keys, but not while one types', async () => {
  const { user } = await openWindow({ ...server, 'connections.list': () => [connection()] });
  await user.keyboard('?');
  await dialog('Keyboard shortcuts');
  await user.keyboard('{Escape}{Control>}k{/Control}?');
  expect(screen.getByRole<HTMLInputElement>('combobox').value).toBe('?');
});

describe('notices', () => {
  test('information is a status, a failure an alert that stays', async () => {
    const { tell, user, callsOf } = await openWindow({ ...server, 'connections.list': () => [connection()] });
    act(() => {
      tell('notice', { id: 'a', level: 'info', message: 'Done.', connectionId: null, action: 'none' });
      tell('notice', {
        id: 'b',
        level: 'error',
        message: 'Lost \u202Ename',
        connectionId: 'prague',
        action: 'signIn',
      });
    });
    expect(screen.getByText('Done.').closest('[role="status"]')).not.toBeNull();
    const alert = screen.getByRole('alert');
    expect(alert.textContent).toContain('Lost \\u202ename');
    await user.click(within(alert).getByRole('button', { name: 'Sign in' }));
    await dialog('Sign in to Prague');
    expect(callsOf('notices.dismiss')).toEqual([{ id: 'b' }]);
  });

  test('the same one again replaces the one before, and main can take it back', async () => {
    const { tell } = await openWindow({ ...server, 'connections.list': () => [connection()] });
    const notice = { id: 'k', level: 'warning', connectionId: null, action: 'none' } as const;
    act(() => tell('notice', { ...notice, message: 'once' }));
    act(() => tell('notice', { ...notice, message: 'twice' }));
    expect(screen.queryByText('once')).toBeNull();
    expect(screen.getByText('twice')).toBeTruthy();
    act(() => tell('notice.gone', { id: 'k' }));
    expect(screen.queryByText('twice')).toBeNull();
  });
});

test('settings that cannot be kept are told once, and the window goes on', async () => {
  const { user } = await openWindow({
    ...server,
    'connections.list': () => [connection()],
    'settings.set': () => {
      throw new Refused({ kind: 'local', message: 'The disk is full.' });
    },
  });
  await user.click(screen.getByRole('link', { name: 'Strategies' }));
  await user.click(screen.getByRole('link', { name: 'Directory' }));
  expect((await screen.findAllByText(/The disk is full/)).length).toBe(1);
});

test('a notice of the desktop leads to what it tells of, a server in the tray to its overview', async () => {
  const asked: unknown[] = [];
  const brno = connection({ id: 'brno', name: 'Brno' });
  const { tell } = await openWindow({
    ...server,
    'connections.list': () => [connection(), brno],
    'taskQueue.list': (input) => {
      asked.push((input as { readonly query: unknown }).query);
      return emptyList();
    },
  });
  act(() => tell('goTo', { connectionId: 'brno', section: 'Tasks', id: 7, status: 'error' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Tasks' })).toBeTruthy();
  await waitFor(() => expect(asked).toContainEqual(expect.objectContaining({ status: 'error', limit: 200 })));
  expect(shell.getState().place).toEqual({ connectionId: 'brno', section: 'Tasks' });
  act(() => tell('goTo', { connectionId: 'prague', section: 'Overview', id: null, status: null }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Overview' })).toBeTruthy();
});

test('light and dark follow main', async () => {
  const { tell } = await openWindow();
  expect(document.documentElement.dataset.theme).toBe('light');
  act(() => tell('theme', { dark: true }));
  expect(document.documentElement.dataset.theme).toBe('dark');
});

describe('the menu of the application', () => {
  const menu = async () => {
    const window = await openWindow({ ...server, 'connections.list': () => [connection()] });
    const choose = (action: 'preferences' | 'about' | 'reload' | 'keyboardSheet') =>
      act(() => window.tell('action', { action }));
    return { ...window, choose };
  };

  test('opens the preferences, which are kept on Save only', async () => {
    const { choose, user, settings } = await menu();
    choose('preferences');
    const form = within(await dialog('Preferences'));
    await user.selectOptions(form.getByRole('combobox', { name: 'Theme' }), 'Dark');
    await user.selectOptions(form.getByRole('combobox', { name: 'Density of tables' }), 'Compact');
    await user.selectOptions(form.getByRole('combobox', { name: 'Clock' }), '12 hours, 2:30 PM');
    await user.click(form.getByRole('checkbox', { name: 'when a run is overdue' }));
    expect(settings().theme).toBe('system');
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(settings()).toMatchObject({
      theme: 'dark',
      density: 'compact',
      clock: '12',
      localTimes: 'tooltip',
      desktopNotices: { taskFailed: true, runOverdue: false, poolNearlyFull: true, serverUnreachable: true },
    });
    expect(document.documentElement.dataset.density).toBe('compact');
  });

  test('looks for new versions only when it is wanted, at the address that is given', async () => {
    const { choose, user, settings, callsOf, tell } = await menu();
    choose('preferences');
    const form = within(await dialog('Preferences'));
    expect(form.queryByRole('textbox', { name: 'Address of new versions' })).toBeNull();
    await user.click(form.getByRole('checkbox', { name: 'Look for new versions once a day' }));
    await user.type(form.getByRole('textbox', { name: 'Address of new versions' }), 'https://example.com/');
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(settings()).toMatchObject({ lookForUpdates: true, updateFeed: 'https://example.com/' });
    // A field that is not shown any more is in nobody's way.
    choose('preferences');
    const again = within(await dialog('Preferences'));
    await user.type(
      again.getByRole('textbox', { name: 'Address of new versions' }),
      ' and what is no address',
    );
    await user.click(again.getByRole('checkbox', { name: 'Look for new versions once a day' }));
    await user.click(again.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(settings()).toMatchObject({ lookForUpdates: false, updateFeed: 'https://example.com/' });
    act(() => {
      const message = 'Version 9.1.0 of Strongroom is there';
      tell('notice', { id: 'update', level: 'warning', message, connectionId: null, action: 'openUpdate' });
    });
    await user.click(screen.getByRole('button', { name: 'Open' }));
    expect(callsOf('updates.open')).toHaveLength(1);
  });

  test('tells what a report of a problem needs', async () => {
    const { choose, user, callsOf } = await menu();
    choose('about');
    const about = within(await dialog('About Strongroom'));
    await user.click(about.getByRole('button', { name: 'Copy' }));
    expect(callsOf('clipboard.write')).toEqual([{ text: expect.stringContaining('Version: 1.0.0\n') }]);
    expect(callsOf('clipboard.write')).toEqual([{ text: expect.stringMatching(/Keychain: works$/) }]);
  });

  test('loads the shown place again', async () => {
    const { choose, callsOf } = await menu();
    await waitFor(() => expect(callsOf('pools.list')).toHaveLength(1));
    choose('reload');
    await waitFor(() => expect(callsOf('pools.list')).toHaveLength(2));
  });

  test('and shortcuts lose nothing that was typed into a dialog', async () => {
    const { choose, user } = await menu();
    await user.click(screen.getByRole('button', { name: 'Add connection' }));
    const form = within(await dialog('Connect to a server'));
    await user.type(form.getByRole('textbox', { name: 'Address' }), 'prague');
    choose('about');
    await user.keyboard('{Control>}k{/Control}{F5}{Alt>}{ArrowLeft}{/Alt}');
    expect(form.getByRole<HTMLInputElement>('textbox', { name: 'Address' }).value).toBe('prague');
  });
});

test('what is told while the window still begins is newer than what it was answered before', async () => {
  let answer: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const bridge = installBridge({ ...server, 'notices.list': () => slow.then(() => []) });
  render(<App />);
  await waitFor(() => expect(shell.getState().info).not.toBeNull());
  act(() => bridge.tell('theme', { dark: true }));
  act(() => bridge.tell('localBackend.state', backendState({ phase: 'running' })));
  await act(async () => answer());
  await screen.findByRole('main');
  expect(document.documentElement.dataset.theme).toBe('dark');
  expect(shell.getState().localBackend?.phase).toBe('running');
});
