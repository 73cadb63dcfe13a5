import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { RuleRun } from '../../../../contract/strategy-rules/rule-run.ts';
import { Refused } from '../../support/fake-bridge.ts';
import { page, rule, strategy, task } from '../rows.ts';
import { extensions, openSection, overdue, row, ruleRun, scheduleTests } from './lab.ts';

scheduleTests();

describe('the past runs of a rule', () => {
  const openRule = async (runs: readonly RuleRun[], answers = {}, has = extensions) => {
    const view = await openSection(
      'Strategy rules',
      { 'strategyRules.list': page(rule(1)), 'strategyRules.runs': page(...runs), ...answers },
      has,
    );
    await view.user.click(await row('/srv/rule-1'));
    return { ...view, details: within(await screen.findByRole('region', { name: 'Rule details' })) };
  };

  test('say what became of each, also in words that are not known', async () => {
    const { details, callsOf } = await openRule([
      ruleRun(6, { outcome: 'deferred\u202E', backup_type: 'mirror', reason: '<b>why</b>' }),
      ruleRun(5, { task_id: 5, task_status: 'error' }),
      ruleRun(4, { outcome: 'skipped', reason: 'The client is offline.' }),
      ruleRun(3, { outcome: 'missed', reason: 'The server did not run.' }),
      ruleRun(2, { task_status: 'done' }),
      ruleRun(1),
    ]);
    const list = await details.findByRole('list', { name: 'Past runs' });
    const lines = within(list)
      .getAllByRole('listitem')
      .map((line) => line.textContent);
    expect(lines).toEqual([
      'deferred\\u202emirror2026-01-06 02:30<b>why</b>',
      'Errorfull2026-01-05 02:30Task 5',
      'skippedfull2026-01-04 02:30The client is offline.',
      'missedfull2026-01-03 02:30The server did not run.',
      'Donefull2026-01-02 02:30',
      'plannedfull2026-01-01 02:30',
    ]);
    expect(callsOf('strategyRules.runs')).toMatchObject([
      { params: { id: 1 }, query: { sort: 'id', order: 'desc', limit: 20 } },
    ]);
  });

  test('that ended with skipped items are warnings, with their number (case 77)', async () => {
    const { details } = await openRule([
      ruleRun(2, { task_status: 'done', skipped_items: 3 }),
      ruleRun(1, { task_status: 'done', skipped_items: 0 }),
    ]);
    await details.findByRole('list', { name: 'Past runs' });
    expect(details.getByText('Done, 3 skipped').className).toContain('meaning-warning');
    expect(details.getByText('Done').className).toContain('meaning-ok');
  });

  test('that were missed for one reason say it once', async () => {
    const missed = { outcome: 'missed', reason: 'The server did not run.' };
    const { details } = await openRule([
      ruleRun(3, missed),
      ruleRun(2, missed),
      ruleRun(1, { ...missed, outcome: 'skipped' }),
    ]);
    await details.findByRole('list', { name: 'Past runs' });
    const lines = details.getAllByRole('listitem').map((line) => line.textContent);
    expect(lines).toEqual([
      'missedfull2026-01-03 02:30The server did not run.',
      'missedfull2026-01-02 02:30',
      'skippedfull2026-01-01 02:30The server did not run.',
    ]);
  });

  test('lead to their task', async () => {
    const { details, user } = await openRule([ruleRun(5, { task_id: 5, task_status: 'done' })], {
      'taskQueue.list': page(task(5, { resource: '/srv/rule-1' })),
    });
    await user.click(await details.findByRole('button', { name: 'Task 5' }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Tasks' })).toBeTruthy();
    expect(await screen.findByRole('region', { name: 'Task details' })).toBeTruthy();
  });

  test('can be more than are shown at first', async () => {
    const { details, user, callsOf } = await openRule([], {
      'strategyRules.runs': () => ({ items: [ruleRun(5)], total: 30 }),
    });
    expect(await details.findByText('1 of 30')).toBeTruthy();
    await user.click(details.getByRole('button', { name: 'Show more' }));
    expect(details.getByRole('list', { name: 'Past runs' })).toBeTruthy();
    await waitFor(() =>
      expect(callsOf('strategyRules.runs').at(-1)).toMatchObject({ query: { limit: 100 } }),
    );
  });

  test('that cannot be had say why', async () => {
    const { details } = await openRule([], {
      'strategyRules.runs': () => {
        throw new Refused({ message: 'No <b>such</b> rule.' });
      },
    });
    expect((await details.findByRole('alert')).textContent).toBe('No <b>such</b> rule.');
  });

  test('are not asked of a server that does not keep them', async () => {
    const { details, callsOf } = await openRule([], {}, ['strategies']);
    expect(details.queryByText('Past runs')).toBeNull();
    expect(callsOf('strategyRules.runs')).toEqual([]);
  });
});

describe('overdue rules', () => {
  const late = {
    'statistics.get': () => ({
      overdue: [overdue(), overdue({ rule_id: 2, task_id: 9, reason: 'It ended badly.' })],
    }),
  };

  test('are told on the overview, with since when, why and what to do', async () => {
    const { user } = await openSection('Overview', {
      ...late,
      'strategyRules.list': page(rule(1), rule(2)),
    });
    const notice = within(await screen.findByRole('region', { name: 'Overdue rules' }));
    expect(notice.getByRole('alert').textContent).toContain('2 rules are overdue');
    expect(notice.getAllByText('since 2026-01-05 02:30:00')).toHaveLength(2);
    expect(notice.getByText('The client is offline.')).toBeTruthy();
    expect(notice.getByText(/Put right what the reason names/)).toBeTruthy();
    expect(notice.getByText(/restart the task, or wait for the next run/)).toBeTruthy();
    expect(screen.getByText('Needs a look')).toBeTruthy();
    await user.click(notice.getAllByRole('button', { name: 'Show rule of /srv/rule-1' })[0] as HTMLElement);
    const details = within(await screen.findByRole('region', { name: 'Rule details' }));
    expect(details.getByText('since 2026-01-05 02:30:00')).toBeTruthy();
  });

  test('are marked in the lists of rules and of strategies', async () => {
    const { user } = await openSection('Strategy rules', {
      ...late,
      'strategyRules.list': page(rule(1), rule(3)),
      'strategies.list': page(strategy(1), strategy(2)),
    });
    await waitFor(async () => expect(within(await row('/srv/rule-1')).getByText('overdue')).toBeTruthy());
    expect(within(await row('/srv/rule-3')).getByText('runs')).toBeTruthy();
    await user.click(screen.getByRole('link', { name: 'Strategies' }));
    expect(within(await row('strategy-1')).getByText('on, 2 overdue')).toBeTruthy();
    expect(within(await row('strategy-2')).getByText('on')).toBeTruthy();
  });

  test('a server that does not tell of them is not asked, and nothing is said', async () => {
    const { callsOf } = await openSection('Overview', { ...late }, ['strategies']);
    expect(await screen.findByText('All is well')).toBeTruthy();
    expect(screen.queryByText('Overdue rules')).toBeNull();
    expect(callsOf('statistics.get')).toEqual([]);
  });
});
