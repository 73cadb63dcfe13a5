import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { fieldsNotTaken } from '../../../renderer/shell/saved.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';
import { page, pool } from './rows.ts';

giveElementsASize();
windowTests();

const areas = [
  'task_queue',
  'pools',
  'storages',
  'users',
  'auditors',
  'media_servers',
  'clients',
  'client_groups',
];
const permissions = areas.flatMap((area) => ['read', 'write', 'delete'].map((right) => `${area}.${right}`));
let made = 0;

async function openSection(
  section: string,
  answers: Parameters<typeof openWindow>[0],
  extensions: readonly string[] = ['users'],
) {
  made += 1;
  const one = connection(
    { id: `server-${made}` },
    { permissions: [...permissions], extensions: [...extensions] },
  );
  const view = await openWindow({
    'connections.list': () => [one],
    'taskQueue.list': page(),
    'repository.list': page(),
    'pools.list': page(),
    ...answers,
  });
  await view.user.click(screen.getByRole('link', { name: section }));
  return view;
}

const row = (text: string) => screen.findByRole('row', { name: new RegExp(text) });
const action = (section: string, name: string) =>
  within(screen.getByRole('toolbar', { name: `${section} actions` })).getByRole('button', { name });
const bodyIds = (input: unknown) => (input as { body: { ids: number[] } }).body.ids;

