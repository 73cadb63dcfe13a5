import { screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { Statistics } from '../../../contract/statistics/statistics.ts';
import { outcomesOf, speedsOf, storedOf } from '../../../renderer/features/overview/history-series.ts';
import { wholeHistory } from '../../../renderer/shell/use-history.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { openWindow, windowTests } from '../support/window.tsx';

giveElementsASize();
windowTests();

const statistics: Statistics = {
  days: ['2030-01-14', '2030-01-15'],
  stored_bytes: [
    { pool_id: 1, pool: 'Main', bytes: [1024, 2048] },
    { pool_id: 2, pool: 'Other', bytes: [0, 1024] },
  ],
  tasks: [
    { status: 'broken', counts: [1, 0] },
    { status: 'done', counts: [4, 5] },
    { status: 'error', counts: [1, 0] },
    { status: 'killed', counts: [0, 2] },
  ],
  throughput: { bytes: [0, 3000], seconds: [0, 3] },
  overdue: [],
  failed_proofs: [],
};

describe('what is drawn of the days', () => {
  test('a day on which nothing was transferred has no speed', () => {
    expect(speedsOf(statistics)).toEqual([null, 1000]);
  });

  test('stored bytes are those of all pools, and nothing where there never were any', () => {
    expect(storedOf(statistics)).toEqual([1024, 3072]);
    expect(storedOf({ ...statistics, stored_bytes: [] })).toEqual([null, null]);
  });

  test('outcomes put statuses together; one that is not known is not lost', () => {
    const tasks = [...statistics.tasks, { status: 'frozen', counts: [0, 7] }];
    const rows = outcomesOf({ ...statistics, tasks });
    expect(rows.map(({ id, counts }) => [id, counts])).toEqual([
      ['done', [4, 5]],
      ['failed', [2, 0]],
      ['stopped', [0, 2]],
      ['other', [0, 7]],
    ]);
    expect(outcomesOf(statistics)).toHaveLength(3);
  });

  test.each([
    [{ days: ['2030-01-15'], stored_bytes: null, tasks: null, throughput: null }, [null]],
    [{ days: ['2030-01-15'], throughput: { bytes: null } }, [null]],
    [{ overdue: [] }, []],
  ])('a server that answers only %j has empty series', (told, empty) => {
    const whole = wholeHistory(told as unknown as Statistics);
    expect([speedsOf(whole), storedOf(whole)]).toEqual([empty, empty]);
    expect(outcomesOf(whole).map(({ counts }) => counts)).toEqual([0, 1, 2].map(() => empty.map(() => 0)));
  });
});

const permissions = ['task_queue.read', 'statistics.read'];
const server = {
  'taskQueue.list': () => ({ items: [], total: 0 }),
  'repository.list': () => ({ items: [], total: 0 }),
  'pools.list': () => ({ items: [], total: 0 }),
};

async function openOverview(
  state: Parameters<typeof connection>[1],
  answers: Parameters<typeof openWindow>[0] = {},
) {
  const opened = await openWindow({
    'connections.list': () => [connection({}, state)],
    ...server,
    ...answers,
  });
  return { ...opened, history: await screen.findByRole('region', { name: 'History' }) };
}

describe('the history on the overview', () => {
  test('of a server without the extension says that there is none', async () => {
    const { history, callsOf } = await openOverview({ permissions, extensions: [] });
    expect(within(history).getByText(/does not have the extension “statistics”/)).toBeTruthy();
    expect(callsOf('statistics.get')).toEqual([]);
  });

  test('of a server that leaves everything out is empty, and the page stays', async () => {
    const { history } = await openOverview(
      { permissions, extensions: ['statistics'] },
      { 'statistics.get': () => ({ overdue: [], failed_proofs: [] }) },
    );
    expect(await within(history).findByText('No pool has held a copy in these days.')).toBeTruthy();
    expect(screen.getByRole('heading', { name: 'Running now' })).toBeTruthy();
  });

  test('says which right is missing', async () => {
    const { history } = await openOverview({ permissions: ['task_queue.read'], extensions: ['statistics'] });
    expect(within(history).getByText(/no right to see the history \(statistics\.read\)/)).toBeTruthy();
  });

  test('that cannot be loaded says why, and the rest of the page stays', async () => {
    const { history } = await openOverview(
      { permissions, extensions: ['statistics'] },
      {
        'statistics.get': () => {
          throw new Refused({ message: 'The database is busy.' });
        },
      },
    );
    expect(await within(history).findByText(/The database is busy/)).toBeTruthy();
    expect(screen.getByRole('heading', { name: 'Running now' })).toBeTruthy();
  });

  test('tells the calendar field by field, and moves in it by keys', async () => {
    const { history, user } = await openOverview(
      { permissions, extensions: ['statistics'] },
      { 'statistics.get': () => ({ ...statistics, stored_bytes: [], throughput: null }) },
    );
    const calendar = await within(history).findByRole('grid', { name: 'How tasks ended, by day' });
    const field = (name: string) => within(calendar).getByLabelText(name);
    field('2030-01-15, Done: 5 tasks').focus();
    await user.keyboard('{ArrowDown}{ArrowLeft}');
    expect(document.activeElement).toBe(field('2030-01-14, Failed: 2 tasks'));
    expect(within(history).getByText('2030-01-14, Failed: 2 tasks')).toBeTruthy();
    await user.keyboard('{End}{ArrowDown}{ArrowDown}');
    expect(document.activeElement).toBe(field('2030-01-15, Stopped: 2 tasks'));
    expect(within(history).getByText('No task has transferred anything in these days.')).toBeTruthy();
    await user.click(within(history).getByRole('button', { name: 'Show “Throughput by day” as a table' }));
    const table = within(history).getByRole('table', { name: 'Throughput by day' });
    expect(
      within(table)
        .getAllByRole('row')
        .map((row) => row.textContent),
    ).toEqual(['DayAverage speed', '2030-01-15–', '2030-01-14–']);
    const heads = within(table).getAllByRole('columnheader');
    expect(heads.map((head) => head.getAttribute('aria-sort'))).toEqual(['descending', 'none']);
    expect(within(calendar).getAllByRole('columnheader')[0]?.textContent).toBe('Outcome');
  });
});
