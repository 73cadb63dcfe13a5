import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { ServerFacts, ServerHealth } from '../../../contract/desktop/fleet.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';

giveElementsASize();
windowTests();

const emptyList = () => ({ items: [], total: 0 });
const server = { 'taskQueue.list': emptyList, 'repository.list': emptyList, 'pools.list': emptyList };
const quiet: ServerFacts = {
  running: 0,
  failed: { count: 0, isMore: false, tasks: [] },
  overdue: { count: 0, runs: [] },
  nearlyFull: [],
};
const health = (connectionId: string, change: Partial<ServerHealth> = {}): ServerHealth => ({
  connectionId,
  facts: quiet,
  answeredAt: Date.now(),
  problem: null,
  ...change,
});
const failedTask = {
  id: 12,
  taskType: 'backup_urgent',
  resource: '/srv/\u202Edata',
  status: 'broken',
  finished: '2030-01-15T11:00:00',
  reason: 'The disk is full.',
  isForOthers: false,
};
const overdueRun = {
  ruleId: 4,
  taskId: null,
  client: 'web',
  resource: '/home',
  strategy: 'Nightly',
  due: '2030-01-15T02:00:00',
  reason: 'no client',
  isForOthers: false,
};
const troubled: ServerFacts = {
  running: 2,
  failed: { count: 7, isMore: true, tasks: [failedTask] },
  overdue: { count: 1, runs: [overdueRun] },
  nearlyFull: [{ id: 3, name: 'Main', freeBytes: 1024, totalBytes: 1024 * 1024 }],
};
const prague = connection({ group: 'Offices', colour: 'blue' });
const brno = connection({ id: 'brno', name: 'Brno', group: 'Offices' });
const lab = connection({ id: 'lab', name: 'Lab' }, { phase: 'unreachable', detail: 'No answer.', since: 0 });

async function openFleet(
  connections = [prague, brno, lab],
  fleet: readonly ServerHealth[] = [
    health('prague', { facts: troubled }),
    health('brno'),
    health('lab', { answeredAt: new Date(2030, 0, 15, 14, 2).getTime() }),
  ],
  more: Parameters<typeof openWindow>[0] = {},
) {
  const view = await openWindow({
    ...server,
    'connections.list': () => connections,
    'fleet.list': () => fleet,
    ...more,
  });
  await view.user.click(screen.getByRole('button', { name: 'All servers' }));
  await screen.findByRole('heading', { level: 1, name: 'All servers' });
  return view;
}

const row = (name: string) => {
  const found = within(screen.getByRole('table', { name: 'Servers' }))
    .getAllByRole('row')
    .find((one) => within(one).queryByRole('rowheader', { name }) !== null);
  if (!found) throw new Error(`no row of ${name}`);
  return within(found);
};
const titled = (name: string) => screen.findByRole('heading', { level: 1, name });

