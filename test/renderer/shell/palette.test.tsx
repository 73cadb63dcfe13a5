import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { deadlineMs } from '../../../renderer/shell/server-search.ts';
import { shell } from '../../../renderer/shell/shell-store.ts';
import { copy as copyRow, task as taskRow } from '../features/rows.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';

giveElementsASize();
windowTests();
afterEach(() => {
  vi.useRealTimers();
});

const all = ['task_queue.read', 'repository.read', 'clients.read', 'pools.read', 'global_configuration.read'];
const prague = connection({}, { permissions: all });
const brno = connection({ id: 'brno', name: 'Brno' }, { permissions: all });
const lab = connection({ id: 'lab', name: 'Lab' }, { phase: 'unreachable', permissions: all });
const none = { items: [], total: 0 };
const task = taskRow(71, { task_type: 'verify', resource: '/srv/web\u202E', status: 'error' });
const copy = copyRow(5, { resource: '/srv/web/files' });
const client = { id: 3, client_name: 'web.example.org (a3)', hostname: 'web.example.org' };

type Query = { readonly query: { readonly search?: string } };
const found =
  (items: readonly unknown[], total = items.length) =>
  (input: unknown) =>
    (input as Query).query.search === undefined ? none : { items, total };

async function openPalette(
  connections = [prague, brno, lab],
  answers: Parameters<typeof openWindow>[0] = {},
) {
  const view = await openWindow({
    'taskQueue.list': () => none,
    'repository.list': () => none,
    'pools.list': () => none,
    'clients.list': () => none,
    'connections.list': () => connections,
    ...answers,
  });
  await view.user.keyboard('{Control>}k{/Control}');
  await dialog('Go to anything');
  return view;
}

const group = (name: RegExp | string) => screen.findByRole('group', { name });
const options = async (name: RegExp | string) =>
  within(await group(name))
    .getAllByRole('option')
    .map((one) => one.textContent);

