import { screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { dialog } from '../../support/window.tsx';
import { page, run, strategy } from '../rows.ts';
import { extensions, nightOfChange, openSection, row, scheduleTests } from './lab.ts';

scheduleTests();

describe('the runs ahead of a strategy', () => {
  const openDetails = async (change: Parameters<typeof strategy>[1], answers = {}) => {
    const one = strategy(1, change);
    const view = await openSection('Strategies', {
      'strategies.list': page(one),
      'strategies.get': () => one,
      ...answers,
    });
    await view.user.click(await row('strategy-1'));
    return { ...view, details: within(await screen.findByRole('region', { name: 'Strategy details' })) };
  };

  test('come after what is noticed of it: copies that reach its capacity, an end that is near', async () => {
    const one = strategy(1, { capacity: 2 });
    const noticed = { stored: 2 * 1024 ** 3, capacity_reached: true, ends_soon: true };
    const { details } = await openDetails(one, { 'strategies.get': () => ({ ...one, ...noticed }) });
    expect(
      await details.findByText('The copies have reached the capacity. Raise it or remove copies.'),
    ).toBeTruthy();
    expect(details.getByText(/^It ends soon; its rules make no more copies then/)).toBeTruthy();
    expect(details.getByText('2 GB; the copies take 2.00 GiB')).toBeTruthy();
  });

  test('stand in the zone of the strategy and of this computer, with the change of the clocks (cases 54, 61)', async () => {
    const { details } = await openDetails({ next_runs: nightOfChange });
    const table = within(details.getByRole('table', { name: 'Next runs' }));
    expect(table.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual([
      'Kind',
      'Europe/Paris strategy',
      'Asia/Tokyo this computer',
    ]);
    const order = table.getAllByRole('columnheader').map((cell) => cell.getAttribute('aria-sort'));
    expect(order).toEqual(['none', 'ascending', 'none']);
    const lines = table.getAllByRole('row').map((line) => line.textContent);
    expect(lines[1]).toBe('fullSat 26 Oct 2030 02:30Sat 26 Oct 2030 09:30');
    expect(lines[2]).toContain('02:30 comes twice; this is the first time');
    expect(lines[3]).toBe('2030-10-27: the clocks go from 03:00 to 02:00');
    expect(lines[4]).toContain('Mon 28 Oct 10:30');
  });

  test('mark a run that a skipped hour moves (case 54)', async () => {
    const { details } = await openDetails({ next_runs: [run('2030-03-31T01:00:00Z')] });
    expect(
      details.getByText(/the clocks go from 02:00 to 03:00: what is due between them runs now, once/),
    ).toBeTruthy();
  });

  test('of one kind are found beyond the next ten of all', async () => {
    const full = run('2030-02-03T00:00:00Z');
    const { details, user } = await openDetails(
      { incremental_schedule: '0 * * * *', next_runs: [run('2030-01-30T00:00:00Z', 'incremental')] },
      {
        'strategies.get': () =>
          strategy(1, { next_runs: [run('2030-01-30T00:00:00Z', 'incremental'), full] }),
      },
    );
    await user.selectOptions(details.getByLabelText('Kind of run'), 'full');
    expect(await details.findByRole('cell', { name: 'Sun 3 Feb 2030 01:00' })).toBeTruthy();
    expect(details.getByText('1 run in the next 31 days.')).toBeTruthy();
  });

  test('are shown whatever a server writes: unknown zones, kinds and times', async () => {
    const { details } = await openDetails({
      name: 'strategy-1 <img src=x>\u202E',
      time_zone: 'Mars/<b>Olympus',
      next_runs: [
        run('2030-01-01T00:00:00Z', 'mirrored\u202E'),
        { backup_type: 'full', time: 'soon', utc: 'later' },
      ],
    });
    expect(details.getByRole('heading', { level: 2 }).textContent).toBe('strategy-1 <img src=x>\\u202e');
    const table = within(details.getByRole('table', { name: 'Next runs' }));
    expect(table.getByText('mirrored\\u202e')).toBeTruthy();
    expect(table.getByRole('columnheader', { name: /^UTC/ })).toBeTruthy();
    expect(table.getAllByText('soon')).toHaveLength(2);
  });

  test('beside the form are those that are saved, and say so when a schedule is changed', async () => {
    const { user } = await openDetails({ next_runs: nightOfChange }, { 'pools.list': page() });
    await user.click(
      within(screen.getByRole('toolbar', { name: 'Strategy actions' })).getByRole('button', {
        name: 'Edit…',
      }),
    );
    const form = within(await dialog('Edit strategy strategy-1'));
    expect(form.getByRole('table', { name: 'Next runs as saved' })).toBeTruthy();
    expect(form.getByRole('status').textContent).toContain('The preview follows saving');
    await user.type(form.getByLabelText('Name'), ' two');
    expect(form.getByRole('status').textContent).toContain('The preview follows saving');
    await user.type(form.getByLabelText('Incremental copies'), '0 * * * *');
    expect(form.getByRole('status').textContent).toContain('Save to see their runs');
  });

  test('of a new strategy are shown in its details as soon as it is created', async () => {
    const all = [strategy(1)];
    const { user } = await openSection('Strategies', {
      'strategies.list': () => page(...all)(),
      'strategies.get': () => all.at(-1),
      'strategies.create': () => {
        all.push(strategy(2, { next_runs: nightOfChange }));
        return { id: 2 };
      },
    });
    await user.click(await screen.findByRole('button', { name: 'New strategy' }));
    const form = within(await dialog('New strategy'));
    expect(form.getByText(/shown in the details of the strategy as soon as it is created/)).toBeTruthy();
    await user.type(form.getByLabelText('Name'), 'strategy-2');
    await user.click(form.getByRole('button', { name: 'Create strategy' }));
    const details = within(await screen.findByRole('region', { name: 'Strategy details' }));
    expect(details.getByRole('heading', { name: 'strategy-2' })).toBeTruthy();
    expect(details.getByRole('cell', { name: 'Sat 26 Oct 2030 02:30' })).toBeTruthy();
  });
});

describe('the form of a rule', () => {
  const asked = { 'clients.list': page(), 'strategyRules.extension': () => ({}) };
  const openForm = async (
    strategies: readonly ReturnType<typeof strategy>[],
    has = extensions,
    zone = 'UTC',
  ) => {
    const view = await openSection(
      'Strategy rules',
      {
        ...asked,
        'strategyRules.list': page(),
        'strategies.list': page(...strategies),
        'strategies.preview': () => ({ time_zone: zone, server_time_zone: zone, next_runs: [] }),
      },
      has,
    );
    await view.user.click(await screen.findByRole('button', { name: 'New rule' }));
    const form = within(await dialog('New rule'));
    return { ...view, form, status: () => form.getByRole('status').textContent };
  };

  test('shows the next runs of the strategy that is chosen, with what changes of the clocks do (case 54)', async () => {
    const { form, user, status } = await openForm([
      strategy(1, { next_runs: [run('2030-03-31T01:00:00Z')] }),
      strategy(2, { next_runs: nightOfChange }),
      strategy(3, { enabled: false, next_runs: [] }),
    ]);
    expect(await form.findByText(/the clocks go from 02:00 to 03:00/)).toBeTruthy();
    await user.selectOptions(form.getByLabelText('Strategy'), 'strategy-2');
    const table = within(await form.findByRole('table', { name: 'Next runs' }));
    expect(table.getByText(/02:30 comes twice; this is the first time/)).toBeTruthy();
    expect(table.queryByText(/03:00: what is due/)).toBeNull();
    expect(status()).toContain('Of the strategy strategy-2');
    await user.click(form.getByLabelText(/Makes copies/));
    expect(status()).toContain('It waits');
    await user.selectOptions(form.getByLabelText('Strategy'), 'strategy-3');
    expect(form.queryByRole('table', { name: 'Next runs' })).toBeNull();
    expect(status()).toContain('It is off');
    await user.selectOptions(form.getByLabelText('Strategy'), '');
    expect(status()).toContain('Without a strategy it makes no copies.');
  });

  test('shows them on the clocks of the server too where these are others', async () => {
    const { form } = await openForm(
      [strategy(1, { next_runs: nightOfChange })],
      [...extensions, 'schedule_preview'],
      'Pacific/Chatham',
    );
    expect(await form.findByRole('columnheader', { name: /Pacific\/Chatham server/ })).toBeTruthy();
  });
});