describe('pools', () => {
  test('what a server does not remove stays selected with its reason; again asks only for it (case 50)', async () => {
    let pools = [pool(1), pool(2), pool(3)];
    let isFree = false;
    const { user, callsOf } = await openSection('Pools', {
      'pools.list': () => page(...pools)(),
      'pools.deleteMany': (input) => {
        const failed = isFree ? [] : [{ id: 2, reason: 'It holds copies.' }];
        const removed = bodyIds(input).filter((id) => isFree || id !== 2);
        pools = pools.filter((one) => !removed.includes(one.id));
        return { removed, failed };
      },
    });
    await user.click(await row('pool-1'));
    await user.keyboard('{Shift>}');
    await user.click(await row('pool-3'));
    await user.keyboard('{/Shift}');
    await user.click(action('Pool', 'Delete…'));
    const question = within(await dialog('Delete pools'));
    await user.click(question.getByRole('button', { name: 'Delete' }));
    expect(await question.findByText('2 of 3 removed')).toBeTruthy();
    expect(question.getByText('pool-2: It holds copies.')).toBeTruthy();
    isFree = true;
    await user.click(question.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(callsOf('pools.deleteMany').map(bodyIds)).toEqual([[1, 2, 3], [2]]);
  });

  test('what stays of a deletion that was given up is what is selected', async () => {
    const { user } = await openSection('Pools', {
      'pools.list': page(pool(1), pool(2)),
      'pools.deleteMany': () => ({ removed: [1], failed: [{ id: 2, reason: 'It holds copies.' }] }),
    });
    await user.click(await row('pool-1'));
    await user.keyboard('{Shift>}');
    await user.click(await row('pool-2'));
    await user.keyboard('{/Shift}');
    await user.click(action('Pool', 'Delete…'));
    const question = within(await dialog('Delete pools'));
    await user.click(question.getByRole('button', { name: 'Delete' }));
    await question.findByText('1 of 2 removed');
    await user.click(question.getByRole('button', { name: 'Cancel' }));
    expect((await row('pool-2')).getAttribute('aria-selected')).toBe('true');
    expect((await row('pool-1')).getAttribute('aria-selected')).toBe('false');
  });

  test('a field that the server ignored does not look saved (case 133)', async () => {
    const { user } = await openSection('Pools', {
      'pools.list': page(pool(1)),
      'pools.get': () => pool(1, { retention_period: '1 year' }),
    });
    await user.click(await row('pool-1'));
    await user.click(action('Pool', 'Edit…'));
    const form = within(await dialog('Edit pool pool-1'));
    await user.type(form.getByLabelText('Retention'), '2 years');
    await user.click(form.getByRole('button', { name: 'Save' }));
    expect(
      await screen.findByText('Pool pool-1: the server keeps another value for Retention (1 year).'),
    ).toBeTruthy();
  });

  test.each(['Block device', 'Client defined'])(
    'a pool of type %s has no compression (case 133)',
    async (type) => {
      const { user, callsOf } = await openSection('Pools', {
        'pools.list': page(pool(1, { pool_type: type, compression_type: null })),
        'pools.get': () => pool(1, { pool_type: type, compression_type: null }),
      });
      await user.click(await row('pool-1'));
      await user.click(action('Pool', 'Edit…'));
      const form = within(await dialog('Edit pool pool-1'));
      expect(form.queryByLabelText('Compression')).toBeNull();
      await user.click(form.getByRole('button', { name: 'Save' }));
      await waitFor(() => expect(callsOf('pools.update')).toHaveLength(1));
      expect(JSON.stringify(callsOf('pools.update'))).not.toContain('compression_type');
    },
  );

  test('a tape pool is bound to a media set where the server has them', async () => {
    const tapes = pool(1, { pool_type: 'Tape library', media_set_name: 'Weekly', takes_scratch: true });
    const asked = async (extensions: readonly string[]) => {
      const { user, callsOf } = await openSection(
        'Pools',
        {
          'pools.list': page(tapes),
          'pools.get': () => tapes,
          'cartridges.list': page({ media_set_name: 'Monthly' }),
        },
        extensions,
      );
      await user.click(await row('pool-1'));
      await user.click(action('Pool', 'Edit…'));
      const form = within(await dialog('Edit pool pool-1'));
      return { user, form, callsOf };
    };
    const { user, form, callsOf } = await asked(['media_sets']);
    expect(screen.getByText('Weekly, and empty cartridges without a set')).toBeTruthy();
    const field = form.getByRole('combobox', { name: 'Media set' });
    await user.clear(field);
    expect(form.queryByLabelText(/^Take empty cartridges/)).toBeNull();
    await user.type(field, 'Monthly');
    await user.click(form.getByLabelText(/^Take empty cartridges/));
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(callsOf('pools.update')).toHaveLength(1));
    expect(callsOf('pools.update')[0]).toMatchObject({
      body: { media_set_name: 'Monthly', takes_scratch: false },
    });
  });

  test('metadata of the copies that are there move when it is asked for, and an earlier wish stays else', async () => {
    const blocks = pool(1, { pool_type: 'Block device', compression_type: null, meta_data_pool: 'first' });
    const named = (id: number, pool_name: string) => pool(id, { pool_name });
    const { user, callsOf } = await openSection('Pools', {
      'pools.list': page(blocks, named(2, 'first'), named(3, 'second')),
      'pools.get': () => blocks,
    });
    await user.click(await row('pool-1'));
    const change = async (work: (form: ReturnType<typeof within>) => Promise<void>) => {
      await user.click(action('Pool', 'Edit…'));
      const form = within(await dialog('Edit pool pool-1'));
      await work(form);
      await user.click(form.getByRole('button', { name: 'Save' }));
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    };
    await change((form) => user.type(form.getByLabelText('Description'), 'Mail'));
    await change((form) => user.click(form.getByLabelText(/^Move the metadata/)));
    await change(async (form) => {
      await user.selectOptions(form.getByLabelText('Pool for the metadata'), 'second');
    });
    const asked = callsOf('pools.update').map((input) => {
      const { body } = input as { body: { meta_data_pool?: string; move_old_metadata?: boolean } };
      return [body.meta_data_pool, body.move_old_metadata];
    });
    expect(asked).toEqual([
      [undefined, undefined],
      [undefined, true],
      ['second', undefined],
    ]);
  });

  test('a new pool whose form cannot be prepared says why', async () => {
    const { user } = await openSection('Pools', {
      'mediaServers.list': () => {
        throw new Refused({ kind: 'unreachable', message: 'The server does not answer.' });
      },
    });
    await user.click(await screen.findByRole('button', { name: 'New pool' }));
    expect(await screen.findByText('The server does not answer.')).toBeTruthy();
  });
});

