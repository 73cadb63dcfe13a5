import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { CopyOutlook } from '../../../contract/repository/retention-preview.ts';
import type { FailedProof } from '../../../contract/statistics/statistics.ts';
import { thinDash } from '../../../renderer/ui/index.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';
import { copy, page, run, strategy } from './rows.ts';

giveElementsASize();
windowTests();

const permissions = ['strategies', 'repository', 'task_queue', 'statistics', 'pools'].flatMap((area) =>
  ['read', 'write', 'delete'].map((right) => `${area}.${right}`),
);
const all = ['strategies', 'statistics', 'schedule_preview', 'retention_preview'];
let made = 0;

async function openSection(section: string, answers: Parameters<typeof openWindow>[0], extensions = all) {
  made += 1;
  const one = connection({ id: `proofs-${made}` }, { permissions, extensions });
  const view = await openWindow({
    'connections.list': () => [one],
    'taskQueue.list': page(),
    'pools.list': page(),
    'repository.list': page(),
    'strategies.list': page(),
    'statistics.get': () => ({ overdue: [], failed_proofs: [] }),
    'taskQueue.extension': () => ({ crypto: { values: ['nocrypt'] } }),
    'strategies.preview': () => preview(),
    ...answers,
  });
  await view.user.click(screen.getByRole('link', { name: section }));
  return view;
}

const preview = (...utc: string[]) => ({
  time_zone: 'Europe/Paris',
  server_time_zone: 'Australia/Sydney',
  next_runs: utc.map((moment) => run(moment)),
});

const failedProof: FailedProof = {
  repository_id: 7,
  client: 'here (abc)',
  resource: '/srv/<b>data\u202E',
  strategy: 'Nightly',
  backup_type: 'full',
  created: '2026-01-05T02:30:00',
  time: '2026-01-05T02:31:00',
  utc: '2026-01-05T01:31:00Z',
  path: '/srv/data/letter',
  reason: 'its data in the copy are damaged',
  task_id: 9,
};

