import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';
import { copy, page } from './rows.ts';

giveElementsASize();
windowTests();

const permissions = ['read', 'write', 'delete', 'verify', 'restore'].map((right) => `repository.${right}`);
let made = 0;

/** Each test has a server of its own, since lists are kept by connection. */
async function openCopies(answers: Parameters<typeof openWindow>[0]) {
  made += 1;
  const one = connection({ id: `server-${made}` }, { permissions: [...permissions, 'task_queue.read'] });
  const view = await openWindow({
    'connections.list': () => [one],
    'repository.list': page(copy(1)),
    'taskQueue.list': page(),
    'pools.list': page(),
    'clients.list': page(),
    'repository.files': page(),
    'repository.dependencies': () => [],
    ...answers,
  });
  await view.user.click(screen.getByRole('link', { name: 'Copies' }));
  return view;
}

/** The first one waits for the whole window, which takes its time on a busy machine. */
const row = (text: string) => screen.findByRole('row', { name: new RegExp(text) }, { timeout: 10_000 });
const action = (name: string) =>
  within(screen.getByRole('toolbar', { name: 'Copy actions' })).getByRole('button', { name });

function file(path: string, type = 'file') {
  const name = path.split('/').at(-1);
  return { name, path, type, size: 1, mtime: '2026-01-01T00:00:00', flags: [], skipped: null };
}

describe('the copies', () => {
  test('each verification has its word', async () => {
    const statuses = ['Trusted', 'Suspicious', 'Broken', 'Not Verified'];
    await openCopies({
      'repository.list': page(...statuses.map((status, at) => copy(at + 1, { status }))),
    });
    for (const [at, word] of ['Trusted', 'Suspicious', 'Broken', 'Not verified'].entries())
      expect(within(await row(`/srv/data-${at + 1}`)).getByText(word)).toBeTruthy();
  });

  test('a finding of a verification says how bad it is, what is lost and what to do (case 91)', async () => {
    const damage = [
      { severity: 'error', item: 'a/\u202Eb', message: 'Its data is lost.', next_step: 'Back it up again.' },
    ];
    const { user } = await openCopies({ 'repository.list': page(copy(1, { status: 'Broken', damage })) });
    await user.click(await row('/srv/data-1'));
    const details = within(await screen.findByRole('region', { name: 'Copy details' }));
    expect(details.getByText('error')).toBeTruthy();
    expect(details.getByText('a/\\u202eb')).toBeTruthy();
    expect(details.getByText(/Its data is lost. Back it up again./)).toBeTruthy();
  });

  test('one copy that cannot be verified does not keep the others from it', async () => {
    const { user, callsOf } = await openCopies({
      'repository.list': page(copy(1), copy(2)),
      'repository.verify': (input) => {
        if ((input as { params: { id: number } }).params.id === 1)
          throw new Refused({ message: 'It is in use.' });
        return { task_id: 5 };
      },
    });
    await user.click(await row('/srv/data-1'));
    await user.keyboard('{Control>}');
    await user.click(await row('/srv/data-2'));
    await user.keyboard('{/Control}');
    await user.click(action('Verify'));
    expect(await screen.findByText(/1 of 2 cannot be verified. Copy 1: It is in use./)).toBeTruthy();
    expect(await screen.findByText(/1 copy will be read/)).toBeTruthy();
    expect(callsOf('repository.verify')).toHaveLength(2);
  });

  test('the chain of a copy shows what it needs and what needs it', async () => {
    const chain = [
      copy(1, { resource: '/srv', status: 'Trusted' }),
      copy(2, { resource: '/srv', reference_id: 1, chain_id: 1, backup_type: 'incremental' }),
      copy(3, {
        resource: '/srv',
        reference_id: 2,
        chain_id: 1,
        backup_type: 'incremental',
        status: 'Broken',
      }),
      copy(4, { resource: '/srv', reference_id: 1, chain_id: 1, backup_type: 'rebuilt\u202E' }),
    ];
    const { user, callsOf } = await openCopies({ 'repository.list': page(...chain) });
    const [, second] = (await screen.findAllByRole('row', { name: /\/srv/ })) as HTMLElement[];
    await user.click(second as HTMLElement);
    const details = within(await screen.findByRole('region', { name: 'Copy details' }));
    await user.click(details.getByRole('tab', { name: 'Chain' }));
    const links = within(await details.findByRole('list', { name: 'Chain' })).getAllByRole('listitem');
    expect(details.getByText('It needs 1 copy; 1 copy needs it.')).toBeTruthy();
    expect(links.map((link) => link.getAttribute('aria-current'))).toEqual([null, 'true', null, null]);
    expect(links[0]?.textContent).toContain('fullcopy 1needed by itTrusted');
    expect(links[0]?.textContent).toContain('2026-01-01 10:00:002.00 KiB, 1.00 KiB stored');
    expect(links[2]?.textContent).toContain('needs itBroken');
    expect(links[3]?.textContent).toContain('rebuilt\\u202e');
    expect(links[3]?.textContent).toContain('builds on copy 1');
    expect(callsOf('repository.list').at(-1)).toMatchObject({
      query: { chain_id: 1, sort: 'id', order: 'asc' },
    });
  });
});