describe('all servers', () => {
  test('tell in one look what needs a person, and stale figures say from when they are (cases 35, 36)', async () => {
    await openFleet();
    expect(screen.getByText('2 of 3 servers need a look.').getAttribute('role')).toBe('status');
    expect(row('Prague').getByRole('button', { name: '7+ failed tasks of Prague' })).toBeTruthy();
    expect(row('Prague').getByRole('button', { name: '1 overdue run of Prague' })).toBeTruthy();
    expect(row('Prague').getByText('now')).toBeTruthy();
    expect(row('Brno').queryAllByRole('button')).toHaveLength(1);
    expect(row('Lab').getByText('not reachable')).toBeTruthy();
    expect(row('Lab').getByText(/^stale, from 2030-01-15|^stale, from 14:02/)).toBeTruthy();
  });

  test('each trouble leads to the screen that explains it', async () => {
    const asked: unknown[] = [];
    const { user } = await openFleet(undefined, undefined, {
      'taskQueue.list': (input) => {
        asked.push((input as { query: unknown }).query);
        return emptyList();
      },
    });
    const lines = within(screen.getByRole('region', { name: 'Needs a look' }));
    expect(lines.getByText('Backup urgent of /srv/\\u202edata failed: The disk is full.')).toBeTruthy();
    expect(lines.getByText('and 6 failed tasks more')).toBeTruthy();
    expect(lines.getByText('Pool Main is nearly full: 1.00 KiB free of 1.00 MiB')).toBeTruthy();
    expect(lines.getByText('/home of web by Nightly is overdue since 2030-01-15 02:00:00')).toBeTruthy();
    await user.click(lines.getByRole('button', { name: 'Show task 12 of Prague' }));
    await titled('Tasks');
    await waitFor(() =>
      expect(asked).toContainEqual(expect.objectContaining({ status: 'broken', limit: 200 })),
    );
    await user.click(screen.getByRole('button', { name: 'All servers' }));
    await user.click(await screen.findByRole('button', { name: 'Show the connection of Lab' }));
    expect(await screen.findByText('The server does not answer')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'All servers' }));
    await user.click(await screen.findByRole('button', { name: '1 nearly full pool of Prague' }));
    await titled('Pools');
  });

  test.each([
    [[], 'broken'],
    [['task_statuses'], 'error,broken'],
  ])(
    'the failed tasks of a server with the extensions %j are those with the status %s',
    async (extensions, status) => {
      const asked: unknown[] = [];
      const able = connection({ id: `failed-${extensions.length}`, name: 'Prague' }, { extensions });
      const { user } = await openFleet([able], [health(able.id, { facts: troubled })], {
        'taskQueue.list': (input) => {
          asked.push((input as { query: unknown }).query);
          return emptyList();
        },
      });
      await user.click(row('Prague').getByRole('button', { name: '7+ failed tasks of Prague' }));
      await titled('Tasks');
      await waitFor(() => expect(asked).toContainEqual(expect.objectContaining({ status, limit: 200 })));
    },
  );

  test('all well is said only when every server said so', async () => {
    const { tell } = await openFleet([prague, brno], [health('prague')]);
    expect(
      screen.getByText('1 of 2 servers says that all is well; nothing is known of the others yet.'),
    ).toBeTruthy();
    expect(row('Brno').getByText('no answer yet')).toBeTruthy();
    act(() => tell('fleet.server', health('brno')));
    expect(screen.getByText('All is well on 2 servers.')).toBeTruthy();
  });

  test('a connected server whose look fails is told as not answering, its figures stay', async () => {
    const { tell } = await openFleet([prague], [health('prague', { facts: { ...quiet, running: 5 } })]);
    act(() =>
      tell(
        'fleet.server',
        health('prague', {
          facts: { ...quiet, running: 5 },
          problem: { message: 'The server did not answer within 12 s.', since: 1, retryAt: 2 },
        }),
      ),
    );
    expect(row('Prague').getByText('does not answer')).toBeTruthy();
    expect(row('Prague').getByRole('button', { name: '5 running tasks of Prague' })).toBeTruthy();
    expect(row('Prague').getByText(/^stale, from /)).toBeTruthy();
    expect(screen.getByText('The server did not answer within 12 s.')).toBeTruthy();
  });

  test('what an account may not see is a dash, not a zero', async () => {
    await openFleet([prague], [health('prague', { facts: { ...quiet, overdue: null } })]);
    expect(row('Prague').getAllByText('–')).toHaveLength(1);
    expect(row('Prague').getAllByText('0')).toHaveLength(3);
  });

  test('stand under their groups and sort by any column, the sorted one said (case 51)', async () => {
    const { user } = await openFleet();
    const names = () =>
      within(screen.getByRole('table', { name: 'Servers' }))
        .getAllByRole('rowheader')
        .map((one) => one.textContent);
    expect(names()).toEqual(['Without a group 1', 'Lab', 'Offices 2', 'Brno', 'Prague']);
    const head = screen.getByRole('columnheader', { name: 'Running' });
    expect(head.getAttribute('aria-sort')).toBe('none');
    await user.click(within(head).getByRole('button'));
    await user.click(within(head).getByRole('button'));
    expect(head.getAttribute('aria-sort')).toBe('descending');
    expect(names()).toEqual(['Without a group 1', 'Lab', 'Offices 2', 'Prague', 'Brno']);
  });

  test('are looked at again when asked, by button and by F5', async () => {
    const { user, callsOf } = await openFleet();
    await user.click(screen.getByRole('button', { name: 'Look again' }));
    await user.keyboard('{F5}');
    expect(callsOf('fleet.lookNow')).toHaveLength(2);
  });

  test('the place is kept for the next start; a connection leads on to its overview', async () => {
    const { user, settings } = await openFleet();
    expect(settings()).toMatchObject({ lastConnection: null, lastSection: 'All servers' });
    await user.click(screen.getByRole('button', { name: 'Brno, connected' }));
    await titled('Overview');
    expect(settings()).toMatchObject({ lastConnection: 'brno', lastSection: 'Overview' });
  });
});