describe('the runs of schedules that are typed', () => {
  const openForm = async (answers: Parameters<typeof openWindow>[0], extensions = all) => {
    const view = await openSection(
      'Strategies',
      { 'strategies.list': page(strategy(1)), ...answers },
      extensions,
    );
    await view.user.click(await screen.findByRole('button', { name: 'New strategy' }, { timeout: 10_000 }));
    return { ...view, form: within(await dialog('New strategy')) };
  };

  test('are asked of the server once typing rests, and stand on the clocks of the server too', async () => {
    const { form, callsOf } = await openForm({ 'strategies.preview': () => preview('2030-01-05T01:30:00Z') });
    const table = within(await form.findByRole('table', { name: 'Next runs before saving' }));
    expect(table.getAllByRole('columnheader').map((cell) => cell.textContent)).toContain(
      'Australia/Sydney server',
    );
    expect(table.getByText('12:30')).toBeTruthy();
    fireEvent.change(form.getByLabelText('Full copies'), { target: { value: '3' } });
    fireEvent.change(form.getByLabelText('Full copies'), { target: { value: '30 2 * * *' } });
    await waitFor(() => expect(callsOf('strategies.preview')).toHaveLength(2));
    expect(callsOf('strategies.preview').at(-1)).toEqual({ query: { full_schedule: '30 2 * * *' } });
    expect(callsOf('strategies.create')).toEqual([]);
  });

  test('give way to what is wrong, beside its field, and come back when it is put right', async () => {
    const { form } = await openForm({
      'strategies.preview': (input) => {
        const { query } = input as { readonly query: { readonly full_schedule?: string } };
        if (query.full_schedule === '0 0 * * 0') return preview('2030-01-06T00:00:00Z');
        if (query.full_schedule === '0 0 1 1 *') return preview();
        const errors = { full_schedule: 'never falls due: there is no such day' };
        throw new Refused({ message: 'full_schedule never falls due.', status: 400, errors });
      },
    });
    await form.findByRole('table', { name: 'Next runs before saving' });
    const field = form.getByLabelText('Full copies');
    fireEvent.change(field, { target: { value: '0 0 31 2 *' } });
    expect(await form.findByText('Full copies never falls due: there is no such day')).toBeTruthy();
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(form.queryByRole('table')).toBeNull();
    fireEvent.change(field, { target: { value: '0 0 1 1 *' } });
    const never = await form.findByText('No run falls due within the time for which the strategy is valid.');
    expect(never.className).toContain('warning');
    fireEvent.change(field, { target: { value: '0 0 * * 0' } });
    expect(await form.findByRole('table', { name: 'Next runs before saving' })).toBeTruthy();
    expect(field.getAttribute('aria-invalid')).toBe('false');
  });

  test('say why they cannot be shown, and can be asked for again', async () => {
    let isAway = true;
    const { form, user } = await openForm({
      'strategies.preview': () => {
        if (isAway) throw new Refused({ message: 'The server does not answer.' });
        return preview('2030-01-06T00:00:00Z');
      },
    });
    expect(await form.findByText('The runs cannot be shown. The server does not answer.')).toBeTruthy();
    isAway = false;
    await user.click(form.getByRole('button', { name: 'Retry' }));
    expect(await form.findByRole('table', { name: 'Next runs before saving' })).toBeTruthy();
  });

  test('are not asked of a server that cannot plan what is not saved', async () => {
    const { form, callsOf } = await openForm({}, ['strategies', 'statistics']);
    expect(form.getByText(/as soon as it is created/)).toBeTruthy();
    expect(callsOf('strategies.preview')).toEqual([]);
  });

  test('the roles that are told are sent where some are ticked, and shown of a strategy that has some', async () => {
    const { form, callsOf, user } = await openForm({
      'strategies.create': () => ({ id: 2 }),
      'strategies.list': page(strategy(1, { notification_user_groups: ['auditor'] })),
    });
    const group = within(form.getByRole('group', { name: 'Who is told of failed and overdue runs' }));
    await user.type(form.getByLabelText('Name'), 'Told');
    await user.click(group.getByLabelText('supervisor'));
    await user.click(group.getByLabelText('auditor'));
    await user.click(group.getByLabelText('maintainer'));
    await user.click(group.getByLabelText('auditor'));
    await user.click(form.getByRole('button', { name: 'Create strategy' }));
    await waitFor(() => expect(callsOf('strategies.create')).toHaveLength(1));
    expect(callsOf('strategies.create')[0]).toMatchObject({
      body: { notification_user_groups: ['supervisor', 'maintainer'] },
    });
    await user.click(await screen.findByText('strategy-1'));
    const facts = await screen.findByRole('region', { name: 'Strategy details' });
    expect(facts.textContent).toContain('Told of failuresauditor');
  });

  test('a server that knows no such roles says nothing of them in the details, and the rest of these stands', async () => {
    // As main reads an answer that lacks the field.
    const older = { ...strategy(1), notification_user_groups: null as never };
    const { form, user } = await openForm({ 'strategies.list': page(older) });
    await user.click(form.getByRole('button', { name: 'Cancel' }));
    await user.click(await screen.findByText('strategy-1'));
    const facts = await screen.findByRole('region', { name: 'Strategy details' });
    expect(facts.textContent).toContain('Default');
    expect(facts.textContent).toContain(`Told of failures${thinDash}`);
  });

  test('a proof is asked for only where somebody wants one', async () => {
    const { form, callsOf, user } = await openForm({ 'strategies.create': () => ({ id: 2 }) });
    expect(form.queryByLabelText('Proof takes at most (MB)')).toBeNull();
    await user.type(form.getByLabelText('Name'), 'Proven');
    await user.type(form.getByLabelText('Prove each copy with (files)'), '20');
    expect((form.getByLabelText('Proof takes at most (MB)') as HTMLInputElement).value).toBe('1024');
    await user.click(form.getByRole('button', { name: 'Create strategy' }));
    await waitFor(() => expect(callsOf('strategies.create')).toHaveLength(1));
    expect(callsOf('strategies.create')[0]).toMatchObject({
      body: { restore_proof_files: 20, restore_proof_size: 1024 },
    });
  });
});

describe('copies that are not restorable', () => {
  test('stand on the overview with the file and the reason, and make it need a look', async () => {
    await openSection('Overview', {
      'statistics.get': () => ({ overdue: [], failed_proofs: [failedProof] }),
    });
    const region = within(await screen.findByRole('region', { name: 'Copies not restorable' }));
    expect(region.getByRole('alert').textContent).toContain('One copy could not be proven restorable');
    expect(region.getByText('/srv/data/letter')).toBeTruthy();
    expect(region.getByText('/srv/<b>data\\u202e')).toBeTruthy();
    expect(region.getByRole('button', { name: 'Show copy 7' })).toBeTruthy();
    expect(screen.getByText('Needs a look')).toBeTruthy();
  });

  test('are named in the list; others say when they were proven, or nothing', async () => {
    const failure = { time: '2026-01-06T00:00:00', path: '/x', reason: 'it was not restored', task_id: null };
    await openSection('Copies', {
      'repository.list': page(
        copy(1, { proven: '2026-01-05T02:31:00', proven_files: 3, proven_bytes: 2048 }),
        copy(2, { proven: '2026-01-05T02:31:00', proof_failure: failure }),
        copy(3),
      ),
    });
    const cell = async (name: string) =>
      within(await screen.findByRole('row', { name: new RegExp(name) }, { timeout: 10_000 })).getAllByRole(
        'gridcell',
      )[6];
    expect((await cell('/srv/data-1'))?.textContent).toBe('2026-01-05 02:31:00');
    expect((await cell('/srv/data-1'))?.title).toBe('2026-01-05 02:31:00 (3 files, 2.00 KiB)');
    expect((await cell('/srv/data-2'))?.textContent).toBe('not restorable');
    expect((await cell('/srv/data-2'))?.title).toBe('2026-01-06 00:00:00: /x: it was not restored');
    expect((await cell('/srv/data-3'))?.textContent).toBe('–');
  });
});

