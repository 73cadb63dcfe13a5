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

const row = (text: string) => screen.findByRole('row', { name: new RegExp(text) });
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

  test('deleting lists what goes with it and begins on Cancel', async () => {
    const { user, callsOf } = await openCopies({
      'repository.dependencies': () => [{ id: 1, dependencies: [2, 3] }],
      'repository.deleteMany': () => ({ ids: [1, 2, 3] }),
    });
    await user.click(await row('/srv/data-1'));
    await user.click(action('Delete…'));
    const question = within(await dialog('Delete copies'));
    expect(await question.findByText(/Copy 3, which builds on/)).toBeTruthy();
    expect(document.activeElement).toBe(question.getByRole('button', { name: 'Cancel' }));
    await user.click(question.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(callsOf('repository.deleteMany')).toEqual([{ body: { ids: [1] } }]));
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
});