describe('connections in a file', () => {
  test('are exported readable or sealed; two different passphrases write nothing (case 31)', async () => {
    const { user, callsOf } = await openFleet(undefined, undefined, {
      'connections.export': () => ({ path: '/home/me/c.json', count: 3 }),
    });
    await user.click(screen.getByRole('button', { name: 'Connections' }));
    await user.click(screen.getByRole('menuitem', { name: 'Export connections…' }));
    const form = within(await dialog('Export connections'));
    expect(form.queryByLabelText('Passphrase')).toBeNull();
    await user.click(form.getByRole('radio', { name: 'Sealed with a passphrase' }));
    await user.type(form.getByLabelText('Passphrase'), 'correct horse');
    await user.type(form.getByLabelText('Passphrase again'), 'correct house');
    await user.click(form.getByRole('button', { name: 'Save…' }));
    expect(await form.findByText('Passphrase again is not the same as above')).toBeTruthy();
    expect(callsOf('connections.export')).toEqual([]);
    await user.clear(form.getByLabelText('Passphrase again'));
    await user.type(form.getByLabelText('Passphrase again'), 'correct horse');
    await user.click(form.getByRole('button', { name: 'Save…' }));
    expect(await screen.findByText('3 connections saved in /home/me/c.json.')).toBeTruthy();
    expect(callsOf('connections.export')).toEqual([{ passphrase: 'correct horse' }]);
  });

  test('are shown before they are taken; nothing is replaced without asking', async () => {
    const item = {
      name: 'Prague',
      address: 'https://prague.example.org:5656',
      database: 'strongroom',
      userName: 'admin',
      authType: 'database',
      domain: '',
      group: '',
      colour: 'none',
      fingerprint: 'AB:CD',
      tls: null,
      existingName: 'Old Prague',
    };
    const { user, callsOf } = await openFleet(undefined, undefined, {
      'dialog.pickFile': () => '/tmp/c.json',
      'connections.readImport': (input) => {
        const { passphrase } = input as { readonly passphrase: string | null };
        if (passphrase === null) return { needsPassphrase: true, digest: 'd', items: [] };
        if (passphrase !== 'right')
          throw new Refused({
            message: 'The file does not open with this passphrase. Nothing was imported.',
            errors: { passphrase: 'is not the one of this file, or the file was changed' },
          });
        return {
          needsPassphrase: false,
          digest: 'd',
          items: [
            item,
            {
              ...item,
              name: 'New \u202E',
              existingName: null,
              tls: { caFile: '/etc/\u202Eca.pem', certificateFile: '/me.crt', keyFile: '' },
            },
          ],
        };
      },
      'connections.import': () => ({ added: 1, replaced: 1, kept: 0 }),
    });
    await user.click(screen.getByRole('button', { name: 'Connections' }));
    await user.click(screen.getByRole('menuitem', { name: 'Import connections…' }));
    const form = within(await dialog('Import connections'));
    await user.click(form.getByRole('button', { name: 'Browse…' }));
    await waitFor(() =>
      expect(form.getByRole<HTMLInputElement>('textbox', { name: 'File' }).value).toBe('/tmp/c.json'),
    );
    await user.click(form.getByRole('button', { name: 'Look into the file' }));
    await user.type(await form.findByLabelText('Passphrase'), 'wrong');
    await user.click(form.getByRole('button', { name: 'Look into the file' }));
    expect(await form.findByText(/Nothing was imported/)).toBeTruthy();
    await user.clear(form.getByLabelText('Passphrase'));
    await user.type(form.getByLabelText('Passphrase'), 'right');
    await user.click(form.getByRole('button', { name: 'Look into the file' }));
    const list = within(await form.findByRole('list', { name: 'Connections in the file' }));
    expect(list.getByText('New \\u202e')).toBeTruthy();
    expect(list.getByText('is here already, as Old Prague')).toBeTruthy();
    // What would be trusted and shown by the new one is said before it is taken.
    expect(list.getByText('Trusts only the authorities in /etc/\\u202eca.pem')).toBeTruthy();
    expect(list.getByText('Shows the client certificate /me.crt')).toBeTruthy();
    expect(list.queryByText(/Uses the key/)).toBeNull();
    expect(form.getByText(/1 will be added\. What is here already stays/)).toBeTruthy();
    const box = list.getByRole<HTMLInputElement>('checkbox');
    expect(box.checked).toBe(false);
    await user.click(box);
    await user.click(form.getByRole('button', { name: 'Import' }));
    expect(await screen.findByText('1 added, 1 replaced, 0 left as they were.')).toBeTruthy();
    expect(callsOf('connections.import')).toEqual([
      { path: '/tmp/c.json', passphrase: 'right', digest: 'd', take: [0, 1], replace: [0] },
    ]);
  });
});