describe('what will be there', () => {
  const outlook = (id: number, kept: boolean, more: Partial<CopyOutlook> = {}): CopyOutlook => ({
    id,
    client: 'here (abc)',
    resource_type: 'File system',
    resource: `/srv/data-${id % 2}`,
    backup_type: 'full',
    status: 'Trusted',
    pool: 'Default',
    real_size: 1024,
    created: '2026-01-01T10:00:00',
    store_until: '2027-01-01T10:00:00',
    kept,
    rule: kept ? 'not_expired' : 'expired',
    reason: kept ? 'Its time is not over.' : 'Its time is over.',
    goes: kept ? null : '2027-01-01T10:00:00.250',
    ...more,
  });
  const openRetention = async (answers: Parameters<typeof openWindow>[0]) => {
    const view = await openSection('Copies', answers);
    await view.user.click(await screen.findByRole('tab', { name: 'Retention' }, { timeout: 10_000 }));
    return view;
  };
  const atOf = (input: unknown) => (input as { readonly query: { readonly at?: string } }).query.at;

  test('is asked for the moment of the slider; a resource that loses everything comes first and says so', async () => {
    const { callsOf } = await openRetention({
      'repository.retentionPreview': (input) =>
        page(outlook(1, atOf(input) === undefined), outlook(2, true))(),
    });
    const slider = await screen.findByRole('slider', { name: /Looked ahead/ });
    expect((await screen.findByText(/2 copies \(2\.00 KiB\) are there now/)).getAttribute('role')).toBe(
      'status',
    );
    fireEvent.change(slider, { target: { value: '10' } });
    expect(
      await screen.findByText(/1 of today’s 2 copies .* 1 copy is gone, 1\.00 KiB are freed\./),
    ).toBeTruthy();
    expect(screen.getByText('nothing left')).toBeTruthy();
    const groups = screen.getAllByRole('table').map((table) => table.getAttribute('aria-label'));
    expect(groups).toEqual(['Copies of /srv/data-1', 'Copies of /srv/data-0']);
    expect(slider.getAttribute('aria-valuetext')).toMatch(/, in 10 days$/);
    expect(atOf(callsOf('repository.retentionPreview').at(-1))).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  });

  test('says what is wrong with a moment at its field, and why a server does not answer', async () => {
    const { user } = await openRetention({
      'repository.retentionPreview': (input) => {
        if (atOf(input)?.startsWith('2099') === true) {
          throw new Refused({ message: 'at must not lie in the past.', status: 400, errors: { at: 'x' } });
        }
        return page(outlook(1, true))();
      },
    });
    const field = await screen.findByLabelText('Date and time');
    fireEvent.change(field, { target: { value: 'soon' } });
    expect(screen.getByText('Date and time must be written like 2030-01-31 12:00')).toBeTruthy();
    fireEvent.change(field, { target: { value: '1999-01-01 00:00' } });
    expect(screen.getByText('Date and time must not lie in the past')).toBeTruthy();
    fireEvent.change(field, { target: { value: '2099-01-01 00:00' } });
    expect(await screen.findByText('at must not lie in the past.')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Now' }));
    expect(await screen.findByText(/1 copy \(1\.00 KiB\) are there now|1 copy .* there now/)).toBeTruthy();
  });

  test('of very many copies shows the first and says so; of none it says that', async () => {
    await openRetention({
      'repository.retentionPreview': (input) => {
        const { page: number = 1 } = (input as { readonly query: { readonly page?: number } }).query;
        const items = Array.from({ length: 500 }, (_, index) =>
          outlook(number * 1000 + index, true, { resource: `/srv/${index % 20}` }),
        );
        return { items, total: 9000 };
      },
    });
    expect(
      await screen.findByText(/The first 2,500 of 9,000 copies are shown/, {}, { timeout: 10_000 }),
    ).toBeTruthy();
    // Many groups stand closed: their copies are not drawn.
    expect(screen.queryAllByRole('table')).toEqual([]);
    expect(screen.getAllByText('125 copies, 125 KiB')).toHaveLength(20);
  });

  test('has a way to try again when nothing can be shown', async () => {
    let isAway = true;
    const { user } = await openRetention({
      'repository.retentionPreview': () => {
        if (isAway) throw new Refused({ message: 'The server does not answer.' });
        return page()();
      },
    });
    const failure = within(await screen.findByRole('alert', {}, { timeout: 10_000 }));
    expect(failure.getByText('What will be there cannot be shown')).toBeTruthy();
    isAway = false;
    await user.click(failure.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByText('There is no copy yet, so nothing has to be kept.')).toBeTruthy();
  });
});