describe('Go to anything', () => {
  test('the key that chose a dialog does not press the button that this begins with (case 51)', async () => {
    const { user } = await openPalette([prague]);
    await user.keyboard('Keyboard shortcuts{Enter}');
    const sheet = within(await dialog('Keyboard shortcuts'));
    expect(sheet.getByRole('button', { name: 'Close' })).toBeTruthy();
    expect(document.activeElement?.textContent).toBe('Close');
  });

  test('finds clients, tasks and copies by the search of each connected server, under its name', async () => {
    const { user, calls } = await openPalette([prague, brno, lab], {
      'clients.list': found([client]),
      'taskQueue.list': found([task], 12),
      'repository.list': found([copy]),
    });
    await user.keyboard('web');
    await waitFor(async () =>
      expect(await options('Prague')).toEqual([
        'web.example.org (a3) client',
        'Verify of /srv/web\\u202e task 71, Error',
        'files copy 5 of /srv/web/files',
        'All 12 tasks with “web” ',
      ]),
    );
    expect(await options('Brno')).toHaveLength(4);
    expect(screen.queryByRole('group', { name: 'Lab' })).toBeNull();
    expect(screen.getByText('1 server not connected, not searched.')).toBeTruthy();
    const asked = calls.filter(({ input }) => (input as Query | undefined)?.query?.search !== undefined);
    // One question a kind and server for the whole word, none for its first letters.
    expect(asked).toHaveLength(6);
    expect(asked.every(({ input }) => (input as Query).query.search === 'web')).toBe(true);
  });

  test('a found task is opened in its list, which is narrowed by the same text', async () => {
    const asked: Query[] = [];
    const { user } = await openPalette([prague], {
      'taskQueue.list': (input) => {
        asked.push(input as Query);
        return found([task])(input);
      },
    });
    await user.keyboard('web');
    await user.click(await screen.findByRole('option', { name: /^Verify of/ }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Tasks' })).toBeTruthy();
    await waitFor(() =>
      expect(asked).toContainEqual({ query: expect.objectContaining({ search: 'web', limit: 200 }) }),
    );
    expect(screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search Tasks' }).value).toBe('web');
  });

  test('a found client is opened and selected, a setting is found by what it means', async () => {
    const asked: unknown[] = [];
    const { user } = await openPalette([prague], {
      'clients.list': found([client]),
      'clients.tree': (input) => {
        asked.push((input as { readonly body: unknown }).body);
        return { client_groups: [], total: 0 };
      },
      'configuration.get': () => ({ file_transfer_block_size: 4096 }),
    });
    await user.keyboard('web');
    await user.click(await screen.findByRole('option', { name: /^web\.example\.org/ }));
    await waitFor(() =>
      expect(asked).toContainEqual(expect.objectContaining({ filter_clients_hostname: 'web.example.org' })),
    );
    expect(shell.getState().place).toEqual({
      connectionId: 'prague',
      section: 'Clients',
      wish: { id: 3, search: 'web.example.org' },
    });
    await user.keyboard('{Control>}k{/Control}blocks in which data travel{Enter}');
    expect(await screen.findByRole('heading', { level: 1, name: 'Configuration' })).toBeTruthy();
    await waitFor(() =>
      expect(screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search Configuration' }).value).toBe(
        'file_transfer_block_size',
      ),
    );
  });

  test('a mute server holds up no other and is given up at its deadline (case 34)', async () => {
    const { callsOf } = await openPalette([prague, brno], {
      'clients.list': found([client]),
    });
    const { invoke } = window.bridge;
    const muted = async (...args: Parameters<typeof invoke>) => {
      const input = args[1] as { readonly connectionId?: string; readonly name?: string } | undefined;
      const isMute = args[0] === 'api.call' && input?.connectionId === 'brno';
      return isMute ? new Promise<never>(() => undefined) : invoke(...args);
    };
    Object.defineProperty(window, 'bridge', {
      configurable: true,
      value: { ...window.bridge, invoke: muted },
    });
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const box = screen.getByRole<HTMLInputElement>('combobox', { name: 'Search everything' });
    const { fireEvent } = await import('@testing-library/react');
    fireEvent.change(box, { target: { value: 'web' } });
    await act(() => vi.advanceTimersByTimeAsync(300));
    expect(await options('Prague')).toEqual(['web.example.org (a3) client']);
    expect(within(await group(/^Brno/)).getByText('searching…')).toBeTruthy();
    expect(screen.getByText('Searching the servers…')).toBeTruthy();
    await act(() => vi.advanceTimersByTimeAsync(deadlineMs));
    expect(within(await group(/^Brno/)).getByText('no answer within 6 s')).toBeTruthy();
    expect(screen.queryByText('Searching the servers…')).toBeNull();
    // What nobody waits for any more is given up.
    expect(callsOf('api.cancel')).toHaveLength(3);
  });

  test('what servers find later moves neither the choice nor the focus (case 51)', async () => {
    let answer = (_value: unknown): void => undefined;
    const { user } = await openPalette([prague, brno], {
      'clients.list': (input) =>
        (input as Query).query.search === undefined
          ? none
          : new Promise((resolve) => {
              answer = resolve;
            }),
      'repository.list': found([copy]),
    });
    await user.keyboard('zzz');
    await waitFor(async () => expect(await options(/^Brno/)).toHaveLength(1));
    await user.keyboard('{ArrowDown}');
    const chosen = () => screen.getByRole('option', { selected: true });
    const box = screen.getByRole('combobox', { name: 'Search everything' });
    expect(within(await group(/^Brno/)).getByRole('option', { selected: true })).toBe(chosen());
    await act(async () => answer({ items: [client], total: 1 }));
    await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(3));
    expect(chosen().textContent).toContain('files');
    expect(document.getElementById(box.getAttribute('aria-activedescendant') ?? '')).toBe(chosen());
    expect(document.activeElement).toBe(box);
  });

  test('asks for nothing that the account may not see, and tells a refusal under the server', async () => {
    const { user, callsOf } = await openPalette([connection({}, { permissions: ['clients.read'] })], {
      'clients.list': () => {
        throw new Refused({ message: 'The search is too long \u202E.' });
      },
    });
    const before = callsOf('taskQueue.list').length;
    await user.keyboard('web');
    expect(await screen.findByText('The search is too long \\u202e.')).toBeTruthy();
    expect(callsOf('taskQueue.list').slice(before)).toEqual([]);
  });
});
