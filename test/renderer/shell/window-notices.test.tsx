import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { shell } from '../../../renderer/shell/shell-store.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';

giveElementsASize();
windowTests();

const emptyList = () => ({ items: [], total: 0 });
const server = { 'taskQueue.list': emptyList, 'repository.list': emptyList, 'pools.list': emptyList };

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