describe('what was saved', () => {
  test('is compared by what was asked for; the order of a list means nothing', () => {
    const record = { a: 1, groups: ['x', 'y'], other: 5 };
    expect(fieldsNotTaken({ a: 1, groups: ['y', 'x'], password: 'secret' }, record)).toEqual([]);
    expect(fieldsNotTaken({ a: 2, groups: ['y'] }, record)).toEqual(['a', 'groups']);
  });
});

describe('users', () => {
  test('an administrator is limited to the groups that are named', async () => {
    const { user, callsOf } = await openSection('Users', {
      'users.list': page(),
      'users.create': () => ({ id: 3 }),
    });
    await user.click(await screen.findByRole('button', { name: 'New user' }));
    const form = within(await dialog('New user'));
    await user.type(form.getByLabelText('User name'), 'eva');
    await user.type(form.getByLabelText('Password'), 'long enough');
    await user.type(form.getByLabelText('Client groups'), 'Prague,  Brno ,');
    await user.click(form.getByRole('button', { name: 'Create user' }));
    await waitFor(() =>
      expect(callsOf('users.create')).toMatchObject([{ body: { client_groups: ['Prague', 'Brno'] } }]),
    );
  });

  const groupsThere = ['users', 'client_groups'];
  const known = {
    ...{ id: 3, user_name: 'eva', roles: ['administrator', 'auditor'], client_groups: ['Prague, north'] },
    ...{ enabled: true, last_success_login: null, last_fail_login: null, created: '2026-01-01T00:00:00' },
  };

  test('roles and groups are ticked, also a group with a comma in its name; what stays as it is is not sent', async () => {
    const { user, callsOf } = await openSection(
      'Users',
      {
        'users.list': page(known),
        'users.get': () => known,
        'clientGroups.list': page(
          { id: 1, name: 'Prague, north', shared: false, clients_total: 1 },
          { id: 2, name: 'Brno', shared: false, clients_total: 1 },
        ),
      },
      groupsThere,
    );
    await user.click(await row('eva'));
    await user.click(action('User', 'Edit…'));
    const form = within(await dialog('Edit user eva'));
    expect(form.getByLabelText('auditor')).toHaveProperty('checked', true);
    expect(form.getByLabelText('Prague, north')).toHaveProperty('checked', true);
    await user.click(form.getByLabelText('Brno'));
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(callsOf('users.update')).toHaveLength(1));
    expect(callsOf('users.update')).toEqual([
      { params: { id: 3 }, body: { client_groups: ['Prague, north', 'Brno'], enabled: true } },
    ]);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await user.click(action('User', 'Edit…'));
    const again = within(await dialog('Edit user eva'));
    await user.click(again.getByLabelText('maintainer'));
    await user.click(again.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(callsOf('users.update')).toHaveLength(2));
    expect(callsOf('users.update')[1]).toEqual({
      params: { id: 3 },
      body: { roles: ['maintainer', 'administrator', 'auditor'], enabled: true },
    });
  });

  test('a server that lists no users has its auditors, who are typed', async () => {
    const { user, callsOf } = await openSection(
      'Users',
      { 'auditors.list': page(), 'auditors.create': () => ({ id: 1 }) },
      [],
    );
    expect(await screen.findByRole('heading', { level: 1, name: 'Users' })).toBeTruthy();
    expect(screen.queryByRole('tab')).toBeNull();
    await user.click(await screen.findByRole('button', { name: 'New auditor' }));
    const form = within(await dialog('New auditor'));
    await user.type(form.getByLabelText('User name'), 'maria');
    await user.click(form.getByRole('button', { name: 'Give the role' }));
    await waitFor(() => expect(callsOf('auditors.create')).toEqual([{ body: { auditor: 'maria' } }]));
    expect(callsOf('users.list')).toEqual([]);
  });
});