describe('deleting copies', () => {
  const all = [
    copy(1, { resource: '/srv' }),
    copy(2, { resource: '/srv', reference_id: 1, chain_id: 1, backup_type: 'incremental' }),
    copy(3, { resource: '/srv', status: 'Trusted', chain_id: 3, created: '2025-01-01T10:00:00' }),
    copy(4, { resource: '/etc <b>\u202E' }),
  ];
  const server = {
    'repository.list': (input: unknown) => {
      const { resource, chain_id } = (input as { query: { resource?: string; chain_id?: number } }).query;
      return page(
        ...all.filter(
          (one) => (resource ?? one.resource) === one.resource && (chain_id ?? one.chain_id) === one.chain_id,
        ),
      )();
    },
    'repository.dependencies': (input: unknown) =>
      (input as { body: { ids: number[] } }).body.ids.map((id) => ({
        id,
        dependencies: id === 1 ? [2] : [],
      })),
    'repository.deleteMany': (input: unknown) => ({ ids: (input as { body: { ids: number[] } }).body.ids }),
  };
  const askAbout = async (at: number, answers: Parameters<typeof openWindow>[0] = {}) => {
    const view = await openCopies({ ...server, ...answers });
    const rows = await screen.findAllByRole('row', { name: /File system|\/srv|\/etc/ });
    await view.user.click(rows[at] as HTMLElement);
    await view.user.click(action('Delete…'));
    return { ...view, question: within(await dialog('Delete copies')) };
  };

  test('lists what goes with it, what is freed and what stays, and begins on Cancel', async () => {
    const { user, callsOf, question } = await askAbout(0);
    expect(await question.findByText('1 more copy goes, because it builds on what is deleted')).toBeTruthy();
    const also = question.getByRole('list', { name: 'What goes with it' });
    expect(also.textContent).toBe('incrementalcopy 22026-01-01 10:00:001.00 KiB/srv of here (abc)');
    expect(question.getByText('2 copies go, 2.00 KiB are freed.')).toBeTruthy();
    const stays = question.getByRole('list', { name: 'Newest copy that stays' });
    expect(stays.textContent).toBe('fullcopy 32025-01-01 10:00:00Trusted/srv of here (abc)');
    expect(question.queryByRole('alert')).toBeNull();
    expect(question.queryByRole('checkbox')).toBeNull();
    expect(document.activeElement).toBe(question.getByRole('button', { name: 'Cancel' }));
    await user.click(question.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(callsOf('repository.deleteMany')).toEqual([{ body: { ids: [1, 2] } }]));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('the last copy of a resource needs a second yes', async () => {
    const { user, callsOf, question } = await askAbout(3);
    const alert = await question.findByRole('alert');
    expect(alert.textContent).toBe(
      'No copy of /etc <b>\\u202e of here (abc) stays. It cannot be restored any more.',
    );
    const remove = question.getByRole('button', { name: 'Delete' });
    expect(remove.getAttribute('aria-disabled')).toBe('true');
    await user.click(remove);
    expect(callsOf('repository.deleteMany')).toEqual([]);
    await user.click(question.getByRole('checkbox', { name: /nothing of this can be restored/ }));
    await user.click(remove);
    await waitFor(() => expect(callsOf('repository.deleteMany')).toEqual([{ body: { ids: [4] } }]));
  });

  test('nothing goes while it cannot be found out what goes with it', async () => {
    let isAway = true;
    const { user, callsOf, question } = await askAbout(0, {
      'repository.dependencies': (input) => {
        if (isAway) throw new Refused({ message: 'The server is away.' });
        return server['repository.dependencies'](input);
      },
    });
    expect(await question.findByText(/so nothing is deleted. The server is away./)).toBeTruthy();
    await user.click(question.getByRole('button', { name: 'Delete' }));
    expect(callsOf('repository.deleteMany')).toEqual([]);
    isAway = false;
    await user.click(question.getByRole('button', { name: 'Retry' }));
    expect(await question.findByText('2 copies go, 2.00 KiB are freed.')).toBeTruthy();
  });

  test('a refusal of the server stands in the dialog', async () => {
    const { user, question } = await askAbout(0, {
      'repository.deleteMany': () => {
        throw new Refused({ message: 'Copy 1 is used by the active task 7.' });
      },
    });
    await question.findByText('2 copies go, 2.00 KiB are freed.');
    await user.click(question.getByRole('button', { name: 'Delete' }));
    expect((await question.findByRole('alert')).textContent).toContain('used by the active task 7');
  });
});

describe('keeping a copy', () => {
  test('a date that was not touched goes back exactly as it came (case 125)', async () => {
    const { user, callsOf } = await openCopies({});
    await user.click(await row('/srv/data-1'));
    await user.click(action('Keep until…'));
    const form = within(await dialog('Keep until'));
    expect(form.getByLabelText('Date and time')).toHaveProperty('value', '2027-01-01 10:00:00');
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(callsOf('repository.update')).toEqual([
        { params: { id: 1 }, body: { store_until: '2027-01-01T10:00:00.250' } },
      ]),
    );
  });

  test('a new date is local time of the server', async () => {
    const { user, callsOf } = await openCopies({});
    await user.click(await row('/srv/data-1'));
    await user.click(action('Keep until…'));
    const form = within(await dialog('Keep until'));
    const field = form.getByLabelText('Date and time');
    await user.clear(field);
    await user.type(field, '2030-02-03 4:05');
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(callsOf('repository.update')).toMatchObject([{ body: { store_until: '2030-02-03T04:05:00' } }]),
    );
  });

  test('a date that the server refuses stays, with the reason under it', async () => {
    const { user } = await openCopies({
      'repository.update': () => {
        throw new Refused({ message: 'Not kept.', errors: { store_until: 'must be in the future' } });
      },
    });
    await user.click(await row('/srv/data-1'));
    await user.click(action('Keep until…'));
    const form = within(await dialog('Keep until'));
    await user.click(form.getByRole('button', { name: 'Save' }));
    expect(await form.findByText('Date and time must be in the future')).toBeTruthy();
  });
});

