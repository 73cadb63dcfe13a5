import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import type { RuleRun } from '../../../contract/strategy-rules/rule-run.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';
import { page, rule, run, strategy, task } from './rows.ts';

giveElementsASize();
windowTests();
beforeAll(() => {
  vi.stubEnv('TZ', 'Asia/Tokyo');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const permissions = ['strategies', 'strategy_rules', 'task_queue', 'statistics', 'pools'].flatMap((area) =>
  ['read', 'write', 'delete'].map((right) => `${area}.${right}`),
);
const extensions = ['strategies', 'statistics', 'strategy_rules_runs'];
let made = 0;

async function openSection(section: string, answers: Parameters<typeof openWindow>[0], has = extensions) {
  made += 1;
  const one = connection({ id: `calendar-${made}` }, { permissions, extensions: has });
  const view = await openWindow({
    'connections.list': () => [one],
    'taskQueue.list': page(),
    'pools.list': page(),
    'strategies.list': page(),
    'statistics.get': () => ({ overdue: [] }),
    'strategyRules.list': page(),
    'strategyRules.runs': page(),
    'taskQueue.extension': () => ({ crypto: { values: ['nocrypt'] } }),
    ...answers,
  });
  await view.user.click(screen.getByRole('link', { name: section }));
  return view;
}

/** The first one waits for its section to be loaded too, which takes its time on a busy machine. */
const row = (text: string) => screen.findByRole('row', { name: new RegExp(text) }, { timeout: 10_000 });
const nightOfChange = ['2030-10-26T00:30:00Z', '2030-10-27T00:30:00Z', '2030-10-28T01:30:00Z'].map((utc) =>
  run(utc),
);

function overdue(change: Partial<OverdueRule> = {}): OverdueRule {
  return {
    rule_id: 1,
    client: 'here (abc)',
    resource: '/srv/rule-1',
    strategy: 'strategy-1',
    backup_type: 'full',
    due: '2026-01-05T02:30:00',
    utc: '2026-01-05T01:30:00Z',
    reason: 'The client is offline.',
    task_id: null,
    task_status: null,
    ...change,
  };
}

function ruleRun(id: number, change: Partial<RuleRun> = {}): RuleRun {
  return {
    id,
    due: `2026-01-0${id}T02:30:00`,
    utc: `2026-01-0${id}T01:30:00Z`,
    backup_type: 'full',
    outcome: 'planned',
    reason: null,
    task_id: null,
    task_status: null,
    noted: `2026-01-0${id}T02:30:01`,
    ...change,
  };
}

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

describe('a rule', () => {
  const types = ['File system', 'Block device', 'PostgreSQL universal'];
  const openForm = async (answers: Parameters<typeof openWindow>[0] = {}) => {
    const view = await openSection('Strategy rules', {
      'clients.list': page({ id: 1, client_name: 'here (abc)', modules: types }),
      'strategies.list': page(strategy(1)),
      'strategyRules.create': () => ({ id: 1 }),
      ...answers,
    });
    await view.user.click((await screen.findAllByRole('button', { name: 'New rule' }))[0] as HTMLElement);
    return { ...view, form: within(await dialog('New rule')) };
  };

  test('of a block device asks for the device, one of a server for that and its password file', async () => {
    const { user, callsOf, form } = await openForm();
    const offered = within(form.getByLabelText('Resource type')).getAllByRole('option');
    expect(offered.map((option) => option.textContent)).toEqual(types);
    expect(form.getByLabelText('Folder')).toBeTruthy();
    await user.selectOptions(form.getByLabelText('Resource type'), 'Block device');
    expect(form.getByRole('textbox', { name: 'Folder', description: /^or device/ })).toBeTruthy();
    expect(form.queryByLabelText('Password file')).toBeNull();
    await user.selectOptions(form.getByLabelText('Resource type'), 'PostgreSQL universal');
    await user.type(
      form.getByRole('textbox', { name: 'Folder', description: /^or server/ }),
      'postgresql://backup@db',
    );
    await user.type(form.getByLabelText('Password file'), '/etc/pgpass');
    await user.click(form.getByRole('button', { name: 'Create rule' }));
    await waitFor(() => expect(callsOf('strategyRules.create')).toHaveLength(1));
    expect(callsOf('strategyRules.create')).toMatchObject([
      {
        body: {
          strategy_rule: { resource_type: 'PostgreSQL universal', resource: 'postgresql://backup@db' },
          module_extensions: { parameters: { password_file: '/etc/pgpass', checkpoint: 'fast' } },
        },
      },
    ]);
  });

  test('of a server keeps the password that it has when none is typed', async () => {
    const old = rule(1, {
      resource_type: 'PostgreSQL universal',
      resource: 'postgresql://backup@db',
      module_extensions: { parameters: { password: '', password_file: '', checkpoint: 'spread' } },
    });
    const { user, callsOf } = await openSection('Strategy rules', {
      'clients.list': page({ id: 1, client_name: 'here (abc)', modules: types }),
      'strategies.list': page(strategy(1)),
      'strategyRules.list': page(old),
      'strategyRules.update': () => null,
      'strategyRules.get': () => old,
    });
    await user.click(await row('postgresql'));
    await user.click(screen.getByRole('button', { name: 'Edit…' }));
    const form = within(await dialog('Edit rule'));
    expect(form.getByLabelText('Checkpoint')).toHaveProperty('value', 'spread');
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(callsOf('strategyRules.update')).toHaveLength(1));
    const [{ body }] = callsOf('strategyRules.update') as [{ body: { module_extensions: unknown } }];
    expect(body.module_extensions).toEqual({ parameters: { password_file: '', checkpoint: 'spread' } });
  });

  test('without a priority of its own leaves it to its strategy, when it is made and when it is taken back', async () => {
    const old = rule(1, { priority: 300 });
    const { user, callsOf, form } = await openForm({
      'strategyRules.list': page(old),
      'strategyRules.update': () => null,
      'strategyRules.get': () => ({ ...old, priority: 200 }),
    });
    await user.type(form.getByLabelText('Folder'), '/srv/data');
    await user.click(form.getByRole('button', { name: 'Create rule' }));
    await waitFor(() => expect(callsOf('strategyRules.create')).toHaveLength(1));
    expect(callsOf('strategyRules.create')[0]).not.toHaveProperty('body.strategy_rule.priority');
    await user.click(await row(old.resource));
    await user.click(screen.getByRole('button', { name: 'Edit…' }));
    const edit = within(await dialog('Edit rule'));
    expect(edit.getByLabelText('Priority')).toHaveProperty('value', '300');
    await user.clear(edit.getByLabelText('Priority'));
    await user.click(edit.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(callsOf('strategyRules.update')).toHaveLength(1));
    expect(callsOf('strategyRules.update')[0]).toMatchObject({ body: { strategy_rule: { priority: null } } });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(screen.queryByText(/keeps|not taken/)).toBeNull();
  });

  test('has the options that the server lists for its type, and sends those that were changed', async () => {
    const parameter = (name: string, more: object) => ({
      name,
      type: 'boolean',
      default: false,
      value: false,
      min: null,
      max: null,
      values: null,
      description: `what ${name} is`,
      ...more,
    });
    const old = rule(1);
    const { user, callsOf } = await openSection('Strategy rules', {
      'clients.list': page({ id: 1, client_name: 'here (abc)', modules: types }),
      'strategies.list': page(strategy(1)),
      'strategyRules.list': page(old),
      'strategyRules.update': () => null,
      'strategyRules.get': () => old,
      'strategyRules.extension': (input: unknown) => {
        const { query } = input as { query: { resource_type: string; rule_id?: number } };
        if (query.resource_type === 'Block device') throw new Refused({ message: 'Unknown.', status: 400 });
        const isOfRule = query.rule_id === 1;
        return {
          module_extensions:
            query.resource_type === 'File system'
              ? [
                  parameter('use_snapshot', {}),
                  parameter('own_way', { type: 'string', value: 'a', default: 'a' }),
                ]
              : [],
          common_modules_extensions: [
            parameter('worker_parallelism', { type: 'integer', default: 8, value: isOfRule ? 4 : 8 }),
            parameter('deny_memory_exceed', {}),
          ],
        };
      },
    });
    await user.click(await row(old.resource));
    await user.click(screen.getByRole('button', { name: 'Edit…' }));
    const form = within(await dialog('Edit rule'));
    expect(form.getByLabelText('Workers')).toHaveProperty('value', '4');
    expect(form.getByLabelText('Own way')).toHaveProperty('value', 'a');
    await user.click(form.getByLabelText('Read from a snapshot of the volume'));
    await user.clear(form.getByLabelText('Workers'));
    await user.type(form.getByLabelText('Workers'), '2');
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(callsOf('strategyRules.update')).toHaveLength(1));
    const [{ body }] = callsOf('strategyRules.update') as [{ body: object }];
    expect(body).toMatchObject({
      module_extensions: { parameters: { use_snapshot: true } },
      common_modules_extensions: { parameters: { worker_parallelism: 2 } },
    });
    expect(JSON.stringify(body)).not.toMatch(/own_way|deny_memory/);
  });

  test('of files sends no parameters of other types', async () => {
    const { user, callsOf, form } = await openForm();
    await user.type(form.getByLabelText('Folder'), '/srv/data');
    await user.click(form.getByRole('button', { name: 'Create rule' }));
    await waitFor(() => expect(callsOf('strategyRules.create')).toHaveLength(1));
    expect(callsOf('strategyRules.create')[0]).not.toHaveProperty('body.module_extensions');
  });
});
