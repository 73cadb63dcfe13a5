import { act, render, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { App } from '../../../renderer/app.tsx';
import { shell } from '../../../renderer/shell/shell-store.ts';
import { task } from '../features/rows.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { appInfo, backendState, connection, installBridge, Refused } from '../support/fake-bridge.ts';
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

test('light and dark follow main', async () => {
  const { tell } = await openWindow();
  expect(document.documentElement.dataset.theme).toBe('light');
  act(() => tell('theme', { dark: true }));
  expect(document.documentElement.dataset.theme).toBe('dark');
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

test('an answer that comes after what was told since it was made does not undo that', async () => {
  let answer: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const after =
    <T,>(value: T) =>
    () =>
      slow.then(() => value);
  const bridge = installBridge({
    ...server,
    'app.info': after(appInfo),
    'localBackend.state': after(backendState({ phase: 'starting' })),
    'connections.list': after([]),
  });
  render(<App />);
  act(() => bridge.tell('theme', { dark: true }));
  act(() => bridge.tell('localBackend.state', backendState({ phase: 'running' })));
  act(() => bridge.tell('connections.changed', { connections: [connection()] }));
  await act(async () => answer());
  await waitFor(() => expect(shell.getState().info).not.toBeNull());
  await screen.findByRole('main');
  expect(document.documentElement.dataset.theme).toBe('dark');
  expect(shell.getState().localBackend?.phase).toBe('running');
  expect(shell.getState().connections).toHaveLength(1);
});