describe('a restore', () => {
  const files = {
    'repository.files': (input: unknown) => {
      const { folder } = (input as { query: { folder?: string } }).query;
      if (folder === 'a') return { items: [file('a/[1].txt'), file('a/1.txt'), file('a/*')], total: 3 };
      return { items: [file('a', 'folder'), file('\u202Eexe.txt')], total: 2 };
    },
  };

  test('exactly the ticked items go, named as the server named them (case 68)', async () => {
    const { user, callsOf } = await openCopies({ ...files, 'repository.restore': () => ({ task_id: 4 }) });
    await user.click(await row('/srv/data-1'));
    await user.click(action('Restore…'));
    const form = within(await dialog('Restore'));
    const tree = within(await form.findByRole('tree', { name: 'Files' }));
    const folder = await tree.findByRole('treeitem', { name: /^a/ });
    await user.click(within(folder).getByRole('checkbox'));
    folder.focus();
    form.getByRole('tree', { name: 'Files' }).focus();
    await user.keyboard('{Home}{ArrowRight}');
    const other = await tree.findByRole('treeitem', { name: /^1\.txt/ });
    expect(within(other).getByRole('checkbox')).toHaveProperty('checked', true);
    await user.click(within(other).getByRole('checkbox'));
    expect(await form.findByText(/2 items ticked/)).toBeTruthy();
    await user.type(form.getByLabelText('Destination'), '/tmp/back');
    expect(form.getByText(/2 items of \/srv\/data-1 go to \/tmp\/back\/data-1/)).toBeTruthy();
    await user.click(form.getByRole('button', { name: 'Start restore' }));
    await waitFor(() => expect(callsOf('repository.restore')).toHaveLength(1));
    expect(callsOf('repository.restore')).toMatchObject([
      {
        params: { id: 1 },
        body: {
          restore_task: {
            destination_path: '/tmp/back',
            granular_restore_files: ['a/[1].txt', 'a/*'],
            data_deployment: false,
          },
        },
      },
    ]);
  });

  test('says with how many workers and how much memory, when a person wants other than the server', async () => {
    const number = (name: string, value: number) => ({
      ...{ name, type: 'integer', default: value, value, min: 0, max: 64, values: null },
      description: '',
    });
    const { user, callsOf } = await openCopies({
      ...files,
      'repository.extension': () => ({
        module_extensions: [{ ...number('new_name', 0), type: 'string', value: '', default: '' }],
        common_modules_extensions: [number('worker_parallelism', 8), number('memory_threshold', 0)],
      }),
      'repository.restore': () => ({ task_id: 4 }),
    });
    await user.click(await row('/srv/data-1'));
    await user.click(action('Restore…'));
    const form = within(await dialog('Restore'));
    await user.type(form.getByLabelText('Destination'), '/tmp/back');
    const workers = await form.findByLabelText('Workers');
    await user.clear(workers);
    await user.type(workers, '2');
    await user.click(form.getByRole('button', { name: 'Start restore' }));
    await waitFor(() => expect(callsOf('repository.restore')).toHaveLength(1));
    const [{ body }] = callsOf('repository.restore') as [{ body: object }];
    expect(body).toHaveProperty('common_modules_extensions', { parameters: { worker_parallelism: 2 } });
  });

  test('a name that hides what it is is shown as it is (case 66)', async () => {
    const { user } = await openCopies(files);
    await user.click(await row('/srv/data-1'));
    await user.click(action('Restore…'));
    const form = within(await dialog('Restore'));
    expect(await form.findByRole('treeitem', { name: /\\u202eexe\.txt/ })).toBeTruthy();
  });

  test('a damaged copy is said to be damaged before anything is restored (case 87)', async () => {
    const { user } = await openCopies({ ...files, 'repository.list': page(copy(1, { status: 'Broken' })) });
    await user.click(await row('/srv/data-1'));
    await user.click(action('Restore…'));
    const form = within(await dialog('Restore'));
    expect(form.getByText(/This copy is broken/)).toBeTruthy();
  });

  const openRestore = async (resource_type: string, resource: string) => {
    const view = await openCopies({
      'repository.list': page(copy(1, { resource_type, resource })),
      'repository.restore': () => ({ task_id: 4 }),
    });
    await view.user.click(await screen.findByRole('row', { name: new RegExp(resource.slice(-8)) }));
    await view.user.click(action('Restore…'));
    return { ...view, form: within(await dialog('Restore')) };
  };
  const sent = (calls: readonly unknown[]) =>
    (calls[0] as { body: { restore_task: object } } | undefined)?.body.restore_task;

  test('of an image goes to a file, or onto a device when that is ticked', async () => {
    const { user, callsOf, form } = await openRestore('Block device', '/dev/disk/by-label/one');
    expect(form.queryByRole('tree')).toBeNull();
    expect(form.getByLabelText('New name')).toBeTruthy();
    await user.type(form.getByLabelText('Destination'), '/srv/images');
    expect(form.getByText(/becomes the file \/srv\/images\/one/)).toBeTruthy();
    await user.click(form.getByLabelText('Write the image onto a device'));
    const device = form.getByRole('textbox', { name: 'Destination', description: /^\(device\)/ });
    await user.clear(device);
    await user.type(device, '/dev/sdc');
    expect(form.queryByLabelText('New name')).toBeNull();
    expect(form.getByText(/written onto \/dev\/sdc. What is there now is lost/)).toBeTruthy();
    await user.click(form.getByRole('button', { name: 'Start restore' }));
    await waitFor(() => expect(callsOf('repository.restore')).toHaveLength(1));
    expect(sent(callsOf('repository.restore'))).toMatchObject({
      destination_path: '/dev/sdc',
      data_deployment: true,
      granular_restore_files: [],
    });
  });

  test('of a PostgreSQL server asks for the data directory alone', async () => {
    const { user, callsOf, form } = await openRestore('PostgreSQL universal', 'postgresql://backup@db:5432');
    expect(form.queryByRole('tree')).toBeNull();
    expect(form.queryByRole('checkbox')).toBeNull();
    await user.type(
      form.getByRole('textbox', { name: 'Destination', description: /^\(data directory\)/ }),
      '/var/lib/pg/new',
    );
    await user.click(form.getByRole('button', { name: 'Start restore' }));
    await waitFor(() => expect(callsOf('repository.restore')).toHaveLength(1));
    expect(sent(callsOf('repository.restore'))).toMatchObject({
      destination_path: '/var/lib/pg/new',
      data_deployment: true,
    });
  });
});