describe('a client', () => {
  const client = {
    ...{ id: 7, hostname: 'alpha', hwid: 'a7', client_name: 'alpha (a7)', os_type: 'linux', online: true },
    ...{ ipv4: null, ipv6: null, mac: null, os_distribution: null, version: '1.0', ls_pool: null },
    ...{ group_id: 'Prague', client_group_id: 1, group_shared: false, last_activity: null, modules: [] },
    ...{ lsf_flag: false, lrl_flag: false, storage_capacity: 0, storage_used: 0, description: null },
    ...{ client_side_backup: false, client_side_restore: false, created: '2026-01-01T00:00:00' },
  };
  const answers = {
    'clients.tree': () => ({
      client_groups: [{ id: 1, name: 'Prague', shared: false, clients_total: 1, clients: [client] }],
      ...{ total: 1, page: 1, limit: 20 },
    }),
    'clients.get': () => client,
    'pools.list': page(pool(1)),
  };
  const edited = async (extensions: readonly string[], more: Parameters<typeof openWindow>[0] = {}) => {
    const view = await openSection('Clients', { ...answers, ...more }, extensions);
    await view.user.click(await screen.findByRole('treeitem', { name: /^alpha/ }));
    await view.user.click(action('Client', 'Edit…'));
    return { ...view, form: within(await dialog('Edit client alpha')) };
  };

  test('has a page of its own by Enter in the tree, and the tree has the focus again after it', async () => {
    const { user, settings } = await openSection('Clients', answers, []);
    await user.click(await screen.findByRole('treeitem', { name: /^alpha/ }));
    screen.getByRole('tree', { name: 'Clients' }).focus();
    await user.keyboard('{Enter}');
    expect(screen.queryByRole('tree')).toBeNull();
    expect(screen.getByRole('region', { name: 'Client details' })).toBeTruthy();
    expect(settings().lastObject).toEqual({ list: 'Clients', id: 7 });
    await user.click(screen.getByRole('button', { name: 'Back to the list (Esc)' }));
    expect(document.activeElement).toBe(screen.getByRole('tree', { name: 'Clients' }));
  });

  test('that is selected is the one of a new backup, with what it can back up', async () => {
    const { user, callsOf } = await openSection('Clients', {
      ...answers,
      'clients.list': page({ ...client, client_name: 'first (f0)', modules: ['Docker container'] }),
      'clients.tree': () => ({
        client_groups: [
          {
            ...{ id: 1, name: 'Prague', shared: false, clients_total: 1 },
            clients: [{ ...client, modules: ['MySQL'] }],
          },
        ],
        ...{ total: 1, page: 1, limit: 20 },
      }),
      'taskQueue.extension': () => ({ crypto: { values: ['nocrypt'] } }),
    });
    await user.click(await screen.findByRole('treeitem', { name: /^alpha/ }));
    await user.click(screen.getByRole('button', { name: 'New backup' }));
    const form = within(await dialog('New backup'));
    await form.findByRole('option', { name: 'first (f0)' });
    expect(form.getByRole('combobox', { name: 'Client' })).toHaveProperty('value', 'alpha (a7)');
    expect(form.getByRole('combobox', { name: 'Resource type' })).toHaveProperty('value', 'MySQL');
    expect(callsOf('taskQueue.extension')).toEqual([{ query: { resource_type: 'MySQL' } }]);
  });

  test('goes into one of the groups of its server, and may have a schedule of its own with a pool', async () => {
    const { user, callsOf, form } = await edited(['client_groups'], {
      'clientGroups.list': page({ id: 2, name: 'Brno', shared: true, clients_total: 0 }),
    });
    // The one that it has is offered, though the list does not reach to it.
    await user.selectOptions(form.getByLabelText('Group'), 'Prague');
    await user.selectOptions(form.getByLabelText('Group'), 'Brno');
    expect(form.queryByLabelText('Pool of its own schedule')).toBeNull();
    await user.click(form.getByLabelText('May make copies by its own schedule'));
    await user.selectOptions(form.getByLabelText('Pool of its own schedule'), 'pool-1');
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(callsOf('clients.update')).toHaveLength(1));
    expect(callsOf('clients.update')).toMatchObject([
      { params: { id: 7 }, body: { group_id: 'Brno', lsf_flag: true, ls_pool: 'pool-1' } },
    ]);
  });

  test('of a server without groups beyond the specification is put into one by its name', async () => {
    const { user, callsOf, form } = await edited([]);
    expect(screen.queryByRole('tab', { hidden: true })).toBeNull();
    await user.clear(form.getByLabelText('Group'));
    await user.type(form.getByLabelText('Group'), 'Brno');
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(callsOf('clients.update')).toMatchObject([{ body: { group_id: 'Brno' } }]));
    expect(callsOf('clientGroups.list')).toEqual([]);
  });

  test('that waits is let in; one that is refused stays with its reason', async () => {
    let waiting = [client, { ...client, id: 8, hostname: 'beta', client_name: 'beta (b8)' }];
    const { user, callsOf } = await openSection(
      'Clients',
      {
        ...answers,
        'clients.unauthorized': () => page(...waiting)(),
        'clients.authorize': (input) => {
          const { id } = (input as { params: { id: number } }).params;
          if (id === 8) throw new Refused({ message: 'Too many clients.' });
          waiting = waiting.filter((one) => one.id !== id);
          return client;
        },
      },
      ['clients_unauthorized'],
    );
    await user.click(await screen.findByRole('tab', { name: 'Waiting (2)' }));
    await user.click(await row('alpha'));
    await user.keyboard('{Control>}a{/Control}');
    await user.click(action('Waiting client', 'Authorize'));
    expect(await screen.findByText('1 client authorized.')).toBeTruthy();
    expect(await screen.findByText('Not authorized: beta (b8): Too many clients.')).toBeTruthy();
    expect(callsOf('clients.authorize')).toHaveLength(2);
    await waitFor(() => expect(screen.queryByRole('row', { name: /alpha/ })).toBeNull());
    expect((await row('beta')).getAttribute('aria-selected')).toBe('true');
  });

  test('joins with a token that is made here, shown once and copied', async () => {
    let tries = 0;
    const { user, callsOf } = await openSection(
      'Clients',
      {
        ...answers,
        'clients.unauthorized': page(),
        'clients.createJoinToken': () => {
          tries += 1;
          if (tries === 1) throw new Refused({ message: 'The server is busy.' });
          return { token: 'b7qkz', expires: '2026-01-01T11:00:00' };
        },
      },
      ['clients_unauthorized', 'clients_join_tokens'],
    );
    await user.click(await screen.findByRole('tab', { name: 'Waiting' }));
    await user.click(await screen.findByRole('button', { name: 'New join token' }));
    const form = within(await dialog('New join token'));
    await user.click(form.getByRole('button', { name: 'Make token' }));
    expect((await form.findByRole('alert')).textContent).toBe('The server is busy.');
    await user.click(form.getByRole('button', { name: 'Make token' }));
    expect(await form.findByText('b7qkz')).toBeTruthy();
    expect(form.getByText('2026-01-01 11:00:00')).toBeTruthy();
    await user.click(form.getByRole('button', { name: 'Copy and close' }));
    expect(callsOf('clipboard.write')).toEqual([{ text: 'b7qkz' }]);
    expect(screen.queryByText('b7qkz')).toBeNull();
  });
});
