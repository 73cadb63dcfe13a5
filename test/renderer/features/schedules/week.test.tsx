import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { Refused } from '../../support/fake-bridge.ts';
import { page, run, strategy } from '../rows.ts';
import { openSection, scheduleTests } from './lab.ts';

scheduleTests();

describe('the week', () => {
  const soon = (hours: number, kind = 'full') =>
    run(new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 + hours * 3_600_000).toISOString(), kind);
  const openWeek = async (...strategies: readonly ReturnType<typeof strategy>[]) => {
    const view = await openSection('Strategies', {
      'strategies.list': page(...strategies),
      'strategies.get': (input) =>
        strategies.find(({ id }) => id === (input as { params: { id: number } }).params.id),
    });
    await view.user.click(await screen.findByRole('tab', { name: 'Week' }));
    return view;
  };

  test('is a table that arrows move in, with the runs of the cell below; Enter opens the strategy', async () => {
    const { user } = await openWeek(
      strategy(1, { next_runs: [soon(24), soon(200)] }),
      strategy(2, { next_runs: [soon(24, 'incremental'), soon(200)], rules_count: 0 }),
    );
    const week = await screen.findByRole('grid', { name: 'Week' });
    const agenda = within(screen.getByRole('region', { name: 'Runs of the day' }));
    expect(within(week).getAllByRole('columnheader')).toHaveLength(7);
    const head = within(week).getAllByRole('columnheader')[1] as HTMLElement;
    expect(head.getAttribute('aria-selected')).toBe('true');
    expect(agenda.getAllByRole('row')).toHaveLength(3);
    expect(agenda.getByText('none: makes no copy')).toBeTruthy();
    head.focus();
    await user.keyboard('{ArrowDown}{ArrowDown}');
    expect(agenda.getByRole('heading').textContent).toContain('strategy-2');
    expect(agenda.getAllByRole('row')).toHaveLength(2);
    await user.keyboard('{Home}');
    expect(agenda.getByText('Nothing runs.')).toBeTruthy();
    expect(week.querySelectorAll('[tabindex="0"]')).toHaveLength(1);
    fireEvent.keyDown(document.activeElement as Element, { key: 'Enter' });
    const details = within(await screen.findByRole('region', { name: 'Strategy details' }));
    expect(details.getByRole('heading', { name: 'strategy-2' })).toBeTruthy();
  });

  test('marks the day on which the clocks are changed, and the runs of that night (case 54)', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2030-03-29T12:00:00Z') });
    try {
      const { user } = await openWeek(
        strategy(1, { next_runs: [run('2030-03-31T01:00:00Z'), run('2030-04-07T00:30:00Z')] }),
      );
      await user.selectOptions(await screen.findByLabelText('Times of'), 'Europe/Paris');
      const heads = screen.getAllByRole('columnheader').map((head) => head.textContent?.trim());
      expect(heads.slice(0, 4)).toEqual(['Today03-29', 'Sat03-30', 'Sun03-31 02:00 → 03:00', 'Mon04-01']);
      const agenda = within(screen.getByRole('region', { name: 'Runs of the day' }));
      expect(agenda.getByRole('heading').textContent).toContain('Sun 2030-03-31');
      expect(agenda.getByText(/the clocks go from 02:00 to 03:00: what is due/)).toBeTruthy();
    } finally {
      vi.useRealTimers();
    }
  });

  test('without a strategy, or with none that is on, says so', async () => {
    await openWeek();
    expect(await screen.findByText(/There is no strategy/)).toBeTruthy();
  });

  test('in which nothing falls due says so, and when the next run is', async () => {
    await openWeek(
      strategy(1, { next_runs: [soon(24 * 20)] }),
      strategy(2, { enabled: false, name: 'off\u202E' }),
    );
    expect(await screen.findByText('Nothing runs in the coming seven days.')).toBeTruthy();
    expect(screen.getByText(/^next \d{4}-/)).toBeTruthy();
    expect(screen.getByText('Off, so not in the week: off\\u202e')).toBeTruthy();
  });

  test('that cannot be loaded says why', async () => {
    const { user } = await openSection('Strategies', {
      'strategies.list': () => {
        throw new Refused({ message: 'The server is away.' });
      },
    });
    await user.click(await screen.findByRole('tab', { name: 'Week' }));
    expect(await screen.findByText('The week cannot be shown')).toBeTruthy();
    expect(screen.getByText('The server is away.')).toBeTruthy();
  });
});
