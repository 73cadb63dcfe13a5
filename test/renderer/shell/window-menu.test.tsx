import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';

giveElementsASize();
windowTests();

const emptyList = () => ({ items: [], total: 0 });
const server = { 'taskQueue.list': emptyList, 'repository.list': emptyList, 'pools.list': emptyList };

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
